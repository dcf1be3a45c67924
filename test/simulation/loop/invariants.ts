import type { LedgerIteration, LedgerLine } from '../../../src/contracts/index.ts';
import { loadBacklog } from '../../../src/rules/backlog/index.ts';
import { foldRun } from '../../../src/rules/view/index.ts';
import { missingWork } from '../../support/accepted-work.ts';
import { heldLocks } from '../machine/lock.ts';
import type { Played } from './play.ts';
import { ROOT, STATE } from './project.ts';
import { reachable } from './reachable.ts';
import { broken as brokenSafeguards } from './safeguards.ts';

/** What must hold when a world has come to its end; each violation in one sentence. */
export function violations(played: Played): readonly string[] {
  const ledger = ledgerOf(played);
  if (typeof ledger === 'string') return [ledger];
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration');
  return [
    ...endings(played),
    ...lost(played),
    // Known: what an agent without isolation deletes is put back from the memory of the loop, if that lives so long.
    ...(played.hasLostLedger
      ? []
      : [...commits(played, lines), ...marks(played, ledger, lines), ...brokenSafeguards(played, ledger, lines)]),
    ...events(played),
    ...heldLocks().map((path) => `the lock is held: ${path}`),
  ];
}

function textAt({ machine }: Played, path: string): string | null {
  return machine.disk.bytesAt(path)?.toString('utf8') ?? null;
}

function ledgerOf(played: Played): readonly LedgerLine[] | string {
  const lines = (textAt(played, `${STATE}/ledger.jsonl`) ?? '').split('\n').filter((line) => line !== '');
  try {
    return lines.map((line) => JSON.parse(line) as LedgerLine);
  } catch {
    return 'the ledger has a line that is no JSON';
  }
}

/** It ends, in order, once nothing goes wrong any more. */
function endings({ lives, world }: Played): readonly string[] {
  const found: string[] = [];
  for (const [at, { ending, isUntroubled }] of lives.entries()) {
    if (ending.kind === 'stuck') found.push(`life ${at + 1} waits for nothing`);
    if (ending.kind === 'endless') found.push(`life ${at + 1} comes to no end`);
    if (ending.kind !== 'threw') continue;
    const { error } = ending;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    if (isUntroubled) found.push(`life ${at + 1} threw although nothing went wrong: ${text}\n${stackOf(error)}`);
    else if (!isExplained(error)) found.push(`life ${at + 1} threw what explains nothing: ${text}\n${stackOf(error)}`);
  }
  const last = lives.at(-1)?.ending;
  if (last?.kind === 'gone') found.push('the process was gone at the end');
  if (last?.kind === 'ended' && last.value.kind === 'between') found.push('its turns come to no end');
  if (last?.kind === 'ended' && last.value.kind === 'ended') {
    const { reason, counts } = last.value.summary;
    if (reason === 'complete' && world.request !== 'only' && counts.done < counts.total)
      found.push('it is complete, and stories are left');
    const isPlain = world.faults.length + world.people.length + world.deeds.length === 0;
    const hasRoom = world.settings.maxIterations >= 12 && world.settings.calls > 2;
    const isFree = world.settings.maxCost === null && world.settings.maxTokens === null;
    if (isPlain && hasRoom && isFree && (world.request === 'all' || world.request === 'turns') && reason !== 'complete')
      found.push(`diligent agents ended with ${reason}`);
  }
  return found;
}

/** A person can do something with it: it says what, or the system's or git's own code. */
function isExplained(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'code' in error || error.name !== 'Error'
    ? !/^(Type|Range|Reference|Syntax)Error$/.test(error.name)
    : error.message.startsWith('fatal:');
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '').split('\n').slice(1, 6).join('\n') : '';
}

/** What was there before, and what agents and people made, is in the work tree or under a ref. */
function lost(played: Played): readonly string[] {
  const there = reachable(played.repository);
  const made = [...played.users, ...played.agents.made, ...played.people.made];
  return made.filter((content) => !there.has(content)).map((content) => `lost: ${content.trim()}`);
}

