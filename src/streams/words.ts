import { stat } from '../platform/files/files.ts';
import type { Engine } from './engine/port.ts';

const LOOK_EVERY_MS = 1_000;

/**
 * Listens for what people say to streams that rest: they resume or stop one, answer, change a limit. Such a stream takes
 * a turn at once, which hears it.
 * @param stateDirOf where the steering of a stream is; null while it has no work tree
 * @returns what ends that
 */
export function listenForWords(engine: Engine, stateDirOf: (stream: string) => string | null): () => void {
  const seen = new Map<string, string>();
  let looking = false;

  async function look(): Promise<void> {
    for (const { stream, state } of await engine.status()) {
      const stateDir = stateDirOf(stream);
      if (stateDir === null) continue;
      const now = await sizeOfSteering(stateDir);
      const before = seen.get(stream);
      seen.set(stream, now);
      if (state !== 'later' || before === undefined || before === now) continue;
      await engine.retry(stream);
    }
  }

  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    void look().finally(() => {
      looking = false;
    });
  }, LOOK_EVERY_MS);
  return () => clearInterval(timer);
}

/** People only append to it. */
async function sizeOfSteering(stateDir: string): Promise<string> {
  const found = await stat(`${stateDir}/steering.jsonl`).catch(() => null);
  return found === null ? '' : String(found.size);
}
