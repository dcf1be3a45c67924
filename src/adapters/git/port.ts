import type { OutputFile } from '../../platform/index.ts';
import type { Env } from './environment.ts';
import type { WorktreeGit } from './worktrees/port.ts';

/** What the loop needs of git. Implemented in this folder; nothing outside it runs git. All paths in results are relative to the work tree, `/`-separated. */

export interface Repo {
  /** Absolute, symlinks resolved. */
  readonly root: string;
  /** This work tree's own git dir (differs per linked worktree). */
  readonly gitDir: string;
  readonly commonDir: string;
  /** `<gitDir>/ralph`: journal, ledger, lock, shadow git dir. */
  readonly stateDir: string;
}

/** The exact state before an iteration; plain data, because it goes into the journal. */
export interface Checkpoint {
  readonly head: string;
  /** Full name of the checked-out branch, null when detached. */
  readonly branch: string | null;
  /** Tree of every non-ignored file of the work tree (T0), in the object database, kept alive by a ref. */
  readonly tree: string;
  /** Path of the byte copy of the user's index (absolute), null when there was none. */
  readonly index: string | null;
  /** Modes git cannot express: path → octal permission bits. */
  readonly modes: readonly (readonly [string, number])[];
  readonly emptyDirs: readonly string[];
  /** Every ref outside refs/ralph with its value, to detect those that the agent moved. */
  readonly refs: Readonly<Record<string, string>>;
  /** Size of the log of HEAD in bytes; absent in checkpoints of earlier versions. */
  readonly headLog?: number;
  /**
   * The agent works on its own git dir: HEAD, index and operations under way in the real one are the person's, and are
   * neither put back nor cleared.
   */
  readonly sealed?: true;
}

/** An entry of the log of HEAD. */
export interface HeadMove {
  readonly from: string;
  readonly to: string;
  readonly message: string;
  /** An agent is recognised by its mark. One that hid it counts as a person, so that the loop only stands aside. */
  readonly by: 'person' | 'agent' | 'loop';
}

/** An action of a person in the git dir since a checkpoint that the loop has to yield to. */
export type UserIntervention =
  /** Under way: the file that shows it, and the commands that end it. */
  | { readonly kind: 'operation'; readonly name: string; readonly file: string; readonly ways: readonly string[] }
  /** HEAD is on another branch; `to` null: detached. Full name. */
  | { readonly kind: 'switched'; readonly to: string | null }
  /** The branch (or the detached HEAD) is at another commit. */
  | { readonly kind: 'moved'; readonly to: string };

export interface Ignored {
  /** Files, and folders with a slash at the end, that git ignores at a checkpoint; without nested repositories. */
  readonly ignored: readonly string[];
}

/** The state an agent left. */
export interface AfterState {
  readonly head: string;
  readonly branch: string | null;
  /** T1 */
  readonly tree: string;
  /** Refs that moved, appeared or vanished, apart from HEAD's own branch: name → [before, after], '' for absent. */
  readonly movedRefs: Readonly<Record<string, readonly [string, string]>>;
  /** Paths that differ between T0 and T1. */
  readonly changed: readonly ChangedPath[];
}

export interface ChangedPath {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted' | 'type-changed';
}

export interface Rescue {
  /** Full ref: refs/ralph/rescue/<run>/<iteration>-<k> */
  readonly ref: string;
  /** `<run>/<iteration>-<k>`: the name that users type. */
  readonly name: string;
  readonly commit: string;
  /** Epoch ms. */
  readonly date: number;
  readonly subject: string;
}

export interface CommitRequest {
  readonly checkpoint: Checkpoint;
  /** Paths to take from the work tree in its current state (deleted there = deleted in the commit). */
  readonly paths: readonly string[];
  /** Text that the loop itself decided, by path; it overrides the work tree. null deletes. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
  /** Epoch ms from the journal: the object id must be reproducible. */
  readonly date: number;
  /** Run the user's pre-commit, prepare-commit-msg and commit-msg hooks. */
  readonly hooks: boolean;
  readonly runHook: HookRunner;
  /** Hooks run in a guest git dir: their changes to the index and the objects they make are adopted from there. */
  readonly guestHooks: boolean;
  readonly sign: boolean;
  /** A person's own files are committed, by their own command: secrets in them are theirs. Nothing is refused. */
  readonly mayHoldSecrets?: true;
  /** Parent other than the checkpoint's head (`commits: keep`: the agent's head). */
  readonly parent?: string;
}

