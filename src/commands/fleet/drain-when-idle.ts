import type { StreamStanding } from '../../contracts/streams.ts';
import type { Engine } from '../../streams/engine/port.ts';

const LOOK_EVERY_MS = 1_000;

/** Whether something will go on by itself; what waits for a person does not. */
export function isBusy({ state, until }: Pick<StreamStanding, 'state' | 'until'>): boolean {
  return state === 'ready' || state === 'working' || (state === 'later' && until !== null);
}

/** `ralph worker --once`: drains this worker as soon as no stream is left that goes on by itself. @returns what ends the looking */
export function drainWhenIdle(engine: Pick<Engine, 'status' | 'drain'>): () => void {
  let looking = false;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      if ((await engine.status()).some(isBusy)) return;
      clearInterval(timer);
      await engine.drain();
    } catch {
      // The database is away for a moment: looked at again at the next turn.
    } finally {
      looking = false;
    }
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}