/** One commit for each accepted or advanced iteration, on the branch, once; and none for others that the ledger does not name. */
function commits({ repository }: Played, lines: readonly LedgerIteration[]): readonly string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const named = new Set<string>();
  for (const line of lines) {
    const key = `${line.run} ${line.iteration}`;
    if (named.has(key)) found.push(`the ledger has iteration ${key} twice`);
    named.add(key);
  }
  const onBranch = new Set<string>();
  const inHistory = repository.objects.history(repository.headCommit);
  for (const id of inHistory) {
    const trailers = new Map(repository.objects.commits.get(id)?.trailers ?? []);
    const iteration = trailers.get('Ralph-Iteration');
    if (iteration === undefined) continue;
    const key = `${trailers.get('Ralph-Run')} ${iteration}`;
    if (seen.has(key)) found.push(`iteration ${key} has two commits`);
    if (!lines.some(({ commit }) => commit === id)) found.push(`the commit of iteration ${key} is not in the ledger`);
    seen.add(key);
    onBranch.add(id);
  }
  for (const { run, iteration, verdict, commit } of lines) {
    const isGood = verdict === 'accepted' || verdict === 'advanced';
    if (isGood && commit === null) found.push(`iteration ${run} ${iteration} is ${verdict} without a commit`);
    if (commit !== null && !onBranch.has(commit))
      found.push(`the commit of iteration ${run} ${iteration} is not on the branch`);
  }
  return found;
}

interface StoryMark {
  readonly id: string;
  readonly passes: boolean;
}

/** The backlog can be read, nobody took stories out of it, and it says of each what the ledger says. */
function marks(played: Played, ledger: readonly LedgerLine[], lines: readonly LedgerIteration[]): readonly string[] {
  const bytes = played.machine.disk.bytesAt(`${ROOT}/ralph/tasks.json`);
  if (!bytes) return ['the backlog is gone'];
  const input = {
    format: 'tasks-json' as const,
    file: 'ralph/tasks.json',
    bytes,
    reviewsFile: 'ralph/reviews.json',
    reviewsBytes: null,
  };
  const { document, problems } = loadBacklog(input);
  if (!document) return [`the backlog cannot be read: ${problems.map(({ message }) => message).join('; ')}`];
  const stories: readonly StoryMark[] = document.backlog.stories;
  const found: string[] = [];
  if (stories.length < played.world.stories) found.push('stories are missing in the backlog');
  const paths = (from: string, to: string) => played.repository.objects.changes(from, to).map(({ path }) => path);
  const done = stories.filter(({ passes }) => passes).map(({ id }) => id);
  found.push(...missingWork(done, ledger, played.repository.headCommit, paths));
  for (const { id, passes } of stories) {
    const last = lines.findLast(({ story, stateChanged }) => story === id && stateChanged);
    const isDone =
      last !== undefined && (last.state === 'approved' || last.state === 'done' || last.state === 'passed');
    const byPerson = ledger.some((line) => line.kind === 'reset' && line.story === id);
    if (byPerson) continue;
    if (passes && !isDone) found.push(`${id} passes in the backlog, and the ledger says ${last?.state ?? 'nothing'}`);
    if (!passes && isDone) found.push(`${id} is done by the ledger, and does not pass in the backlog`);
    const accepted = lines.filter(({ story, verdict }) => story === id && verdict === 'accepted').length;
    if (passes && accepted === 0) found.push(`${id} passes, and nothing was accepted`);
  }
  return found;
}

/** The log of each run folds into a view. */
function events(played: Played): readonly string[] {
  const folder = played.machine.disk.find(`${ROOT}/.ralph/runs`, true);
  if (folder?.kind !== 'dir') return [];
  const found: string[] = [];
  for (const run of folder.names.keys()) {
    const fold = foldRun(run);
    for (const [at, line] of (textAt(played, `${ROOT}/.ralph/runs/${run}/events.jsonl`) ?? '').split('\n').entries()) {
      try {
        const event = JSON.parse(line);
        if (event.type === 'log') continue;
        fold.see(event, at);
      } catch (error) {
        if (!(error instanceof SyntaxError)) found.push(`the events of ${run} do not fold: ${String(error)}`);
      }
    }
    fold.view();
  }
  return found;
}
