/**
 * What an exit code tells about the test runs in a command. Runs are known by their number.
 * `a && b`, pipes, `|| true` and `; echo done` decide whose status it is.
 */
export interface Meaning {
  /** Runs that succeeded for certain when the code is 0. */
  readonly proves: ReadonlySet<number>;
  /** Runs that may be to blame when it is not 0. */
  readonly blames: ReadonlySet<number>;
  /** Something else may be to blame: a build before the tests, a linter after them. */
  readonly others: boolean;
  /** `!` stands before it: 0 means failed. */
  readonly inverted: boolean;
}

const NONE: ReadonlySet<number> = new Set();

/** Tells nothing about any run. */
export const MASKED: Meaning = { proves: NONE, blames: NONE, others: false, inverted: false };
/** The status of another program. */
export const OTHER: Meaning = { ...MASKED, others: true };

/** The status of a run itself. */
export function ofRun(run: number): Meaning {
  return { ...MASKED, proves: new Set([run]), blames: new Set([run]) };
}

/** 0 only when both are: `a && b`, `set -e`, `pipefail`. */
export function both(a: Meaning, b: Meaning): Meaning {
  if (a.inverted || b.inverted) return { ...OTHER, blames: union(a.blames, b.blames) };
  return {
    proves: union(a.proves, b.proves),
    blames: union(a.blames, b.blames),
    others: a.others || b.others,
    inverted: false,
  };
}

/** 0 when one of them is: it proves only what both prove. */
export function either(a: Meaning, b: Meaning): Meaning {
  return {
    proves: new Set([...a.proves].filter((run) => b.proves.has(run))),
    blames: union(a.blames, b.blames),
    others: a.others || b.others,
    inverted: false,
  };
}

export function inverse(a: Meaning): Meaning {
  return { ...a, inverted: !a.inverted };
}

/** Does it say anything of any run? */
export function tells(meaning: Meaning): boolean {
  return meaning.proves.size + meaning.blames.size > 0;
}

function union(a: ReadonlySet<number>, b: ReadonlySet<number>): ReadonlySet<number> {
  return b.size === 0 ? a : new Set([...a, ...b]);
}
