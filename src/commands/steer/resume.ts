import type { Steering } from '../../rules/steering/steering.ts';
import { moment } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import type { LiveRun } from '../shared/live-run.ts';
import { tellAndPrint, type Word } from './tell-run.ts';

/** `ralph resume` */
export function resume(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellAndPrint(flags, io, resumeWord);
}

/** What `ralph resume` has to say. */
export function resumeWord({ paused, stop }: Steering, { run, record }: LiveRun, at: number): Word {
  if (stop !== null) return { request: { kind: 'resume', run, at }, text: 'goes on, and does not stop' };
  if (paused)
    return { request: { kind: 'resume', run, at }, text: record?.between ? 'goes on with its next turn' : 'goes on' };
  // Whoever types this sees it stand still: for another reason, then.
  const until = record?.waiting?.until ?? null;
  return { request: null, text: until === null ? 'is not paused' : `is not paused; it waits until ${moment(until)}` };
}
