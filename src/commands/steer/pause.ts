import type { Steering } from '../../rules/steering/steering.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import type { RawFlags } from '../shared/flags.ts';
import type { LiveRun } from '../shared/live-run.ts';
import { tellAndPrint, type Word } from './tell-run.ts';

/** `ralph pause` */
export function pause(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellAndPrint(flags, io, pauseWord);
}

/** What `ralph pause` has to say. */
export function pauseWord({ paused, stop }: Steering, { run, record }: LiveRun, at: number): Word {
  if (stop !== null)
    return { request: null, text: 'does not pause: it was asked to stop; ralph resume takes that back' };
  if (paused) {
    const waits = record?.waiting?.why === 'pause' || record?.between;
    return { request: null, text: waits ? 'is already paused' : 'is already asked to pause after this iteration' };
  }
  const request = { kind: 'pause', run, at } as const;
  return { request, text: 'pauses before its next iteration; go on with: ralph resume' };
}