export type CommitOutcome =
  | {
      readonly kind: 'prepared';
      readonly commit: string;
      readonly parent: string;
      readonly files: number;
      /** Paths of the request's `files` that it holds byte for byte; filters of the user may have changed others. */
      readonly holds: readonly string[];
    }
  /** Null as the hook: git itself cannot convert the files as attributes say. */
  | { readonly kind: 'hook-failed'; readonly hook: string | null; readonly output: string }
  /** Its files contain secrets of this process that were not in them before. */
  | { readonly kind: 'holds-secrets'; readonly files: readonly HeldSecret[] }
  /** The commit would equal its parent's tree. */
  | { readonly kind: 'empty' };

/** A file of a commit with a secret in it. */
export interface HeldSecret {
  readonly path: string;
  /** The names of the variables that hold the secrets. */
  readonly names: readonly string[];
}

export type ApplyOutcome = 'applied' | 'already' | 'moved-by-someone';

export interface DirtyReport {
  /** Tracked paths with staged or unstaged changes. */
  readonly tracked: readonly string[];
  readonly untracked: number;
}

/** Which of some files snapshots now leave out, and which they cannot. */
export interface LeftOut {
  readonly untracked: readonly string[];
  readonly tracked: readonly string[];
}

/** The content that a folder is to have; see `Git.checkOut`. */
export interface CheckOut {
  /** Absolute; made where it is missing. Untrusted programs may have run in it. */
  readonly folder: string;
  /** The index of that folder, outside of it; made where it is missing. */
  readonly index: string;
  readonly tree: string;
  /** The parent of the tree's commit there; null: none. */
  readonly parent: string | null;
  /** What happens to files there that git ignores, and that `keep` does not name. */
  readonly ignored: 'keep' | 'remove';
  /** Patterns, in the syntax of .gitignore, of files and folders that stay although the tree does not have them. */
  readonly keep: readonly string[];
}

export interface Git extends WorktreeGit {
  readonly repo: Repo;
  /** GIT_AUTHOR_* and GIT_COMMITTER_*: the user's, else ralph's own. */
  readonly identity: Readonly<Record<string, string>>;

  /** Refuses (GitRefusal) a merge, rebase, cherry-pick, revert or bisect under way, naming it and the ways out. */
  refuseOperationsUnderWay(why?: string): Promise<void>;
  /** Refuses untracked, unignored files over 100 MB and unreadable files, naming them and the ignore line. */
  refuseUncheckable(): Promise<void>;
  /**
   * Files that grow during an iteration and are not part of it: from now on no snapshot contains them, no commit takes
   * them, no rollback touches them. Tracked ones cannot be left out. `keepLast`: those of the last call, too.
   */
  leaveOut(files: readonly OutputFile[], keepLast: boolean): Promise<LeftOut>;
  dirty(exempt: readonly string[]): Promise<DirtyReport>;
  /** `git stash push` of tracked changes outside `exempt`; returns the command that gets them back. null when nothing was dirty. */
  stash(message: string, exempt: readonly string[]): Promise<string | null>;

  /** Short name, null when detached. */
  currentBranch(): Promise<string | null>;
  defaultBranch(): Promise<string | null>;
  /** Which local branches have which of these files; the branch with the newest commit first. */
  branchesWith(paths: readonly string[]): Promise<readonly { readonly branch: string; readonly path: string }[]>;
  /** Switches to `name`, creating it from HEAD when missing; carries uncommitted changes along or refuses (GitRefusal) naming the conflicting files. */
  switchTo(name: string): Promise<{ readonly created: boolean; readonly from: string | null }>;

