/**
 * Thrown by whoever takes a turn when the turn is not to blame: its place is (no agent, a full disk, a remote that is
 * away), or somebody was faster. It costs no attempt. The stream rests for a moment, and is then free for
 * whoever is well.
 */
export class GivenBack extends Error {
  /** Nothing would go better here: this worker had better leave turns to others for a while. */
  readonly here: boolean;

  /** @param message why, for people */
  constructor(message: string, here: boolean) {
    super(message);
    this.name = 'GivenBack';
    this.here = here;
  }
}

const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 5 * 60_000;

/** How long a rest is, milliseconds. @param before how many came before it in a row */
export function restMs(before: number): number {
  return Math.min(FIRST_REST_MS * 2 ** Math.min(before, 20), LONGEST_REST_MS);
}
