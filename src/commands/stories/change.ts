import { appendLedger, appendSteering, loadOrThrow, writeFiles } from '../../adapters/workspace/index.ts';
import { LEDGER_VERSION, type NewStory, type StoryEdit, UsageError } from '../../contracts/index.ts';
import { UNTOUCHED } from '../../loop/index.ts';
import { type BacklogDocument, editBacklog, nextId } from '../../rules/backlog/index.ts';
import { oneLine, shellWord } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { countOf, given, namesOf, type RawFlags, textOf, textsOf } from '../shared/flags.ts';
import { openWorkspace, withRunLock } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { decidedText, refuseUnfitReason } from './decide.ts';
import { deferDecision, deferralOf, needStories, runPhrase } from './deferred.ts';
import { storyById, storyData } from './list.ts';

/**
 * A person's change of the backlog, under the run's lock: read, edit, write; nothing if the result would be invalid.
 * @throws LockedError (exit 4) naming the run that holds the lock
 */
async function changeBacklog(
  command: string,
  flags: RawFlags,
  io: Io,
  decide: (document: BacklogDocument, stateDir: string) => readonly StoryEdit[] | Promise<readonly StoryEdit[]>,
): Promise<BacklogDocument> {
  const { git, workspace } = await openWorkspace(flags, io);
  const { root, stateDir } = git.repo;
  return withRunLock(stateDir, command, async () => {
    const { document } = await loadOrThrow(workspace);
    needStories(document, command);
    const edited = editBacklog(document, await decide(document, stateDir));
    await writeFiles(root, {
      [edited.file]: edited.text,
      ...(edited.reviewsText === null ? {} : { [edited.reviewsFile]: edited.reviewsText }),
    });
    return edited;
  });
}

const ADD = 'ralph stories add';

/** `ralph stories add`: at once, or through the active run, before its next iteration. */
export async function addStory([title = '']: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  if (title.trim() === '') throw new UsageError({ what: 'a story needs a title' });
  const deferral = await deferralOf(ADD, flags, io);
  if (deferral !== null) {
    const { git, workspace, document, live } = deferral;
    const story = newStory(title.trim(), flags, document);
    // Checked now, and again when it is added: its number may belong to another story by then.
    editBacklog(document, [{ kind: 'add', story }]);
    await appendSteering(git.repo.stateDir, { kind: 'add', folder: workspace.specDir, story, at: Date.now() });
    const run = live?.run ?? null;
    return printResult(io, flags, { ...story, done: 'later', run }, [
      `${oneLine(`${story.id} ${story.title}`)} will be added ${runPhrase(run)}`,
    ]);
  }
  let id = '';
  const written = await changeBacklog(ADD, flags, io, (document) => {
    const story = newStory(title.trim(), flags, document);
    id = story.id;
    return [{ kind: 'add', story }];
  });
  const added = storyById(written, id);
  return printResult(io, flags, storyData(added), [
    `added ${oneLine(`${added.id} ${added.title}`)} (${written.file}:${added.line})`,
  ]);
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

const BLOCK = 'ralph stories block';

export async function blockStory([id = '', ...words]: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const reason = words.join(' ').trim();
  if (reason === '')
    throw new UsageError({ what: 'blocking a story needs a reason: it is what you will read when nothing moves' });
  refuseUnfitReason(reason);
  const deferred = await deferDecision(BLOCK, flags, io, [id], { decision: 'block', reason });
  if (deferred !== null) return printResult(io, flags, deferred, deferred.map(decidedText));
  const written = await changeBacklog(BLOCK, flags, io, (document) => [
    { kind: 'set', id: storyById(document, id).id, fields: { blocked: reason } },
  ]);
  const story = storyById(written, id);
  return printResult(io, flags, storyData(story), [
    `${oneLine(story.id)} is blocked: ${oneLine(reason)}`,
    `free it with: ralph stories reset ${shellWord(oneLine(story.id))}`,
  ]);
}

const RESET = 'ralph stories reset';

/** `ralph stories reset ID…`; while a run is active it is the same as `reopen`. */
export async function resetStories(ids: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const deferred = await deferDecision(RESET, flags, io, ids, { decision: 'reopen' });
  if (deferred !== null) return printResult(io, flags, deferred, deferred.map(decidedText));
  const written = await changeBacklog(RESET, flags, io, async (document, stateDir) => {
    const stories = ids.map((id) => storyById(document, id));
    // Attempts first: if writing the backlog fails, a story with fresh attempts does no harm.
    for (const story of stories) {
      await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'reset', story: story.id, at: Date.now() });
    }
    return stories.map((story) => ({ kind: 'set' as const, id: story.id, fields: UNTOUCHED }));
  });
  const stories = ids.map((id) => storyById(written, id));
  return printResult(
    io,
    flags,
    stories.map(storyData),
    stories.map((story) => `${oneLine(story.id)} starts again: to do, no reviews, no attempts used`),
  );
}
