import { appendSteering, type SteeringRequest } from '../../adapters/workspace/index.ts';
import type { Steering } from '../../rules/steering/index.ts';
import { moment } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { type LiveRun, needLiveRun, steeringNow } from '../shared/live-run.ts';
import { openProject } from '../shared/open.ts';
import { printResult } from '../shared/print.ts';

interface Word {
  /** null when it was made before. */
  readonly request: Extract<SteeringRequest, { kind: 'pause' | 'resume' | 'stop' }> | null;
  /** For the person, without the name of the run in front. */
  readonly text: string;
}

/** Chooses the request for a run by its current state; `at` is epoch ms. */
type ChooseWord = (steering: Steering, live: LiveRun, at: number) => Word;

/**
 * Sends one request to the active run, unless it was sent already.
 * @returns `changed`: false when the run had got the same request before
 * @throws UsageError when no run is active
 */
export async function tellRun(flags: RawFlags, io: Io, choose: ChooseWord) {
  const git = await openProject(flags, io);
  const live = await needLiveRun(git);
  const { request, text } = choose(await steeringNow(git, live, io), live, Date.now());
  if (request !== null) await appendSteering(git.repo.stateDir, request);
  return { run: live.run, changed: request !== null, text };
}

export function toldText({ run, text }: { readonly run: string; readonly text: string }): string {
  return `run ${run} ${text}`;
}

async function tellAndPrint(flags: RawFlags, io: Io, choose: ChooseWord): Promise<number> {
  const told = await tellRun(flags, io, choose);
  return printResult(io, flags, told, [toldText(told)]);
}

export function pause(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellAndPrint(flags, io, pauseWord);
}

export function pauseWord({ paused, stop }: Steering, { run, record }: LiveRun, at: number): Word {
  if (stop !== null)
    return { request: null, text: 'does not pause: it was asked to stop; `ralph resume` cancels that' };
  if (paused) {
    const waits = record?.waiting?.why === 'pause' || record?.between;
    return { request: null, text: waits ? 'is already paused' : 'was already asked to pause after this iteration' };
  }
  const request = { kind: 'pause', run, at } as const;
  return { request, text: 'pauses before its next iteration; continue with: ralph resume' };
}

export function resume(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellAndPrint(flags, io, resumeWord);
}

export function resumeWord({ paused, stop }: Steering, { run, record }: LiveRun, at: number): Word {
  if (stop !== null) return { request: { kind: 'resume', run, at }, text: 'continues, and does not stop' };
  if (paused)
    return {
      request: { kind: 'resume', run, at },
      text: record?.between ? 'continues with its next turn' : 'continues',
    };
  // A user who types this sees the run idle: it waits for another reason, then.
  const until = record?.waiting?.until ?? null;
  return { request: null, text: until === null ? 'is not paused' : `is not paused; it waits until ${moment(until)}` };
}

export function stop(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellAndPrint(flags, io, stopWord(isOn(flags, 'now')));
}

/** The request of `ralph stop`; `now` does not wait for the agent. */
export function stopWord(now: boolean): ChooseWord {
  return ({ stop: asked }, { run, record }, at) => {
    if (asked === 'now') return { request: null, text: 'was already asked to stop now' };
    if (asked !== null && record?.between)
      return { request: null, text: 'was already asked to stop: it ends with its next turn' };
    if (asked !== null && !now)
      return { request: null, text: 'was already asked to stop after this iteration; at once: ralph stop --now' };
    const request = { kind: 'stop', run, now, at } as const;
    // The process that takes its next turn reads it.
    if (record?.between) return { request, text: 'ends with its next turn: nothing is running now' };
    if (record?.waiting) return { request, text: 'ends: it was waiting, and nothing was running' };
    if (now) return { request, text: "stops now; the agent's work of this iteration is kept in a rescue" };
    return { request, text: 'stops after this iteration; at once: ralph stop --now' };
  };
}
