export { type Candidate, chooseStreams, listCandidates, named } from './choose.ts';
export type { EngineClient, FleetFigures } from './engine/dbos/client.ts';
export { type Engine, GivenBack, type TakeTurn } from './engine/port.ts';
export { factsOf, type StreamFacts, type StreamNow, streamTrees } from './facts.ts';
export { FLEET_TASK_VERSION, type FleetTask, isFleetBranch } from './fleet/task.ts';
export { finishedBefore, finishedInto } from './merge/finished.ts';
export { type History, type Merge, type MergeInput, mergeStream } from './merge/merge.ts';
export { inTurn, StoppedError } from './merge/queue.ts';
export { committedBacklog } from './merge/refusals.ts';
export {
  finishedName,
  type MergeTarget,
  type Proposal,
  proposalOf,
  streamTarget,
  takenRef,
  workspaceTarget,
} from './merge/sides.ts';
export { type LaneNow, lanesNow } from './parallel/lanes-now.ts';
export { roundsInLanes } from './parallel/rounds.ts';
export { finishLandings } from './parallel/team.ts';
export { removeStreamTree } from './remove.ts';
export type { Landing } from './repositories/all-or-none.ts';
export {
  type Exchange,
  exchangeOf,
  type Folder,
  findFolder,
  partsOf,
  readLanding,
  standingOf,
  streamsOf,
  treesOf,
} from './repositories/folder.ts';
export { finishLanding, mergeTogether, type PartMerge } from './repositories/merge.ts';
export type { OpenedRun, OpenRun, RunPlace } from './set-up.ts';
export { superviseStreams } from './supervise.ts';
export { type PreparedStream, prepareStream, streamBranch, streamName } from './tree.ts';
export { type Stopped, stopStream } from './turn.ts';
