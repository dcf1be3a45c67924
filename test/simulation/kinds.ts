import type * as fc from 'fast-check';
import { violations } from './loop/invariants.ts';
import { play } from './loop/play.ts';
import { worlds } from './loop/world.ts';
import { fleets, playFleet } from './streams/fleet.ts';
import { playStreams } from './streams/play.ts';
import { streamWorlds } from './streams/world.ts';
import type { Verdict } from './verdict.ts';

/** One kind of simulation: descriptions of worlds, and what plays one through. */
export interface Kind<World = unknown> {
  readonly worlds: fc.Arbitrary<World>;
  /** Share of the runs. */
  readonly weight: number;
  readonly play: (world: World) => Promise<Verdict>;
}

const loop: Kind<Parameters<typeof play>[0]> = {
  worlds,
  weight: 7,
  async play(world) {
    const played = await play(world);
    const last = played.lives.at(-1)?.ending;
    const ended =
      last?.kind === 'ended' && last.value.kind === 'ended' ? last.value.summary.reason : (last?.kind ?? 'nothing');
    const { machine } = played;
    return { violations: violations(played), trace: machine.trace.toString(16), ended, story: machine.last };
  },
};

const streams = { worlds: streamWorlds, weight: 10, play: playStreams };
const scheduler = { worlds: fleets, weight: 3, play: playFleet };

export const KINDS = { loop, streams, scheduler } as unknown as Readonly<Record<string, Kind>>;
