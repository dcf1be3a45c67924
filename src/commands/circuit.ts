import { appendLedger, appendSteering, readLedger } from '../adapters/workspace/index.ts';
import { type CircuitSettings, LEDGER_VERSION } from '../contracts/index.ts';
import { type Breaker, breakerOf, type Rate, rateOf } from '../rules/safeguards/index.ts';
import { BREAKER_TONE, elapsed, moment, oneLine } from '../rules/text/index.ts';
import { type Io, type Paint, paintFor } from '../surfaces/terminal/index.ts';
import type { RawFlags } from './shared/flags.ts';
import { limitsNow, liveRun, steeringNow } from './shared/live-run.ts';
import { configOf, openProject, withRunLock } from './shared/open.ts';
import { printResult } from './shared/print.ts';

export async function circuitStatus(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const [{ config }, live, ledger] = await Promise.all([
    configOf(git, io),
    liveRun(git),
    readLedger(git.repo.stateDir),
  ]);
  const { calls: limit } = limitsNow(live, await steeringNow(git, live, io), config);
  const { circuit: thresholds } = config;
  const breaker = breakerOf(ledger, thresholds);
  const calls = rateOf({ ledger, now: Date.now(), limit });
  const lines = renderCircuit(breaker, thresholds, calls, paintFor(io));
  return printResult(io, flags, { ...breaker, thresholds, calls }, lines);
}

function renderCircuit(
  { state, reason, evidence, fix, since, badInRow }: Breaker,
  thresholds: CircuitSettings,
  calls: Rate,
  paint: Paint,
): readonly string[] {
  const row = (label: string, text: string) => `${paint('dim', label.padEnd(10))}${text}`;
  const rows = (label: string, texts: readonly string[]) =>
    texts.map((text, i) => row(i === 0 ? label : '', oneLine(text)));
  return [
    row('breaker', `${paint(BREAKER_TONE[state], state)}${since === null ? '' : ` since ${moment(since)}`}`),
    ...rows('reason', reason === '' ? [] : [reason]),
    ...rows('evidence', evidence),
    ...rows('fix', fix),
    ...(state === 'closed' && badInRow > 0 ? [row('bad', `${badInRow} in a row`)] : []),
    ...rows('opens at', thresholdTexts(thresholds)),
    row(
      'calls',
      `${calls.used} of ${calls.limit} in the last hour${calls.freeAt === null ? '' : `; the next one at ${moment(calls.freeAt)}`}`,
    ),
  ];
}

function thresholdTexts({ noProgress, sameError, outputDecline, cooldownMs }: CircuitSettings): readonly string[] {
  return [
    `${noProgress} bad iterations in a row · the same error ${sameError} times`,
    `half-open one step earlier, or when the output drops by more than ${outputDecline} %`,
    cooldownMs === null
      ? 'once open, only you can close it'
      : `once open, one iteration may try again after ${elapsed(cooldownMs)}`,
  ];
}

export async function resetCircuit(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const closed = await closeCircuit(flags, io);
  const { was, run } = closed;
  const asked = was === 'closed' ? null : run;
  const data = run === null ? { state: 'closed', was } : { state: was, was, asked };
  return printResult(io, flags, data, [closedText(closed)]);
}

/**
 * Closes the breaker: at once, or, when a run is active, through that run before its next iteration.
 * @returns `run`: the one that will close it before its next iteration; null when it was closed at once
 * @throws LockedError (exit 4) while another command is at work here
 */
export async function closeCircuit(flags: RawFlags, io: Io) {
  const git = await openProject(flags, io);
  const { config } = await configOf(git, io);
  const { stateDir } = git.repo;
  const live = await liveRun(git);
  if (live !== null) {
    // A run holds the ledger for its whole life, so it has to record the change itself.
    const { state } = breakerOf(await readLedger(stateDir), config.circuit);
    if (state !== 'closed') await appendSteering(stateDir, { kind: 'circuit-reset', at: Date.now() });
    return { was: state, run: live.run };
  }
  const was = await withRunLock(stateDir, 'ralph circuit reset', async () => {
    const { state } = breakerOf(await readLedger(stateDir), config.circuit);
    if (state !== 'closed')
      await appendLedger(stateDir, { version: LEDGER_VERSION, kind: 'circuit-reset', at: Date.now() });
    return state;
  });
  return { was, run: null };
}

export function closedText({ was, run }: Awaited<ReturnType<typeof closeCircuit>>): string {
  if (was === 'closed') return 'the circuit breaker is already closed; nothing to reset';
  return run === null
    ? `the circuit breaker was ${was} and is closed now; continue with: ralph run`
    : `the circuit breaker is ${was}; run ${run} closes it before its next iteration`;
}
