import { type NewStory, UsageError } from '../../contracts/index.ts';
import { type BacklogDocument, editBacklog, nextId } from '../../rules/backlog/index.ts';
import { oneLine, shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { countOf, given, namesOf, type RawFlags, textOf, textsOf } from '../shared/flags.ts';
import { printResult } from '../shared/print.ts';
import { decidedText, decideStories, refuseUnfit } from './decide.ts';
import { storyById, storyData } from './list.ts';
import { carriedOutBy, sayAboutStories } from './say.ts';

/** `ralph stories add`: at once, or through the active run, before its next iteration. */
export async function addStory([title = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (title.trim() === '') throw new UsageError({ what: 'a story needs a title' });
  let story: NewStory | null = null;
  const said = await sayAboutStories('ralph stories add', flags, io, ({ document, specDir }) => {
    story = newStory(title.trim(), flags, document);
    // Validated now, and again when it is added: its number may belong to another story by then.
    editBacklog(document, [{ kind: 'add', story }]);
    return [{ kind: 'add', folder: specDir, story, at: Date.now() }];
  });
  if (story === null) throw new Error('no story was made');
  const { id }: NewStory = story;
  const { document, isLater, run } = said;
  if (isLater) {
    return printResult(io, flags, { ...(story as NewStory), done: 'later', run }, [
      `${oneLine(`${id} ${title.trim()}`)} will be added ${carriedOutBy(run)}`,
    ]);
  }
  const added = storyById(document, id);
  return printResult(io, flags, storyData(added), [
    `added ${oneLine(`${added.id} ${added.title}`)} (${document.file}:${added.line})`,
  ]);
}

function newStory(title: string, flags: RawFlags, document: BacklogDocument): NewStory {
  const { stories } = document.backlog;
  const acceptanceCriteria = textsOf(flags, 'criterion');
  if (document.format === 'tasks-json' && acceptanceCriteria.length === 0) {
    throw new UsageError({
      what: 'a story needs at least one acceptance criterion',
      why: 'reviews judge a story by its criteria, one by one',
      fix: ['add -c "what can be checked when it is done"'],
    });
  }
  const id = textOf(flags, 'id') ?? nextId(stories);
  if (stories.some((story) => story.id === id)) {
    throw new UsageError({
      what: `there is a story '${id}' already`,
      where: document.file,
      fix: ['leave out --id for the next free number'],
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

/** `ralph stories block ID REASON` */
export async function blockStory([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const reason = words.join(' ').trim();
  if (reason === '')
    throw new UsageError({ what: 'blocking a story needs a reason: it is what you will read when nothing moves' });
  refuseUnfit(reason);
  const word = { decision: 'block', reason } as const;
  const { decided, document } = await decideStories('ralph stories block', flags, io, [id], word);
  if (decided.some(({ done, run }) => done === 'later' || run !== null))
    return printResult(io, flags, decided, decided.map(decidedText));
  const story = storyById(document, id);
  return printResult(io, flags, storyData(story), [
    `${oneLine(story.id)} is blocked: ${oneLine(reason)}`,
    `free it with: ralph stories reset ${shellWord(oneLine(story.id))}`,
  ]);
}
