import { restMs } from '../given-back.ts';
import type { Database } from './database.ts';
import { NOW } from './schema.ts';

/** A worker at whose place something is wrong leaves turns to others, longer each time in a row. */
export interface Pause {
  isOn(): boolean;
  begin(text: string): void;
  /** A turn went well. */
  end(): void;
}

export function openPause({ pool }: Database, executor: string): Pause {
  let times = 0;
  let until = 0;
  // For people who look; where the database is away, nobody can.
  const show = (ms: number, text: string) =>
    void pool
      .query(`UPDATE ralph.workers SET paused_until = ${NOW} + $2, paused_text = $3 WHERE executor = $1`, [
        executor,
        ms,
        text.replaceAll('\0', ''),
      ])
      .catch(() => undefined);
  return {
    isOn: () => performance.now() < until,
    begin(text) {
      // Turns that fail side by side fail for one reason.
      if (performance.now() < until) return;
      const ms = restMs(times++);
      until = performance.now() + ms;
      show(ms, text);
    },
    end() {
      if (times > 0) show(0, '');
      times = 0;
      until = 0;
    },
  };
}
