import { applyCommit } from './apply.ts';
import {
  ahead,
  branchesWith,
  createBranch,
  currentBranch,
  defaultBranch,
  defaultBranchOf,
  fetchObjects,
  keepAgentCommits,
  keepMovedRefs,
  push,
  remotes,
  restoreRefs,
  switchTo,
} from './branches.ts';
import { readAfter, readTree, restoreTree, saveIgnored, takeCheckpoint } from './checkpoint.ts';
import { prepareCommit } from './commit.ts';
import { dirty, leaveOut, refuseUncheckable, stash } from './dirty.ts';
import { adoptGuest } from './guest/adopt.ts';
import { openGuest, removeGuest } from './guest/open.ts';
import { movesSince, refuseOperationsUnderWay, userIntervention } from './head.ts';
import { changedBy, commitsBetween, descends, mergeBase, resolveCommit, storyOfLine, storyRange } from './history.ts';
import { commitsIn, firstParents, keepRef, parentsUnder, recommit, startedFrom } from './line.ts';
import { blobsIn, diffTrees } from './objects.ts';
import type { Git } from './port.ts';
import { commitView, diffStat, secretsBetween, show } from './read.ts';
import { keepTree, layOver, listRescues, pruneRescues, restoreRescue, showRescue } from './rescue.ts';
import { putBack, rollback, takeOut } from './rollback.ts';
import { line, type Room, runGit, tryGit } from './room.ts';
import { leaveUntracked, namedByRules, restoreSpec, saveSpec, updateSpec } from './spec-ref.ts';
import {
  besideTree,
  checkOut,
  commitTree,
  mergeTrees,
  objectFolders,
  pathsOf,
  resetTo,
  treeFrom,
  treeWith,
  uncommittedAmong,
} from './trees.ts';
import { restoreTrust, snapshotTrust } from './trust.ts';
import { advanceBranch, filesInTheWay } from './worktrees/advance.ts';
import { addWorktree, removeWorktree, worktrees } from './worktrees/worktrees.ts';

type Operations = Omit<Git, 'repo' | 'identity'>;

/** What does each operation, given the repository it works in. */
const OPERATIONS: {
  readonly [K in keyof Operations]: (room: Room, ...args: Parameters<Operations[K]>) => ReturnType<Operations[K]>;
} = {
  addWorktree,
  adoptGuest,
  advanceBranch,
  after: readAfter,
  ahead,
  applyCommit,
  besideTree,
  blobs: blobsIn,
  branchesWith,
  changedBy,
  changes: async (room, from, to) => (await diffTrees(room, from, to)).map(({ path, status }) => ({ path, status })),
  checkOut,
  checkpoint: takeCheckpoint,
  commitTree,
  commitView,
  commitsBetween,
  commitsIn,
  createBranch,
  currentBranch,
  defaultBranch,
  defaultBranchOf,
  descends,
  diffStat,
  dirty,
  fetchObjects,
  filesInTheWay,
  indexTree: async (room) => line(await runGit(room, 'read what is staged', ['write-tree'])),
  firstParents,
  keepAgentCommits,
  keepMovedRefs,
  keepRef,
  layOver,
  leaveOut,
  leaveUntracked,
  mergeBase,
  mergeTrees,
  movesSince,
  namedByRules,
  objectFolders,
  openGuest,
  parentsUnder,
  paths: pathsOf,
  userIntervention,
  prepareCommit,
  pruneRescues,
  push,
  putBack,
  recommit,
  // Its exit code reports real changes, which do not matter here.
  refreshIndex: async (room) => void (await tryGit(room, ['update-index', '-q', '--refresh'])),
  refuseOperationsUnderWay,
  refuseUncheckable,
  remotes,
  removeGuest,
  removeWorktree,
  rescue: keepTree,
  rescues: listRescues,
  resetTo,
  resolve: resolveCommit,
  restoreRefs,
  restoreRescue,
  restoreSpec,
  restoreTree,
  restoreTrust,
  rollback,
  saveIgnored,
  saveSpec,
  secretsBetween,
  show,
  showRescue,
  snapshotTrust,
  startedFrom,
  stash,
  storyOfLine,
  storyRange,
  switchTo,
  takeOut,
  tree: readTree,
  treeFrom,
  treeWith,
  uncommittedAmong,
  updateSpec,
  worktrees,
};

/** All operations in a repository, besides finding it. */
export function operationsIn(room: Room): Operations {
  const entries = Object.entries<(room: Room, ...args: never[]) => unknown>(OPERATIONS);
  return Object.fromEntries(
    entries.map(([name, operation]) => [name, (...args: never[]) => operation(room, ...args)]),
  ) as unknown as Operations;
}
