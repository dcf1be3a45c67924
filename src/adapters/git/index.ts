export type { FleetBase, FleetCheckout, FleetFiles, FleetGit, FleetStream } from './fleet/port.ts';
export { RemoteRefusal } from './fleet/remote.ts';
export { AGENT_ACTION } from './head.ts';
export { ARCHIVED_TRAILER } from './history.ts';
export { addSurroundings, type Inventory, takeInventory } from './inventory.ts';
export { initRepository, openGit } from './open.ts';
export type {
  AfterState,
  ApplyOutcome,
  Checkpoint,
  CommitOutcome,
  Git,
  GuestMount,
  HeadMove,
  HookRunner,
  PersonsTurn,
  Rescue,
  TrustSnapshot,
} from './port.ts';
export { replaced } from './worktrees/in-place.ts';
export { linkBack, namedGitDir, openOwnTree } from './worktrees/own-tree.ts';
export type { WorktreeEntry } from './worktrees/port.ts';
