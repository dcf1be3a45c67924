/**
 * `together`: in one sandbox with others. `alone`: in its own sandbox, which it may end. `limits`: alone too, with
 * little memory and few processes. `last`: only when every attempt before it held, since it would do harm.
 */
export type Phase = 'together' | 'alone' | 'limits' | 'last';

/** One way to get out, tried from inside. */
export interface Attempt {
  readonly id: string;
  readonly category: string;
  /** What the attempt does: `write through a symbolic link in the work tree`. */
  readonly attempt: string;
  /** Default: `together`. */
  readonly phase?: Phase;
  readonly by: 'sh' | 'node';
  /**
   * Runs inside, in the work tree, with the variables of `scene.ts`; `ID` is the attempt's id, `OUT` its own folder
   * outside the work tree with a secret in `keep.txt`. It calls `escaped WHAT` for what it sees working;
   * traces on the host are found there, independent of what the script reports (`judge.ts`). `needs PROGRAM` and `lacks WHAT` end
   * a shell script that cannot run without them.
   */
  readonly script: string;
  /** Runs afterwards in another sandbox, like the next process of a run: it must not find what `script` left. */
  readonly next?: string;
  /** Checks the host for what only this attempt can leave there, beside the general checks: what got out, or null. */
  readonly check?: (traces: Traces) => Promise<string | null>;
}

export interface Heard {
  /** Where it arrived: `a TCP port of this machine`. */
  readonly where: string;
  readonly text: string;
}

export interface Traces {
  readonly id: string;
  readonly work: string;
  /** The user's home folder, which nothing inside may have written to. */
  readonly home: string;
  /** Everything that the stand-in for an allowed host received. */
  readonly allowed: readonly Heard[];
  /** Whether agents get stand-ins for the keys of their providers. */
  readonly lends: boolean;
  /** The key of the agent's provider. */
  readonly key: string;
  /** What the agent's provider received, another agent's provider, and everything else. */
  readonly provider: readonly Heard[];
  readonly otherProvider: readonly Heard[];
  readonly elsewhere: readonly Heard[];
  /** What changed in the git dir of the work tree, apart from ralph's own state; null when nothing did. */
  gitChange(): Promise<string | null>;
}

/**
 * The attempt on a task of the lab, `task/` in the work tree. What came after it is in the repository `person/` of the
 * attempt's folder: a commit with its secret.
 */
export const TASK_FUTURE = 'task-future';

export type Uncategorized = Omit<Attempt, 'category'>;

/** A row of the table: id, attempt and options, then the script as a template, in which a backslash is a backslash. */
const by =
  (program: Attempt['by']) =>
  (id: string, attempt: string, options: Pick<Attempt, 'phase' | 'next' | 'check'> = {}) =>
  (...script: Parameters<typeof String.raw>): Uncategorized => ({
    ...{ id, attempt, ...options },
    by: program,
    script: String.raw(...script),
  });

export const sh = by('sh');
export const node = by('node');

export interface AttemptResult {
  /** False: the attempt proves nothing, and did not hold. */
  readonly tried: boolean;
  readonly held: boolean;
  /** What got out; what stopped the attempt, in its own words; or why it was not tried. */
  readonly detail: string;
  /** What the attempt needs and this machine lacks. */
  readonly lacks?: string;
}

/** Does it speak against a sandbox? An attempt that was not tried does too, unless a program was missing. */
export function isAgainst({ held, lacks }: AttemptResult): boolean {
  return !held && lacks === undefined;
}
