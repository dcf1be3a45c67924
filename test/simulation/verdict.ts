/** What came of one world. */
export interface Verdict {
  /** What must never happen, and did. */
  readonly violations: readonly string[];
  /** A fold of everything that happened: the same for the same world. */
  readonly trace: string;
  /** How it ended, in one word, for the tally. */
  readonly ended: string;
  /** The last things that happened, oldest first. */
  readonly story: readonly string[];
}
