import { UsageError } from '../../contracts/errors.ts';
import type { NewStory } from '../../contracts/model.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { nextId } from '../../rules/backlog/next-id.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { countOf, given, isOn, namesOf, type RawFlags, textOf, textsOf } from '../flags.ts';
import { printJson, printLines } from '../print.ts';
import { storyById } from './backlog.ts';
import { changeBacklog } from './change.ts';
import { storyData } from './list.ts';

/** `ralph stories add` */
export async function addStory([title = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (title.trim() === '') throw new UsageError({ what: 'a story needs a title' });
  let id = '';
  const written = await changeBacklog('ralph stories add', flags, io, ({ document }) => {
    const story = newStory(title.trim(), flags, document);
    id = story.id;
    return [{ kind: 'add', story }];
  });
  const added = storyById(written, id);
  if (isOn(flags, 'json')) printJson(io, storyData(added));
  else printLines(io, [`added ${oneLine(`${added.id} ${added.title}`)} (${written.file}:${added.line})`]);
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
