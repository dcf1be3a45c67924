export {
  type ArchivePlan,
  archiveLabel,
  freeArchiveFolder,
  freshSpec,
  readArchiveJournal,
  removeArchiveJournal,
  writeArchiveJournal,
} from './archive/archive.ts';
export { archiveLine } from './archive/ledger.ts';
export { loadOrThrow, MOST_BACKLOG_BYTES, readDocument, writeFiles } from './backlog/document.ts';
export { type Scaffolded, scaffold, templatePath } from './backlog/scaffold.ts';
export { type ConfigFlags, defaultConfig, type LoadedConfig, loadConfig, readHookSettings } from './config/config.ts';
export {
  type ConfigEdit,
  NEW_CONFIG_FILE,
  settingFor,
  unknownSetting,
  withoutSetting,
  withSetting,
} from './config/config-edit.ts';
export { withoutSettings } from './config/config-env.ts';
export {
  CONFIG_FILES,
  configIn,
  configText,
  findConfigFile,
  isConfigFile,
  readConfigFile,
} from './config/config-file.ts';
export { checksWithinOthers, detectChecks, unreadableCheckFiles } from './config/detect-checks.ts';
export {
  askedOf,
  freeze,
  heldFiles,
  heldToTrusted,
  type OnUntrusted,
  once,
  pluginEntries,
  thaw,
  trust,
  trustedHere,
  trustedUnseen,
  trustsAll,
} from './config/trust.ts';
export {
  type EventFile,
  followEventFile,
  logProblem,
  openEventFile,
  readEvents,
  readIndex,
} from './events/event-file.ts';
export { openEventLog } from './events/events.ts';
export { agentTempPrefix, dropOldRuns, findOldRuns, listRuns, rememberRun } from './events/own-runs.ts';
export { redact, redactedJson, redactedValue } from './events/redact.ts';
export { readBacklogNow, readBacklogSnapshot, writeBacklogSnapshot } from './hooks/backlog-snapshot.ts';
export { appendHookLog, appendToLog, hookFolder, readSession } from './hooks/hook-logs.ts';
export { pathFacts, projectRoot, scriptLookup } from './hooks/script-lookup.ts';
export { readSettings, restoreSettings, type SettingsChange, writeSettings } from './hooks/settings-file.ts';
export {
  findOldBacklogs,
  type OldBacklog,
  type OldFile,
  type OldLayout,
  readFolderAlone,
  readOldLayout,
} from './import/folder.ts';
export { addSettings, findOldHooks, type OldHook } from './import/settings.ts';
export { branchFor, type ImportTarget, prepareTarget, readProgress, writeImport } from './import/target.ts';
export { findWorkspace, numberOf, type Workspace } from './layout.ts';
export { agentLogPath, MARKER_FILE, runFolder, STATE_FOLDER } from './paths.ts';
export { knownTrees, projectAt, rememberProject } from './projects/projects.ts';
export { headlinesOf, listRunSummaries, summariseRun } from './projects/run-catalog.ts';
export { keepContextWindows, readContextWindows } from './records/context-windows.ts';
export { isCutOff, readJournal, siblingJournals, writeJournal } from './records/journal.ts';
export { appendLedger, readArchives, readLedger } from './records/ledger.ts';
export { type Marker, readMarker, runState, startMarker } from './records/marker.ts';
export { acquireRunLock } from './records/run-lock.ts';
export {
  newRunId,
  putBackRunRecord,
  readRunRecord,
  readStatus,
  writeRunRecord,
  writeStatus,
} from './records/run-record.ts';
export { putBackStateFile, readStateFile, type StateFileKind } from './records/state-file.ts';
export {
  closeStateFolder,
  EXCLUDED,
  ensureMarkerExcluded,
  ensureStateFolder,
  tryStateFolder,
} from './records/state-folder.ts';
export {
  controlFilePath,
  readDashboardToken,
  removeControlFile,
  renewDashboardToken,
  stateHome,
  writeControlFile,
} from './records/state-home.ts';
export {
  adoptSteering,
  appendSteering,
  followSteering,
  readSteering,
  refuseDescendants,
  type SteeringRequest,
} from './records/steering-file.ts';
export type { RoomPlace } from './rooms.ts';
export {
  appendSpooledCall,
  hookScript,
  hooksWereCalled,
  openSpool,
  readSpool,
  readSpoolSession,
  removeSpool,
  type SpoolSession,
} from './spool.ts';
export {
  appendMergeRequest,
  type MergeRequest,
  markMergeRequestsHandled,
  openMergeRequests,
} from './worktrees/merge-requests.ts';
export {
  copyToWorktree,
  listStreams,
  mainRoot,
  readStreamFile,
  STREAM_FILE_VERSION,
  type StreamFile,
  type StreamTree,
  streamRoot,
  WORKTREES_FOLDER,
  writeStreamFile,
} from './worktrees/places.ts';
