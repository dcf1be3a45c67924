export type {
  CommitView,
  ControlAction,
  ControlAnswer,
  Fleet,
  LinesPage,
  LinesQuery,
  Overview,
  ProjectInfo,
  Refusal,
  RunSnapshot,
  RunState,
  RunSummary,
  StoryText,
  StreamStanding,
  WorkerStanding,
} from './api.ts';
export { PAGE_FOLDER } from './app.ts';
export { proofOf } from './door.ts';
export type { FleetSource } from './fleet.ts';
export type { Catalogue } from './overview.ts';
export { type Dashboard, type DashboardOptions, startDashboard } from './start.ts';
