/** Events on their way to a plugin that may be slower than the run. */
export interface EventFeed {
  /** Sends an event, or drops it while too many are on their way. Never waits. */
  offer(json: string): void;
  /** The oldest one was dealt with. */
  seen(): void;
  /** Resolves once all are dealt with, or after `limitMs`. */
  drained(limitMs: number): Promise<void>;
  /** How many were dropped, or are not dealt with yet. */
  missed(): number;
  close(): void;
}

const MOST_EVENTS = 10_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** @param onStuck nothing was dealt with for `limitMs` although something was on its way */
export function eventFeed({
  send,
  onStuck,
  limitMs,
}: {
  readonly send: (json: string) => void;
  readonly onStuck: () => void;
  readonly limitMs: number;
}): EventFeed {
  const lengths: number[] = [];
  let underWay = 0;
  let dropped = 0;
  let dealtWith = 0;
  let timer: NodeJS.Timeout | null = null;
  let onDrained = () => {};

  function look(): void {
    const before = dealtWith;
    // A loop that was busy for so long finds the answers behind its timers.
    setImmediate(() => {
      if (timer !== null && dealtWith === before && lengths.length > 0) onStuck();
    });
  }
  function stopClock(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  return {
    offer(json) {
      if (lengths.length >= MOST_EVENTS || underWay + json.length > MOST_CHARACTERS) {
        dropped += 1;
        return;
      }
      lengths.push(json.length);
      underWay += json.length;
      timer ??= setTimeout(look, limitMs);
      send(json);
    },
    seen() {
      dealtWith += 1;
      underWay -= lengths.shift() ?? 0;
      if (lengths.length > 0) timer?.refresh();
      else {
        stopClock();
        onDrained();
      }
    },
    async drained(patienceMs) {
      if (lengths.length === 0) return;
      await new Promise<void>((resolve) => {
        const patience = setTimeout(resolve, patienceMs);
        onDrained = () => {
          clearTimeout(patience);
          resolve();
        };
      });
    },
    missed: () => dropped + lengths.length,
    close() {
      stopClock();
      onDrained();
    },
  };
}
