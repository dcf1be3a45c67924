export type { FleetBase, FleetCheckout, FleetFiles, FleetGit, FleetStream } from './fleet/open.ts';
export { RemoteRefusal } from './fleet/remote.ts';
export { AGENT_ACTION } from './head.ts';
export { ARCHIVED_TRAILER } from './history.ts';
export { addSurroundings, type Inventory, initRepository, takeInventory } from './inventory.ts';
export { blobId, isBlobAt } from './objects.ts';
export { linkBack, namedGitDir, openGit, openOwnTree } from './open.ts';
export type {
  AfterState,
  ApplyOutcome,
  Checkpoint,
  CommitOutcome,
  Git,
  GuestMount,
  HeadMove,
  HookRunner,
  Rescue,
  TrustSnapshot,
  UserIntervention,
} from './port.ts';
export { replaced } from './room.ts';
export { SPEC_REF } from './spec-ref.ts';
export { harvest, seedRepository } from './task-repository.ts';
export type { MergeOutcome, WorktreeEntry } from './worktrees/port.ts';
