/** What streams need of git: work trees beside each other, and merging without touching any of them. */

/** A work tree of the repository. */
export interface WorktreeEntry {
  /** Absolute. */
  readonly root: string;
  /** Its own git dir, absolute; its state is in `<gitDir>/ralph`. */
  readonly gitDir: string;
  /** Empty where there is no commit yet. */
  readonly head: string;
  /** Short name, null when detached. */
  readonly branch: string | null;
  /** The repository's original work tree. */
  readonly main: boolean;
  /** Its folder is gone. */
  readonly missing: boolean;
}

export type MergeOutcome =
  | { readonly kind: 'merged'; readonly tree: string }
  /** Paths that both sides changed. */
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

export interface WorktreeGit {
  /** Every work tree of the repository, the main one first. */
  worktrees(): Promise<readonly WorktreeEntry[]>;
  /**
   * Makes a linked work tree. With `branch` it is on that branch, which is made from `from` if missing; else it is
   * detached at `from`. A folder that git still lists but that is gone is forgotten first.
   * @throws GitRefusal when the branch is checked out elsewhere or the folder is in use
   */
  addWorktree(input: {
    readonly path: string;
    readonly branch: string | null;
    readonly from: string;
  }): Promise<{ readonly branchCreated: boolean }>;
  /** Removes a linked work tree with all its files: the caller kept what matters. Does nothing where there is none. */
  removeWorktree(path: string): Promise<void>;
  /**
   * Makes a branch; nothing is checked out. False when one of that name exists, which stays unchanged.
   * @throws GitRefusal when it cannot have that name
   */
  createBranch(branch: string, commit: string): Promise<boolean>;
  /** Commit that a branch, tag, remote branch or id names; null when there is none. */
  resolve(name: string): Promise<string | null>;
  /** Common ancestor; null when there is none. */
  mergeBase(one: string, other: string): Promise<string | null>;
  /** The subjects of `from..to`, newest first, at most `most`, and their total number. */
  commitsBetween(
    from: string,
    to: string,
    most: number,
  ): Promise<{
    readonly count: number;
    readonly commits: readonly { readonly id: string; readonly subject: string }[];
  }>;
  /** Merges two commits into a tree: touches no ref, index or file, runs no driver, filter or hook of the repository. */
  mergeTrees(ours: string, theirs: string): Promise<MergeOutcome>;
  /** A tree like `tree` but with other contents of some files (null: without it). */
  treeWith(tree: string, files: Readonly<Record<string, string | Uint8Array | null>>): Promise<string>;
  /**
   * A tree or commit with these paths as in another tree, and without those it lacks.
   * @param other `gitDir`: of the repository that has that tree; only the files of these paths are copied from it
   * @returns its tree
   */
  treeFrom(
    base: string,
    other: {
      readonly tree: string;
      readonly paths: readonly string[];
      readonly gone: readonly string[];
      readonly gitDir?: string;
    },
  ): Promise<string>;
  /** A commit object with the user's identity; touches no ref. Same input, same id. */
  commitTree(input: {
    readonly tree: string;
    readonly parents: readonly string[];
    readonly subject: string;
    readonly body: string;
    readonly trailers: readonly (readonly [string, string])[];
    /** Epoch ms. */
    readonly date: number;
    readonly sign: boolean;
  }): Promise<string>;
  /**
   * Moves a branch from `expected` to `to`, which builds on it, and with it the index and files of the work tree where
   * it is checked out. All or nothing: files that are in the way are named (`in-the-way`), uncommitted changes of other
   * files stay. A file that is in no commit of the branch is replaced when it equals what a commit of `expected..to`
   * had there: its bytes are in history then. `back`: `expected` builds on `to` instead.
   */
  advanceBranch(input: {
    readonly branch: string;
    readonly expected: string;
    readonly to: string;
    readonly back?: boolean;
  }): Promise<
    | { readonly kind: 'advanced' | 'already' | 'moved-by-someone' }
    | { readonly kind: 'in-the-way'; readonly root: string; readonly paths: readonly string[] }
  >;
  /** What `advanceBranch` would name now, without changing anything; null when nothing is in the way. */
  filesInTheWay(input: {
    readonly branch: string;
    readonly expected: string;
    readonly to: string;
  }): Promise<{ readonly root: string; readonly paths: readonly string[] } | null>;
  /** Puts this work tree, its index and HEAD (branch or detached) to a commit. Ignored files stay; all others go. */
  resetTo(commit: string): Promise<void>;
}
