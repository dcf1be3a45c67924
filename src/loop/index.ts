export type { CheckPorts, CleanRoom, RunContext, SetUpPorts } from './context.ts';
export { type End, exitCodeOf, failureText, hasFailed, isUntilReached } from './decide.ts';
export { type DryRun, dryRun } from './dry-run.ts';
export { checkEach, runChecks } from './evidence/checks.ts';
export { ask, LISTEN_EVERY_MS, passGate } from './gate.ts';
export { environmentFor, runInside } from './inside/inside.ts';
export { runPlugins } from './plugins.ts';
export type { Admission, ControlServer, RoomPort, RunPorts, RunRequest, Session, StartFacts } from './ports.ts';
export { insideWorkspace, isLoopsOwn, isUnder, loopFiles, specPaths } from './protect/loop-files.ts';
export { secureStart } from './protect/secure.ts';
export { recover } from './recover.ts';
export { countStories } from './report/status.ts';
export { type RunSummary, reportOf } from './report/summary.ts';
export type { Entered, SetUpFailure } from './room/enter.ts';
export { checkInRoom, openRoom } from './room/room.ts';
export { endByCondition } from './rounds.ts';
export { type Rounds, type RunInput, runLoop, runToEnd } from './run.ts';
export { NOTHING_RECORDED } from './session/record.ts';
export { commitBookkeeping } from './start.ts';
export { startAgain } from './steering/steering.ts';
export {
  type Applied,
  applyAll,
  applyCircuitReset,
  applyWords,
  isAlready,
  isWaived,
  wordsOf,
} from './steering/words.ts';
