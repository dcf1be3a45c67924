import type { Io } from '../../surfaces/terminal/io.ts';
import { isOn, type RawFlags } from '../shared/flags.ts';
import { type ChooseWord, tellAndPrint } from './tell-run.ts';

/** `ralph stop [--now]` */
export function stop(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  return tellAndPrint(flags, io, stopWord(isOn(flags, 'now')));
}

/** What `ralph stop` has to say; `now` does not wait for the agent. */
export function stopWord(now: boolean): ChooseWord {
  return ({ stop: asked }, { run, record }, at) => {
    if (asked === 'now') return { request: null, text: 'is already asked to stop now' };
    if (asked !== null && record?.between)
      return { request: null, text: 'is already asked to stop: it ends with its next turn' };
    if (asked !== null && !now)
      return { request: null, text: 'is already asked to stop after this iteration; at once: ralph stop --now' };
    const request = { kind: 'stop', run, now, at } as const;
    // Whoever takes its next turn hears it.
    if (record?.between) return { request, text: 'ends with its next turn: nothing is under way now' };
    if (record?.waiting) return { request, text: 'ends: it waits, and nothing is under way' };
    if (now) return { request, text: "stops now; the agent's work of this iteration is kept in a rescue" };
    return { request, text: 'stops after this iteration; at once: ralph stop --now' };
  };
}
