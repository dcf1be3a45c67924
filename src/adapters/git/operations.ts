import { keepAgentCommits } from './agent-commits.ts';
import { personsTurn, putBack, takeOut } from './beside.ts';
import { createBranch, currentBranch, defaultBranch, deleteBranch, switchTo } from './branches.ts';
import { changedBy } from './changed-by.ts';
import { besideTree, checkOut, objectFolders, pathsOf } from './check-out.ts';
import { diffTrees, readAfter, readTree, restoreTree, saveIgnored, takeCheckpoint } from './checkpoint.ts';
import { applyCommit, prepareCommit } from './commit.ts';
import { commitView } from './commit-view.ts';
import { dirty, refuseUncheckable, stash } from './dirty.ts';
import { adoptGuest } from './guest/adopt.ts';
import { openGuest } from './guest/open.ts';
import { removeGuest } from './guest/remove.ts';
import { movesSince } from './head-log.ts';
import { commitsBetween, mergeBase, resolveCommit } from './history.ts';
import { leaveOut } from './leave-out.ts';
import { keepMovedRefs, restoreRefs } from './moved-refs.ts';
import type { Git } from './port.ts';
import { ahead, defaultBranchOf, push, remotes } from './publish.ts';
import { diffStat, show } from './read.ts';
import { refuseOperationsUnderWay } from './refusals.ts';
import { keepTree, layOver, listRescues, pruneRescues, restoreRescue, showRescue } from './rescue.ts';
import { rollback } from './rollback.ts';
import { type Room, tryGit } from './room.ts';
import { secretsBetween } from './secrets-in.ts';
import { storyRange } from './story-range.ts';
import { restoreTrust, snapshotTrust } from './trust.ts';
import { advanceBranch, filesInTheWay } from './worktrees/advance-branch.ts';
import { commitTree } from './worktrees/commit-tree.ts';
import { mergeTrees } from './worktrees/merge-trees.ts';
import { pastVersions } from './worktrees/past-versions.ts';
import { resetTo } from './worktrees/reset-to.ts';
import { treeFrom, treeWith } from './worktrees/tree-with.ts';
import { uncommittedAmong } from './worktrees/uncommitted.ts';
import { addWorktree, removeWorktree, worktrees } from './worktrees/worktrees.ts';

/** Everything that is done in a repository, besides finding it. */
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
    // Its exit code tells about real changes, which are none of its business here.
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
    deleteBranch: (branch, expected) => deleteBranch(room, branch, expected),
    resolve: (name) => resolveCommit(room, name),
    mergeBase: (one, other) => mergeBase(room, one, other),
    commitsBetween: (from, to, most) => commitsBetween(room, from, to, most),
    mergeTrees: (ours, theirs) => mergeTrees(room, ours, theirs),
    treeWith: (tree, files) => treeWith(room, tree, files),
    treeFrom: (base, other) => treeFrom(room, base, other),
    commitTree: (input) => commitTree(room, input),
    advanceBranch: (input) => advanceBranch(room, input),
    filesInTheWay: (input) => filesInTheWay(room, input),
    pastVersions: (from, to) => pastVersions(room, from, to),
    resetTo: (commit) => resetTo(room, commit),
  };
}
