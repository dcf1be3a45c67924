import { shortLine } from '../printable.ts';

/** A story that is called finished although nothing was changed for it: what shows that it was done before. */
export interface ShownDone {
  /** As the agent said it: commits, tests or files. */
  readonly evidence: readonly string[];
  /** What of it does not exist. */
  readonly missing: readonly string[];
}

/** What a piece of evidence may mean. */
export interface Cited {
  /** Possible paths, the most literal first: `test/a.test.ts:12`, then `test/a.test.ts`. */
  readonly paths: readonly string[];
  /** The name of a commit, as far as it looks like one. */
  readonly commit: string | null;
}

/** Where a path ends in `src/a.ts:12`, `test/a.test.ts::says hello`, `src/a.ts (the parser)`. */
const AFTER_PATH = /:|#|\(| > |\s/;

/** Git gives up over these instead of saying that there is no such file. */
const OUTSIDE = /^\/|(?:^|\/)\.\.(?:\/|$)|\0/;

/** Reads a piece of evidence: a file or a test, with what is said after its path, or a commit. */
export function citedBy(evidence: string): Cited {
  const plain = evidence.replace(/[`'"]/g, '').trim();
  const [short = ''] = plain.split(AFTER_PATH);
  const paths = [plain, short.trim()].map((path) => path.replace(/^\.\//, '').replace(/[.,]$/, ''));
  const commit = /^(?:commit )?([0-9a-f]{7,64})\b/.exec(plain)?.[1] ?? null;
  return { paths: [...new Set(paths)].filter((path) => path !== '' && !OUTSIDE.test(path)), commit };
}

/** Why it is not taken to be done already, for the agent and for people; null when a review may decide. */
export function whyNotShown(shown: ShownDone | null, skipReview: boolean): string | null {
  if (skipReview) return 'without a review nothing can show that it was done before';
  if (shown === null || shown.evidence.length === 0) return 'no evidence says that it was done before';
  const [first] = shown.missing;
  if (first === undefined) return null;
  return `its evidence is neither a file nor a commit from before: ${shortLine(first, 120)}`;
}
