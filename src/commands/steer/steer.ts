import type { Git } from '../../adapters/git/port.ts';
import { appendSteering } from '../../adapters/workspace/records/steering-file.ts';
import { UsageError } from '../../contracts/errors.ts';
import type { RunLimits } from '../../contracts/state/run-record.ts';
import { limitsProblem } from '../../rules/steering/limit-words.ts';
import type { PendingNote } from '../../rules/steering/steering.ts';
import { moment } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine, safeLines } from '../../surfaces/terminal/sanitise.ts';
import { limitLines, limitsIn } from '../run/limit-flags.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { type LiveRun, needLiveRun, openRun } from '../shared/live-run.ts';
import { configIn, openProject } from '../shared/open.ts';
import { printJson, printLines } from '../shared/print.ts';
import { limitsNow, steeringNow } from '../status/steering-now.ts';

/** `ralph steer [TEXT]`: a note for the next prompt, new limits for the live run, or what waits to be carried. */
export async function steer(words: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const limits = limitsIn(flags);
  const changesLimits = Object.keys(limits).length > 0;
  if (words.length === 0 && !changesLimits) return listNotes(await openProject(flags, io), flags, io);
  const steered = await steerBy(flags, io, {
    text: words.length === 0 ? null : words.join(' '),
    limits: changesLimits ? limits : null,
  });
  if (steered.limits?.warning) io.stderr.write(`warning: ${steered.limits.warning}\n`);
  if (isOn(flags, 'json')) {
    const { run, note } = steered;
    printJson(io, { run, note, limits: steered.limits && { was: steered.limits.was, is: steered.limits.is } });
  } else printLines(io, steeredLines(steered));
  return 0;
}

/** What somebody wants to say: a note, limits, or both. */
interface Wish {
  readonly text: string | null;
  readonly limits: Partial<RunLimits> | null;
}

export interface Steered {
  /** The run under way; null when the note waits for the next one. */
  readonly run: string | null;
  readonly note: { readonly id: string; readonly text: string } | null;
  readonly limits: {
    readonly was: RunLimits;
    readonly is: Partial<RunLimits>;
    readonly warning: string | null;
  } | null;
}

/**
 * Leaves a note for the next prompt, and changes limits of the run under way.
 * @throws UsageError for a text that no prompt should carry, limits that cannot be, and limits without a run
 */
export async function steerBy(flags: RawFlags, io: Io, { text, limits }: Wish): Promise<Steered> {
  const problem = limits === null ? null : limitsProblem({ ...limits });
  if (problem !== null) throw new UsageError({ what: `the limits cannot be changed: ${oneLine(problem)}` });
  const git = await openProject(flags, io);
  const live = limits === null ? await openRun(git) : await needLiveRun(git);
  // The note first: it may be refused, and then nothing was changed.
  const note = text === null ? null : await leaveNote(git, text);
  const changed = live === null || limits === null ? null : await changeLimits(git, live, limits, io);
  return { run: live?.run ?? null, note, limits: changed };
}

async function leaveNote(git: Git, words: string): Promise<NonNullable<Steered['note']>> {
  const text = words.replaceAll('\r\n', '\n').trim();
  const { id } = await appendSteering(git.repo.stateDir, { kind: 'note', text, at: Date.now() });
  return { id, text };
}

async function changeLimits(
  git: Git,
  live: LiveRun,
  wanted: Partial<RunLimits>,
  io: Io,
): Promise<NonNullable<Steered['limits']>> {
  const { config } = await configIn(git, io);
  const cap = config.maxAllowedIterations;
  const capped = wanted.maxIterations !== undefined && wanted.maxIterations > cap;
  const is = capped ? { ...wanted, maxIterations: cap } : wanted;
  const was = limitsNow(live, await steeringNow(git, live, io), config);
  await appendSteering(git.repo.stateDir, { kind: 'limits', run: live.run, limits: is, at: Date.now() });
  const warning = `--max-iterations ${wanted.maxIterations} is capped at ${cap}; the setting maxAllowedIterations raises the cap`;
  return { was, is, warning: capped ? warning : null };
}

/** What was said, for the person who said it. */
export function steeredLines({ run, note, limits }: Steered): readonly string[] {
  return [
    ...(note === null ? [] : [noteLine(run)]),
    ...(limits === null ? [] : [`run ${run} has new limits:`, ...limitLines(limits.was, limits.is)]),
  ];
}

function noteLine(run: string | null): string {
  return run === null
    ? 'noted: no run is under way, so the first prompt of the next one carries it'
    : `noted: the next prompt of run ${run} carries it, once`;
}

async function listNotes(git: Git, flags: RawFlags, io: Io): Promise<number> {
  const { notes } = await steeringNow(git, null, io);
  if (isOn(flags, 'json')) printJson(io, { notes });
  else printLines(io, renderNotes(notes));
  return 0;
}

function renderNotes(notes: readonly PendingNote[]): readonly string[] {
  if (notes.length === 0)
    return ['no note waits to be carried; leave one with: ralph steer "what the agent should know"'];
  return notes.flatMap(({ at, text }) => {
    const [first = '', ...rest] = safeLines(text);
    return [`${moment(at)}  ${oneLine(first)}`, ...rest.map((line) => `                  ${line}`.trimEnd())];
  });
}
