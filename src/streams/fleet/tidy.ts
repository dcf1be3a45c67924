import type { FleetGit } from '../../adapters/git/index.ts';
import { messageOf, type StreamStanding } from '../../contracts/index.ts';
import type { TakeTurn, Turn } from '../engine/port.ts';

interface TidyInput {
  readonly fleet: Pick<FleetGit, 'trees' | 'forget'>;
  readonly take: TakeTurn;
  readonly status: () => Promise<readonly StreamStanding[]>;
  /** A line for people; must not throw. */
  readonly say: (stream: string, text: string) => void;
}

/** The turns of a worker, and the removal of the work trees that they leave; none is removed while in use. */
export function tidyTurns({ fleet, take, status, say }: TidyInput) {
  const busy = new Map<string, Promise<void>>();

  function inOrder<T>(stream: string, work: () => Promise<T>): Promise<T> {
    const mine = (busy.get(stream) ?? Promise.resolve()).then(work);
    const settled = mine.then(
      () => undefined,
      () => undefined,
    );
    busy.set(stream, settled);
    void settled.then(() => busy.get(stream) === settled && busy.delete(stream));
    return mine;
  }

  return {
    /** Takes a turn, after other work in the work tree of its stream is done. */
    take: (turn: Turn) => inOrder(turn.stream, () => take(turn)),
    /**
     * Removes the work trees of ended or cancelled streams, also those that other workers ended. Never throws: what cannot be
     * removed now, because database or remote are unreachable, is removed next time.
     */
    async tidy(): Promise<void> {
      const trees = await fleet.trees().catch(() => []);
      if (trees.length === 0) return;
      const streams = await status().catch(() => []);
      const ended = new Set(streams.filter(hasEnded).map(({ stream }) => stream));
      for (const tree of trees) {
        const { stream } = tree;
        if (!ended.has(stream) || busy.has(stream)) continue;
        await inOrder(stream, () => fleet.forget(tree)).catch((error: unknown) =>
          say(stream, `its work tree is not removed yet: ${messageOf(error)}`),
        );
      }
    },
  };
}

/** A failed stream is kept for a person to examine. */
function hasEnded({ state }: StreamStanding): boolean {
  return state === 'done' || state === 'ended' || state === 'cancelled';
}
