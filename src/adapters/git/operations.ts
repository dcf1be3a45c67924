import { personsTurn, putBack, refuseOperationsUnderWay, takeOut } from './beside.ts';
import {
  createBranch,
  currentBranch,
  defaultBranch,
  keepAgentCommits,
  keepMovedRefs,
  restoreRefs,
  switchTo,
} from './branches.ts';
import { besideTree, checkOut, objectFolders, pathsOf } from './check-out.ts';
import { diffTrees, readAfter, readTree, restoreTree, saveIgnored, takeCheckpoint } from './checkpoint.ts';
import { applyCommit, prepareCommit } from './commit.ts';
import { dirty, leaveOut, refuseUncheckable, stash } from './dirty.ts';
import { adoptGuest } from './guest/adopt.ts';
import { openGuest } from './guest/open.ts';
import { removeGuest } from './guest/places.ts';
import { movesSince } from './head.ts';
import { changedBy, commitsBetween, mergeBase, resolveCommit, storyRange } from './history.ts';
import type { Git } from './port.ts';
import { ahead, defaultBranchOf, push, remotes } from './publish.ts';
import { commitView, diffStat, show } from './read.ts';
import { keepTree, layOver, listRescues, pruneRescues, restoreRescue, showRescue } from './rescue.ts';
import { rollback } from './rollback.ts';
import { type Room, tryGit } from './room.ts';
import { secretsBetween } from './secrets-in.ts';
import { restoreTrust, snapshotTrust } from './trust.ts';
import { advanceBranch, filesInTheWay } from './worktrees/advance.ts';
import { commitTree, mergeTrees, resetTo, treeFrom, treeWith, uncommittedAmong } from './worktrees/trees.ts';
import { addWorktree, removeWorktree, worktrees } from './worktrees/worktrees.ts';

/** All operations in a repository, besides finding it. */
export function operationsIn(room: Room): Omit<Git, 'repo' | 'identity'> {
  return {
    refuseOperationsUnderWay: (why) => refuseOperationsUnderWay(room.repo, why),
    refuseUncheckable: () => refuseUncheckable(room),
    leaveOut: (files, keepLast) => leaveOut(room, files, keepLast),
    dirty: (exempt) => dirty(room, exempt),
    stash: (message, exempt) => stash(room, message, exempt),
    currentBranch: () => currentBranch(room),
    defaultBranch: () => defaultBranch(room),
    switchTo: (name) => switchTo(room, name),
    checkpoint: (label) => takeCheckpoint(room, label),
    movesSince: (checkpoint) => movesSince(room.repo, checkpoint),
    after: (checkpoint) => readAfter(room, checkpoint),
    tree: () => readTree(room),
    restoreTree: (tree) => restoreTree(room, tree),
    saveIgnored: (paths) => saveIgnored(room, paths),
    layOver: (folder, treeish) => layOver(room, folder, treeish),
    changes: async (from, to) => (await diffTrees(room, from, to)).map(({ path, status }) => ({ path, status })),
    changedBy: (steps) => changedBy(room, steps),
    uncommittedAmong: (paths, commit, snapshot) => uncommittedAmong(room, paths, commit, snapshot),
    secretsBetween: (from, to) => secretsBetween(room, from, to),
    descends: async (commit, ancestor) =>
      (await tryGit(room, ['merge-base', '--is-ancestor', ancestor, commit])).exitCode === 0,
    show: (treeish, path) => show(room, treeish, path),
    checkOut: (input) => checkOut(room, input),
    paths: (treeish) => pathsOf(room, treeish),
    besideTree: (input) => besideTree(room, input),
    objectFolders: () => objectFolders(room),
    diffStat: (from, to, maxLines) => diffStat(room, from, to, maxLines),
    commitView: (id) => commitView(room, id),
    rescue: (input) => keepTree(room, input),
    personsTurn: (checkpoint, also) => personsTurn(room, checkpoint, also),
    takeOut: (checkpoint, left) => takeOut(room, checkpoint, left),
    putBack: (checkpoint, paths) => putBack(room, checkpoint, paths),
    rollback: (checkpoint) => rollback(room, checkpoint),
    prepareCommit: (request) => prepareCommit(room, request),
    applyCommit: (input) => applyCommit(room, input),
    keepAgentCommits: (input) => keepAgentCommits(room, input),
    keepMovedRefs: (input) => keepMovedRefs(room, input),
    restoreRefs: (refs) => restoreRefs(room, refs),
    // Its exit code reports real changes, which do not matter here.
    refreshIndex: async () => void (await tryGit(room, ['update-index', '-q', '--refresh'])),
    storyRange: (storyId) => storyRange(room, storyId),
    ahead: (branch, base, remote) => ahead(room, branch, base, remote),
    remotes: () => remotes(room),
    defaultBranchOf: (remote) => defaultBranchOf(room, remote),
    push: (publication) => push(room, publication),
    rescues: () => listRescues(room),
    showRescue: (name) => showRescue(room, name),
    restoreRescue: (name, choice) => restoreRescue(room, name, choice),
    pruneRescues: (olderThanMs, dryRun) => pruneRescues(room, olderThanMs, dryRun),
    openGuest: (name) => openGuest(room, name),
    adoptGuest: (input) => adoptGuest(room, input),
    removeGuest: (name) => removeGuest(room, name),
    snapshotTrust: () => snapshotTrust(room),
    restoreTrust: (snapshot, sealed) => restoreTrust(room, snapshot, sealed),
    worktrees: () => worktrees(room),
    addWorktree: (input) => addWorktree(room, input),
    removeWorktree: (path) => removeWorktree(room, path),
    createBranch: (branch, commit) => createBranch(room, branch, commit),
    resolve: (name) => resolveCommit(room, name),
    mergeBase: (one, other) => mergeBase(room, one, other),
    commitsBetween: (from, to, most) => commitsBetween(room, from, to, most),
    mergeTrees: (ours, theirs) => mergeTrees(room, ours, theirs),
    treeWith: (tree, files) => treeWith(room, tree, files),
    treeFrom: (base, other) => treeFrom(room, base, other),
    commitTree: (input) => commitTree(room, input),
    advanceBranch: (input) => advanceBranch(room, input),
    filesInTheWay: (input) => filesInTheWay(room, input),
    resetTo: (commit) => resetTo(room, commit),
  };
}
