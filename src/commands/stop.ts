import type { Steering } from '../rules/steering/steering.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from './flags.ts';
import type { LiveRun } from './live-run.ts';
import { tellRun, type Word } from './tell-run.ts';

/** `ralph stop [--now]` */
export function stop(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellRun(flags, io, (steering, live, at) => stopWord(steering, live, at, isOn(flags, 'now')));
}

function stopWord({ stop: asked }: Steering, { run, record }: LiveRun, at: number, now: boolean): Word {
  if (asked === 'now') return { request: null, text: 'is already asked to stop now' };
  if (asked !== null && !now)
    return { request: null, text: 'is already asked to stop after this iteration; at once: ralph stop --now' };
  const request = { kind: 'stop', run, now, at } as const;
  if (record?.waiting) return { request, text: 'ends: it waits, and nothing is under way' };
  if (now) return { request, text: "stops now; the agent's work of this iteration is kept in a rescue" };
  return { request, text: 'stops after this iteration; at once: ralph stop --now' };
}
