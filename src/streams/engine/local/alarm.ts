/** The longest that a timer of Node's can wait, milliseconds. */
const LONGEST_MS = 2 ** 31 - 1;

/** Something to wait at: for a moment, or until somebody rings. */
export interface Alarm {
  /** Ends the wait that is under way, else the next one: no ring is lost. */
  ring(): void;
  /** @param at epoch ms; null: until it rings. It may end early. */
  until(at: number | null): Promise<void>;
}

export function alarm(): Alarm {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async until(at) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const ms = at === null ? null : Math.min(LONGEST_MS, Math.max(0, at - Date.now()));
          const timer = ms === null ? undefined : setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = null;
      rung = false;
    },
  };
}
