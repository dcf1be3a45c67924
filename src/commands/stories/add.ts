import { appendSteering } from '../../adapters/workspace/records/steering-file.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { NewStory } from '../../contracts/model.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import { nextId } from '../../rules/backlog/next-id.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { countOf, given, isOn, namesOf, type RawFlags, textOf, textsOf } from '../shared/flags.ts';
import { printJson, printLines } from '../shared/print.ts';
import { storyById } from './backlog.ts';
import { changeBacklog } from './change.ts';
import { byWhom, type Later, laterOf } from './later.ts';
import { storyData } from './list.ts';

const COMMAND = 'ralph stories add';

/** `ralph stories add`: at once, or by the run that is under way, before its next iteration. */
export async function addStory([title = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (title.trim() === '') throw new UsageError({ what: 'a story needs a title' });
  const later = await laterOf(COMMAND, flags, io);
  if (later !== null) return addLater(later, title.trim(), flags, io);
  let id = '';
  const written = await changeBacklog(COMMAND, flags, io, ({ document }) => {
    const story = newStory(title.trim(), flags, document);
    id = story.id;
    return [{ kind: 'add', story }];
  });
  const added = storyById(written, id);
  if (isOn(flags, 'json')) printJson(io, storyData(added));
  else printLines(io, [`added ${oneLine(`${added.id} ${added.title}`)} (${written.file}:${added.line})`]);
  return 0;
}

/** It is judged now, and again when it is added: its number may have gone to another story by then. */
async function addLater({ git, workspace, document, live }: Later, title: string, flags: RawFlags, io: Io) {
  const story = newStory(title, flags, document);
  editBacklog(document, [{ kind: 'add', story }]);
  await appendSteering(git.repo.stateDir, { kind: 'add', folder: workspace.specDir, story, at: Date.now() });
  const run = live?.run ?? null;
  if (isOn(flags, 'json')) printJson(io, { ...story, done: 'later', run });
  else printLines(io, [`${oneLine(`${story.id} ${title}`)} will be added ${byWhom(run)}`]);
  return 0;
}

function newStory(title: string, flags: RawFlags, document: BacklogDocument): NewStory {
  const { stories } = document.backlog;
  const acceptanceCriteria = textsOf(flags, 'criterion');
  if (document.format === 'tasks-json' && acceptanceCriteria.length === 0) {
    throw new UsageError({
      what: 'a story needs at least one acceptance criterion',
      why: 'reviews judge a story by its criteria, one by one',
      mend: ['add -c "what can be checked when it is done"'],
    });
  }
  const id = textOf(flags, 'id') ?? nextId(stories);
  if (stories.some((story) => story.id === id)) {
    throw new UsageError({
      what: `there is a story '${id}' already`,
      where: document.file,
      mend: ['leave out --id for the next free number'],
    });
  }
  const dependsOn = namesOf(flags, 'dependsOn')?.map((name) => storyById(document, name).id);
  return {
    id,
    title,
    acceptanceCriteria,
    priority: countOf(flags, 'priority') ?? stories.reduce((last, story) => Math.max(last, story.priority), 0) + 1,
    ...given({ description: textOf(flags, 'description'), dependsOn }),
  };
}
