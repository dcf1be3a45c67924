import type { Git } from '../adapters/git/port.ts';
import { appendSteering } from '../adapters/workspace/steering-file.ts';
import type { RunLimits } from '../contracts/state.ts';
import type { PendingNote } from '../rules/steering/steering.ts';
import { moment } from '../surfaces/terminal/format.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { oneLine, safeLines } from '../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from './flags.ts';
import { limitLines, limitsIn } from './limit-flags.ts';
import { type LiveRun, liveRun, needLiveRun } from './live-run.ts';
import { configIn, openProject } from './open.ts';
import { printJson, printLines } from './print.ts';
import { limitsNow, steeringNow } from './steering-now.ts';

/** `ralph steer [TEXT]`: a note for the next prompt, new limits for the live run, or what waits to be carried. */
export async function steer(words: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const text = words.join(' ').replaceAll('\r\n', '\n').trim();
  const limits = limitsIn(flags);
  const git = await openProject(flags, io);
  const changesLimits = Object.keys(limits).length > 0;
  if (words.length === 0 && !changesLimits) return listNotes(git, flags, io);
  const live = changesLimits ? await needLiveRun(git) : await liveRun(git);
  // The note first: it may be refused, and then nothing was changed.
  const note =
    words.length === 0 ? null : await appendSteering(git.repo.stateDir, { kind: 'note', text, at: Date.now() });
  const changed = live !== null && changesLimits ? await changeLimits(git, live, limits, io) : null;
  if (isOn(flags, 'json')) {
    printJson(io, { run: live?.run ?? null, note: note && { id: note.id, text }, limits: changed });
    return 0;
  }
  printLines(io, [
    ...(note === null ? [] : [noteLine(live)]),
    ...(changed === null ? [] : [`run ${live?.run} has new limits:`, ...limitLines(changed.was, changed.is)]),
  ]);
  return 0;
}

function noteLine(live: LiveRun | null): string {
  return live === null
    ? 'noted: no run is under way, so the first prompt of the next one carries it'
    : `noted: the next prompt of run ${live.run} carries it, once`;
}

async function changeLimits(
  git: Git,
  live: LiveRun,
  wanted: Partial<RunLimits>,
  io: Io,
): Promise<{ readonly was: RunLimits; readonly is: Partial<RunLimits> }> {
  const { config } = await configIn(git, io);
  const cap = config.maxAllowedIterations;
  const capped = wanted.maxIterations !== undefined && wanted.maxIterations > cap;
  if (capped)
    io.stderr.write(
      `warning: --max-iterations ${wanted.maxIterations} is capped at ${cap}; the setting maxAllowedIterations raises the cap\n`,
    );
  const is = capped ? { ...wanted, maxIterations: cap } : wanted;
  const was = limitsNow(live, await steeringNow(git, live, io), config);
  await appendSteering(git.repo.stateDir, { kind: 'limits', run: live.run, limits: is, at: Date.now() });
  return { was, is };
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
