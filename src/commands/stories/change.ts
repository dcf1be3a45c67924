import { type NewStory, type StoryFields, UsageError } from '../../contracts/index.ts';
import { type BacklogDocument, editBacklog, isDone, nextId, removeStory } from '../../rules/backlog/index.ts';
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
  if (story === null) throw new Error('no story was added');
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
      what: `story '${id}' already exists`,
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

/** `ralph stories edit ID`: fields by flags, at once or before the next iteration of the active run. */
export async function editStory([id = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const criteria = textsOf(flags, 'criterion');
  const depends = textOf(flags, 'dependsOn');
  const fields: StoryFields = given({
    title: textOf(flags, 'title')?.trim(),
    description: textOf(flags, 'description'),
    acceptanceCriteria: criteria.length > 0 ? criteria : undefined,
    priority: countOf(flags, 'priority'),
    notes: textOf(flags, 'notes'),
    dependsOn: depends === '' ? [] : namesOf(flags, 'dependsOn'),
  });
  if (Object.keys(fields).length === 0)
    throw new UsageError({ what: 'nothing to change', fix: ['`ralph stories edit --help` lists what can be changed'] });
  if (fields.title === '') throw new UsageError({ what: 'a story needs a title' });
  return change('edit', id, fields, flags, io);
}

/** `ralph stories remove ID` */
export async function dropStory([id = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return change('remove', id, null, flags, io);
}

async function change(verb: 'edit' | 'remove', name: string, fields: StoryFields | null, flags: RawFlags, io: Io) {
  let id = name;
  const said = await sayAboutStories(`ralph stories ${verb}`, flags, io, ({ document, specDir }) => {
    const story = storyById(document, name);
    id = story.id;
    if (document.format === 'markdown')
      throw new UsageError({
        what: `${document.file} is Markdown: its text is the story`,
        where: `${document.file}:${story.line}`,
        fix: [`${verb} it in your editor`],
      });
    // Refused now rather than later, where it would leave the backlog invalid.
    if (fields === null) removeStory(document, id);
    else editBacklog(document, [{ kind: 'set', id, fields }]);
    return [{ kind: 'edit', folder: specDir, story: id, fields, at: Date.now() }];
  });
  const { document, isLater, run } = said;
  const done = isLater ? 'later' : 'now';
  const past = fields === null ? 'removed' : 'changed';
  const text = isLater ? `${id} will be ${past} ${carriedOutBy(run)}` : `${id} is ${past}`;
  const story = document.backlog.stories.find((one) => one.id === id);
  const again = fields !== null && story !== undefined && isDone(story);
  return printResult(io, flags, { story: id, change: past, done, run }, [
    oneLine(text),
    ...(again ? [`it is already done; to reopen it: ralph stories reset ${shellWord(oneLine(id))}`] : []),
  ]);
}

/** `ralph stories block ID REASON` */
export async function blockStory([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const reason = words.join(' ').trim();
  if (reason === '')
    throw new UsageError({ what: 'blocking a story needs a reason, which `ralph stories show` repeats later' });
  refuseUnfit(reason);
  const word = { decision: 'block', reason } as const;
  const { decided, document } = await decideStories('ralph stories block', flags, io, [id], word);
  if (decided.some(({ done, run }) => done === 'later' || run !== null))
    return printResult(io, flags, decided, decided.map(decidedText));
  const story = storyById(document, id);
  return printResult(io, flags, storyData(story), [
    `${oneLine(story.id)} is blocked: ${oneLine(reason)}`,
    `unblock it with: ralph stories reset ${shellWord(oneLine(story.id))}`,
  ]);
}
