import type { Git } from '../../adapters/git/index.ts';
import { appendSteering } from '../../adapters/workspace/index.ts';
import { type RunLimits, UsageError } from '../../contracts/index.ts';
import { LIMIT_NAMES, limitAmount, limitsProblem, limitText, type PendingNote } from '../../rules/steering/index.ts';
import { moment, oneLine, safeLines } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { durationOf } from '../run/flags.ts';
import { badValue, countOf, dollarsOf, type RawFlags, textOf } from '../shared/flags.ts';
import { type LiveRun, limitsNow, needLiveRun, openRun, steeringNow } from '../shared/live-run.ts';
import { configOf, openProject } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';
import { openBacklog, storyById } from '../stories/list.ts';

/** `ralph steer [TEXT]`: a note for the next prompt, new limits for the live run, or a list of what is pending. */
export async function steer(words: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const limits = limitsIn(flags);
  const changesLimits = Object.keys(limits).length > 0;
  if (words.length === 0 && !changesLimits) return listNotes(await openProject(flags, io), flags, io);
  const story = textOf(flags, 'story');
  if (story !== undefined && words.length === 0) throw new UsageError({ what: '--story needs a note' });
  const steered = await steerBy(flags, io, {
    text: words.length === 0 ? null : words.join(' '),
    story: story === undefined ? null : storyById((await openBacklog(flags, io)).document, story).id,
    limits: changesLimits ? limits : null,
  });
  if (steered.limits?.warning) io.stderr.write(`warning: ${steered.limits.warning}\n`);
  const changed = steered.limits && { was: steered.limits.was, is: steered.limits.is };
  return printResult(io, flags, { run: steered.run, note: steered.note, limits: changed }, steeredLines(steered));
}

interface Wish {
  readonly text: string | null;
  /** The story that the note is about; null for the next prompt of any. */
  readonly story?: string | null;
  readonly limits: Partial<RunLimits> | null;
}

/**
 * Leaves a note for the next prompt, and changes limits of the active run.
 * @returns `run`: the active one; null when the note waits for the next one
 * @throws UsageError for a text that no prompt should include, invalid limits, and limits without a run
 */
export async function steerBy(flags: RawFlags, io: Io, { text, story = null, limits }: Wish) {
  const problem = limits === null ? null : limitsProblem({ ...limits });
  if (problem !== null) throw new UsageError({ what: `the limits cannot be changed: ${oneLine(problem)}` });
  const git = await openProject(flags, io);
  const live = limits === null ? await openRun(git) : await needLiveRun(git);
  // The note first: if it is refused, nothing has been changed.
  const note = text === null ? null : await leaveNote(git, text, story);
  const changed = live === null || limits === null ? null : await changeLimits(git, live, limits, io);
  return { run: live?.run ?? null, note, limits: changed };
}

async function leaveNote(git: Git, words: string, story: string | null) {
  const text = words.replaceAll('\r\n', '\n').trim();
  const { id } = await appendSteering(git.repo.stateDir, {
    ...{ kind: 'note', text, at: Date.now() },
    ...(story !== null && { story }),
  });
  return { id, text, ...(story !== null && { story }) };
}

async function changeLimits(git: Git, live: LiveRun, wanted: Partial<RunLimits>, io: Io) {
  const { config } = await configOf(git, io);
  const cap = config.maxAllowedIterations;
  const capped = wanted.maxIterations !== undefined && wanted.maxIterations > cap;
  const is = capped ? { ...wanted, maxIterations: cap } : wanted;
  const was = limitsNow(live, await steeringNow(git, live, io), config);
  await appendSteering(git.repo.stateDir, { kind: 'limits', run: live.run, limits: is, at: Date.now() });
  const warning = `--max-iterations ${wanted.maxIterations} is capped at ${cap}; the setting maxAllowedIterations raises the cap`;
  return { was, is, warning: capped ? warning : null };
}

export function steeredLines({ run, note, limits }: Awaited<ReturnType<typeof steerBy>>): readonly string[] {
  return [
    ...(note === null ? [] : [noteLine(run, note.story)]),
    ...(limits === null ? [] : [`run ${run} has new limits:`, ...limitLines(limits.was, limits.is)]),
  ];
}

function noteLine(run: string | null, story?: string): string {
  if (story !== undefined) return `noted: the next prompt about ${oneLine(story)} contains it, once`;
  return run === null
    ? 'noted: no run is active, so the first prompt of the next one contains it'
    : `noted: the next prompt of run ${run} contains it, once`;
}

async function listNotes(git: Git, flags: RawFlags, io: Io): Promise<number> {
  const { notes } = await steeringNow(git, null, io);
  return printResult(io, flags, { notes }, renderNotes(notes));
}

function renderNotes(notes: readonly PendingNote[]): readonly string[] {
  if (notes.length === 0) return ['no notes; leave one with: ralph steer "what the agent should know"'];
  return notes.flatMap(({ at, text, story }) => {
    const [first = '', ...rest] = safeLines(text);
    const about = story === undefined ? '' : `${oneLine(story)}: `;
    return [`${moment(at)}  ${about}${oneLine(first)}`, ...rest.map((line) => `                  ${line}`.trimEnd())];
  });
}

type ReadFlag = (flags: RawFlags, name: string) => number | undefined;

/** Names in camel case, as commander hands them over. */
const FLAGS: Readonly<Record<keyof RunLimits, readonly [name: string, read: ReadFlag]>> = {
  maxIterations: ['maxIterations', countOf],
  calls: ['calls', countOf],
  maxCost: ['maxCost', dollarsOf],
  maxTokens: ['maxTokens', countOf],
  maxDurationMs: ['maxDuration', timeOf],
  storyMaxCost: ['storyMaxCost', dollarsOf],
  storyMaxAttempts: ['storyMaxAttempts', countOf],
};

/** The limits that the command line names. @throws UsageError for a value that a flag does not take */
function limitsIn(flags: RawFlags): Partial<RunLimits> {
  const entries = LIMIT_NAMES.flatMap((limit) => {
    const [name, read] = FLAGS[limit];
    const value = read(flags, name);
    return value === undefined ? [] : [[limit, value]];
  });
  return Object.fromEntries(entries);
}

function limitLines(was: RunLimits, changed: Partial<RunLimits>): readonly string[] {
  return LIMIT_NAMES.flatMap((limit) => {
    const value = changed[limit];
    if (value === undefined) return [];
    return [`  ${limitText(limit, value)} (was ${limitAmount(limit, was[limit])})`];
  });
}

function timeOf(flags: RawFlags, name: string): number | undefined {
  const ms = durationOf(flags, name);
  if (ms === 0) throw badValue(name, textOf(flags, name) ?? '', 'a duration above 0, e.g. 2h');
  return ms;
}
