export { needsAtTheEnd } from './at-the-end.ts';
export { foldRun, type RunFold } from './fold.ts';
export type {
  CheckView,
  DenialView,
  IterationView,
  Kept,
  Now,
  RunView,
  StoryView,
  TestRunView,
} from './model.ts';
export {
  cacheShareOf,
  durationOf,
  type ModeStats,
  meanAdded,
  type Stats,
  type StoryStats,
  statsOf,
  type TimeSpent,
  timeSpent,
} from './stats.ts';
export { isLive, NO_TOTALS, needsOf, statusOf, summaryOf, type Totals, totalsAfter } from './status.ts';
export { byPath, familyOf, goOnCommand, streamPlace } from './stream-place.ts';
