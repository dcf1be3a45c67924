import { type Action, chooseActions, type Scenario } from '../../adapters/agents/index.ts';
import { blobId, type Inventory } from '../../adapters/git/index.ts';
import type { RalphEvent, Story } from '../../contracts/index.ts';
import type { Played } from './play.ts';
import type { Contents } from './project.ts';
import type { Expectation } from './rows/row.ts';

/** What a run came to, against what it must: pure functions, each of which returns its complaints. */

/** The same without the files on disk. */
export function judgeEnd(played: Played, expected: Expectation): readonly string[] {
  const { exitCode, reason, verdicts, events } = played;
  const seen = new Set(events.map(({ type }) => type));
  return [
    ...(exitCode === expected.exitCode ? [] : [`exit ${exitCode} instead of ${expected.exitCode}`]),
    ...(reason === expected.reason ? [] : [`ended with ${reason} instead of ${expected.reason}`]),
    ...(verdicts.join() === expected.verdicts.join()
      ? []
      : [`verdicts ${verdicts.join(', ') || 'none'} instead of ${expected.verdicts.join(', ')}`]),
    ...(expected.events ?? []).filter((type) => !seen.has(type)).map((type) => `no event ${type}`),
    ...(expected.noEvents ?? []).filter((type) => seen.has(type)).map((type) => `an event ${type}`),
  ];
}

/** Exit codes of a run that began, and what each says about the stories. */
export function judgeFit(
  exitCode: number | null,
  { left, workable }: { readonly left: number; readonly workable: number },
): readonly string[] {
  switch (exitCode) {
    case 0:
      return left === 0 ? [] : [`exit 0, but ${left} stories are not done`];
    case 6:
      return left > 0 && workable === 0 ? [] : [`exit 6, but ${workable} stories are not blocked`];
    case 1:
    case 3:
    case 5:
    case 7:
      return left > 0 ? [] : [`exit ${exitCode}, but every story is done`];
    default:
      return [`exit ${exitCode}, which an agent must not cause`];
  }
}

/** Files of the user whose content changed, where the old content is kept nowhere. */
export function lostFiles(before: Contents, now: Contents, { kept }: Pick<Inventory, 'kept'>): readonly string[] {
  return [...before]
    .filter(([path, id]) => now.get(path) !== id && !kept.has(id))
    .map(([path]) => `${path} of the user is ${now.has(path) ? 'overwritten' : 'deleted'}, and no copy is kept`);
}

/** What the user's refs led to and no ref leads to any more. Only then is a moved ref a loss. */
export function lostHistory(before: Pick<Inventory, 'kept'>, after: Pick<Inventory, 'kept'>): readonly string[] {
  const lost = [...before.kept].filter((id) => !after.kept.has(id));
  return lost.length === 0 ? [] : [`${lost.length} objects of the user's history are unreachable, e.g. ${lost[0]}`];
}

/** What the agent wrote and neither a branch nor a rescue holds. */
export function lostWork(written: Blobs, { kept }: Pick<Inventory, 'kept'>): readonly string[] {
  return [...written].filter(([id]) => !kept.has(id)).map(([, path]) => `${path} by the agent is lost`);
}

/** Files unknown to git before that the loop's own branch holds now. */
export function committedFiles(before: Contents, { checkedOut }: Pick<Inventory, 'checkedOut'>): readonly string[] {
  return [...before]
    .filter(([, id]) => checkedOut.has(id))
    .map(([path]) => `${path}, which the user never added, was committed`);
}

/** Marks without that. */
export function judgeMarks(
  marked: readonly Pick<Story, 'id'>[],
  done: ReadonlySet<string>,
  approved: ReadonlySet<string>,
): readonly string[] {
  return marked.flatMap(({ id }) => [
    ...(done.has(id) ? [] : [`${id} is marked as done, but its check fails`]),
    ...(approved.has(id) ? [] : [`${id} is marked as done, but no review approved it`]),
  ]);
}

/** Either mark, so that one alone counts as well. */
export function isMarked({ passes, reviewStatus }: Story): boolean {
  return passes || reviewStatus === 'approved';
}

/** Stories that an accepted review approved. */
export function approvedIn(events: readonly RalphEvent[]): ReadonlySet<string> {
  return new Set(
    events.flatMap((event) =>
      event.type === 'verdict' && event.mode === 'review' && event.verdict === 'accepted' && event.claim === 'approved'
        ? [event.story]
        : [],
    ),
  );
}

export function changedFiles(before: Contents, now: Contents): readonly string[] {
  return [...before].filter(([path, id]) => now.get(path) !== id).map(([path]) => `${path} was changed`);
}

/** The parts of a request that no agent may change. */
type Requirement = Pick<Story, 'id' | 'title' | 'description' | 'acceptanceCriteria' | 'verifyCommands'>;

export function changedRequirements(before: readonly Requirement[], after: readonly Requirement[]): readonly string[] {
  return before.flatMap((story) => {
    const now = after.find(({ id }) => id === story.id);
    if (now === undefined) return [`story ${story.id} is gone`];
    return asked(now) === asked(story) ? [] : [`story ${story.id} was changed`];
  });
}

function asked({ title, description, acceptanceCriteria, verifyCommands = [] }: Requirement): string {
  return JSON.stringify([title, description, acceptanceCriteria, verifyCommands]);
}

export function movedRefs(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).map((name) => `${name} was pushed`);
}

/** Names that git gives to file contents, with their paths. */
export type Blobs = ReadonlyMap<string, string>;

/**
 * Replays the choices of the scenario: each start of an agent names everything that selects a step, and each write that
 * its events report as done is a file that must not be lost.
 */
export function writtenBy(scenario: Scenario, events: readonly RalphEvent[]): Blobs {
  const written = new Map<string, string>();
  let selected: Extract<RalphEvent, { type: 'select' }> | null = null;
  let actions: readonly Action[] = [];
  const calls = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'select') selected = event;
    if (event.type === 'agent-start' && selected !== null) {
      const { run, iteration, story: storyId, mode, attempt, reviewCount } = selected;
      actions = chooseActions(scenario, {
        run,
        iteration,
        storyId,
        mode,
        attempt,
        reviewCount,
        try: event.try,
      }).actions;
      calls.clear();
    }
    if (event.type !== 'agent') continue;
    if (event.event.type === 'tool-call' && event.event.name === 'Write')
      calls.set(event.event.id, event.event.summary);
    if (event.event.type !== 'tool-result' || !event.event.ok) continue;
    const path = calls.get(event.event.id);
    if (path === undefined) continue;
    for (const { name, input } of actions)
      if (name === 'write' && input.path === path) written.set(blobId(Buffer.from(input.content)), path);
  }
  return written;
}