  /** Reads HEAD, index and work tree exactly. `label` names, with the work tree, the ref that keeps the tree alive. Never touches the user's index or files. */
  checkpoint(label: string): Promise<Checkpoint & Ignored>;
  /** Saves files that snapshots skip, as a tree that lives until the next one is made. */
  saveIgnored(paths: readonly string[]): Promise<string>;
  /**
   * The moves of HEAD since the checkpoint, oldest first, by HEAD's log. None where the log was rewritten since, or git
   * keeps none.
   */
  movesSince(checkpoint: Pick<Checkpoint, 'headLog'>): Promise<readonly HeadMove[]>;
  /** Snapshots the current state and compares it with the checkpoint. */
  after(checkpoint: Checkpoint): Promise<AfterState>;
  /** Tree of the work tree now. Cheap when nothing changed. */
  tree(): Promise<string>;
  /** Tree of the user's index: what is staged. */
  indexTree(): Promise<string>;
  /** Puts the work tree back to `tree` (one that `after` or `tree` made): undoes the changes that checks made. */
  restoreTree(tree: string): Promise<void>;
  /** Paths that differ between two trees or commits. */
  changes(from: string, to: string): Promise<readonly ChangedPath[]>;
  /** Paths that differ between the commits of each pair; null where one of them no longer exists. */
  changedBy(
    steps: readonly { readonly base: string; readonly commit: string }[],
  ): Promise<readonly (readonly string[] | null)[]>;
  /** Those of the paths whose files in a snapshot differ from a commit's, as git would store them. */
  uncommittedAmong(paths: readonly string[], commit: string, snapshot: string): Promise<readonly string[]>;
  /** Whether a commit of `from..to` contains a secret of this process, in its message or in a file. */
  secretsBetween(from: string, to: string): Promise<boolean>;
  /** Whether `commit` is `ancestor`, or builds on it. */
  descends(commit: string, ancestor: string): Promise<boolean>;
  /** Contents of a file in a tree or commit; null when absent. */
  show(treeish: string, path: string): Promise<Uint8Array | null>;
  /** Ids of files in a tree or commit, as far as it has them. */
  blobs(treeish: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Brings one of the loop's own folders, outside of the work tree, to a tree. */
  checkOut(input: CheckOut): Promise<void>;
  /** The files of a tree or commit. */
  paths(treeish: string): Promise<readonly string[]>;
  /** The files of such a folder that are not in its tree, ignored or not; folders end with a slash. */
  besideTree(input: Pick<CheckOut, 'folder' | 'index'>): Promise<readonly string[]>;
  /** Folders of the objects that a checkout borrows, absolute. */
  objectFolders(): Promise<readonly string[]>;
  /** Summary like `git diff --stat` between trees for people and prompts, at most `maxLines` lines. */
  diffStat(from: string, to: string, maxLines?: number): Promise<string>;
  /** A commit against its first parent, for people; null when no commit has that full id. */
  commitView(id: string): Promise<CommitView | null>;

  /** Keeps a tree as a commit under refs/ralph/rescue/<run>/<iteration>-<k>, first free k; never overwrites. */
  rescue(input: {
    readonly run: string;
    readonly iteration: number;
    readonly tree: string;
    readonly parents: readonly string[];
    readonly subject: string;
    readonly date: number;
    /** Goes into the message after the subject. */
    readonly body?: string;
  }): Promise<Rescue>;
  /** The tree of a tree or commit with the files of a folder laid over it; pipes and the like are skipped. */
  layOver(folder: string, treeish: string): Promise<string>;
  /**
   * An action of a person since a checkpoint that the loop has to yield to, or null. Where the agent can reach the git
   * dir, only a branch at another commit is reported: all else may be the agent's. `also`: commits of this iteration.
   * Without a checkpoint, the operation under way.
   */
  userIntervention(checkpoint: Checkpoint | null, also: readonly string[]): Promise<UserIntervention | null>;
  /**
   * Removes from the work tree the changes between the checkpoint and the tree `left`, and puts HEAD's current files
   * there. Left alone: files changed since, and staged ones.
   */
  takeOut(checkpoint: Checkpoint, left: string): Promise<void>;
  /**
   * Restores missing files from the checkpoint, with their modes. Anything in their place stays.
   * @returns the paths that are restored
   */
  putBack(checkpoint: Checkpoint, paths: readonly string[]): Promise<readonly string[]>;
  /** Exact return to the checkpoint: .gitignore files first, then tree, HEAD, branch, index, modes, empty directories; of a sealed checkpoint neither HEAD nor index. Idempotent. Moves no other ref. */
  rollback(checkpoint: Checkpoint): Promise<void>;

  /** Builds the commit object without touching refs, the user's index or the work tree. Idempotent: same input, same id. */
  prepareCommit(request: CommitRequest): Promise<CommitOutcome>;
  /** Moves the branch (or detached HEAD) from the checkpoint's head to `commit` and brings the user's saved index up to it for the commit's paths. ref == new → 'already'; ref neither old nor new → 'moved-by-someone', nothing touched. `agentHead`: a value the branch may also have now because the agent committed. */
  applyCommit(input: {
    readonly checkpoint: Checkpoint;
    readonly commit: string;
    readonly agentHead: string;
  }): Promise<ApplyOutcome>;
  /** Keeps the agent's own commits (from..agentHead) at refs/ralph/iterations/<run>/<n>; null when it made none. `messages`: their subjects, oldest first. */
  keepAgentCommits(input: {
    readonly run: string;
    readonly iteration: number;
    readonly from: string;
    readonly agentHead: string;
  }): Promise<{ readonly ref: string; readonly messages: readonly string[] } | null>;
  /** Keeps what refs pointed to before an agent moved or deleted them, at refs/ralph/moved/<run>/<n>/<name>; the refs themselves stay where they are. */
  keepMovedRefs(input: {
    readonly run: string;
    readonly iteration: number;
    readonly movedRefs: AfterState['movedRefs'];
  }): Promise<void>;
  /** Makes deleted refs again, with these values; one that exists again is left unchanged. @returns those made */
  restoreRefs(refs: Readonly<Record<string, string>>): Promise<readonly string[]>;
  /** First and last commit with trailer `Ralph-Story: <id>` reachable from HEAD as BASE..HEAD (BASE = parent of the first), null when there is none. Those before a commit with `Ralph-Archived: <id>` are another story's. */
  storyRange(
    storyId: string,
  ): Promise<{ readonly base: string; readonly head: string; readonly commits: number } | null>;

  /**
   * The story whose commit a line came with, as of a commit: by its trailer, else by its subject. Null for lines of
   * others, and where neither is known here.
   */
  storyOfLine(
    commit: string,
    path: string,
    line: number,
    subjects: ReadonlyMap<string, string>,
  ): Promise<string | null>;

  /** The commits of a ref or commit beyond the branch `base`; null when either is unknown here, or they have nothing in common. */
  ahead(tip: string, base: string, remote: string): Promise<Ahead | null>;
  /** The branch that was checked out when `branch` first was, where git still knows it. */
  startedFrom(branch: string): Promise<string | null>;
  /** The commits up to `to` along first parents, oldest first, without those that one of `without` contains. */
  firstParents(to: string, without: readonly string[]): Promise<readonly LineCommit[]>;
  /** The commits of a range or commit as git names them, newest first; null where it names none. */
  commitsIn(range: string, most: number): Promise<readonly LineCommit[] | null>;
  /** A commit with author, message and dates of another one, `like`; touches no ref. Same input, same id. */
  recommit(input: {
    readonly like: string;
    readonly tree: string;
    readonly parents: readonly string[];
    readonly sign: boolean;
  }): Promise<string>;
  /** Those of the paths that an ignore rule names, tracked or not. */
  namedByRules(paths: readonly string[]): Promise<readonly string[]>;
  /** Ignored files that git tracked until now are in no snapshot any more. */
  leaveUntracked(paths: readonly string[]): Promise<void>;
  /** Keeps these files of the work tree at refs/ralph/spec, beside those of other folders there. */
  saveSpec(paths: readonly string[]): Promise<void>;
  /** Writes the files of a folder (null: all) that are kept there and missing here. @returns their paths */
  restoreSpec(folder: string | null): Promise<readonly string[]>;
  /** Writes these files as they are in a tree, unless one here has no version that was ever kept. @returns those that have none */
  updateSpec(tree: string, paths: readonly string[]): Promise<readonly string[]>;
  /** The parents of the commits that refs of ralph's own below a prefix point to. */
  parentsUnder(prefix: string): Promise<readonly (readonly string[])[]>;
  /** Lets a ref of ralph's own (`refs/ralph/…`) point to a commit. */
  keepRef(ref: string, commit: string): Promise<void>;
  remotes(): Promise<readonly string[]>;
  /** The remote's default branch, as far as it is known here. */
  defaultBranchOf(remote: string): Promise<string | null>;
  /** Fetches the objects of these refs, without a ref here. Throws GitRefusal with git's message. Only for users' commands. */
  fetchObjects(source: Omit<Publication, 'branch'> & { readonly refs: readonly string[] }): Promise<void>;
  /** Pushes one branch under its own name, or a commit as that branch, never by force. Throws GitRefusal with git's message. Only for users' commands. */
  push(publication: Publication): Promise<void>;

  /** Updates the user's index with the current file times, so that plumbing sees no change where there is none. */
  refreshIndex(): Promise<void>;

  rescues(): Promise<readonly Rescue[]>;
  /** Diff of a rescue against its first parent, for people. */
  showRescue(name: string): Promise<string>;
  /** Writes the rescue's files (all, or `paths`) into the work tree; refuses to overwrite files that differ from HEAD and from the rescue unless `force`. Returns the paths written. */
  restoreRescue(
    name: string,
    options: { readonly paths: readonly string[]; readonly except: readonly string[]; readonly force: boolean },
  ): Promise<readonly string[]>;
  /** Deletes rescue refs older than `olderThanMs`; returns their names. */
  pruneRescues(olderThanMs: number, dryRun: boolean): Promise<readonly string[]>;

  /** Makes the guest git dir of that name again (`lane-0`, `checks`), from the current git dir. */
  openGuest(name: string): Promise<Guest>;
  /**
   * Adopts the work in the guest git dir of that name: objects into the real repository, refs under ralph's own names.
   * Nothing that was planted there is run or obeyed. Null when there is no such guest git dir.
   */
  adoptGuest(input: {
    readonly name: string;
    readonly run: string;
    readonly iteration: number;
    readonly checkpoint: Checkpoint;
    /** The agent still works with it: it is left unchanged, and only HEAD is adopted. */
    readonly live?: boolean;
  }): Promise<GuestState | null>;
  removeGuest(name: string): Promise<void>;

  /** Bytes of config, hooks and info of the user's git dir, taken before an agent starts … */
  snapshotTrust(): Promise<TrustSnapshot>;
  /**
   * … and put back before any host git that uses the user's git dir; of a sealed one only the files outside of it.
   * Returns the paths that had changed.
   */
  restoreTrust(snapshot: TrustSnapshot, sealed?: boolean): Promise<readonly string[]>;
}

/**
 * A git dir for the inside of an isolation: a copy of HEAD, refs, settings, index and hooks that borrows the real
 * objects read-only. Nothing that happens to it changes the real git dir.
 */
export interface Guest {
  /** Below `<stateDir>/guest/`. */
  readonly dir: string;
  /** The mounts that cover the work tree's own `.git`, and those of the borrowed objects. */
  readonly mounts: readonly GuestMount[];
}

export interface GuestMount {
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

/** What an agent did with git in its guest git dir; its objects are in the real repository by now. */
export interface GuestState {
  readonly head: string;
  readonly branch: string | null;
  /** Other refs that it made or moved, kept under refs/ralph/guest/<run>/<iteration>/; their names. */
  readonly kept: readonly string[];
  /** What could not be adopted, for people. */
  readonly problems: readonly string[];
}

/** A program that runs a commit hook; in its isolation, if there is one. */
export type HookRunner = (command: {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables that git adds: GIT_INDEX_FILE and the like. The runner provides the rest. */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly GuestMount[];
}) => Promise<{ readonly exitCode: number | null; readonly output: string }>;

/** What a commit changed. */
export interface CommitView {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  /** Lines added and deleted; null in binary files. */
  readonly files: readonly { readonly path: string; readonly added: number | null; readonly deleted: number | null }[];
  /** Unified diff as text, cut at 1 MiB. */
  readonly patch: string;
  readonly truncated: boolean;
}

/** A commit on a branch. */
interface LineCommit {
  readonly id: string;
  readonly parents: readonly string[];
  /** Epoch ms, of the committer. */
  readonly date: number;
  readonly subject: string;
  readonly body: string;
  readonly trailers: readonly (readonly [string, string])[];
}

/** Opaque to the loop; JSON-serialisable so that the journal can carry it. */
export interface TrustSnapshot {
  readonly files: Readonly<Record<string, { readonly mode: number; readonly base64: string } | null>>;
}

/** The commits that one branch has beyond another. */
export interface Ahead {
  /** The commit they have in common. */
  readonly mergeBase: string;
  /** The tip of the branch. */
  readonly head: string;
  readonly commits: number;
}

export interface Publication {
  readonly remote: string;
  /** Short name, the same on both sides. */
  readonly branch: string;
  /** What the remote's branch becomes; default: the branch here. */
  readonly commit?: string;
  /** The user's own environment, for their login. */
  readonly env: Env;
  /** Whether a user at the terminal can be asked for a password. */
  readonly terminal: boolean;
}
