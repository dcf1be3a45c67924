export {
  type ArchivePlan,
  archiveLabel,
  freeArchiveFolder,
  freshSpec,
  readArchiveJournal,
  removeArchiveJournal,
  writeArchiveJournal,
} from './archive.ts';
export { loadOrThrow, MOST_BACKLOG_BYTES, readDocument, writeFiles } from './backlog/document.ts';
export { backlogText, backUp, readTemplate, type Scaffolded, scaffold, withBranch } from './backlog/scaffold.ts';
export {
  type ConfigFlags,
  defaultConfig,
  type LoadedConfig,
  loadConfig,
  withoutSettings,
} from './config/config.ts';
export {
  type ConfigEdit,
  NEW_CONFIG_FILE,
  settingFor,
  unknownSetting,
  withoutSetting,
  withSetting,
} from './config/config-edit.ts';
export {
  configIn,
  configText,
  findConfigFile,
  isConfigFile,
  readConfigFile,
} from './config/config-file.ts';
export { checksWithinOthers, detectChecks, unreadableCheckFiles } from './config/detect-checks.ts';
export { readHookSettings } from './config/hook-settings.ts';
export { askedIn, findServers, findSkills, SERVERS_FILE } from './config/mcp.ts';
export {
  askedOf,
  freeze,
  heldFiles,
  heldToTrusted,
  type OnUntrusted,
  once,
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
export { redact, redactedJson, redactedValue } from './events/redact.ts';
export { readBacklogNow, readBacklogSnapshot, writeBacklogSnapshot } from './hooks/backlog-snapshot.ts';
export {
  appendHookLog,
  appendToLog,
  hookFolder,
  keepContextWindows,
  pathFacts,
  projectRoot,
  readContextWindows,
  readSession,
  scriptLookup,
} from './hooks/hook-files.ts';
export { readSettings, restoreSettings, type SettingsChange, writeSettings } from './hooks/settings-file.ts';
export {
  findWorkspace,
  NoSpecFolder,
  notTheState,
  numberOf,
  pathInside,
  prdNumber,
  type SpecFiles,
  slug,
  usualBacklogs,
  type Workspace,
  workspaceAt,
} from './layout.ts';
export { agentLogPath, CONFIG_FILES, MARKER_FILE, RUNS_FOLDER, runFolder, STATE_FOLDER } from './paths.ts';
export {
  agentTempPrefix,
  dropOldRuns,
  findOldRuns,
  headlinesOf,
  knownTrees,
  listRunSummaries,
  listRuns,
  projectAt,
  rememberProject,
  rememberRun,
  summariseRun,
} from './projects.ts';
export { isCutOff, readJournal, siblingJournals, writeJournal } from './records/journal.ts';
export { appendLedger, archiveLine, ledgerText, readArchives, readLedger } from './records/ledger.ts';
export { type Marker, readMarker, runState, startMarker } from './records/marker.ts';
export { noteLogin, readRefusedLogin } from './records/refused-login.ts';
export {
  acquireRunLock,
  newRunId,
  putBackRunRecord,
  readRunRecord,
  readStatus,
  runAtWork,
  writeRunRecord,
  writeStatus,
} from './records/run-record.ts';
export { putBackStateFile, readStateFile, type StateFileKind } from './records/state-file.ts';
export {
  closeStateFolder,
  EXCLUDED,
  ensureMarkerExcluded,
  ensureStateFolder,
  ensureStateIgnored,
  tryStateFolder,
} from './records/state-folder.ts';
export {
  cacheHome,
  readDashboardToken,
  renewDashboardToken,
  stateHome,
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
  hooksWereCalled,
  openSpool,
  readSpool,
  readSpoolSession,
  removeSpool,
  type SpoolSession,
} from './spool.ts';
export {
  appendMergeRequest,
  copyToWorktree,
  listStreams,
  mainRoot,
  markMergeRequestsHandled,
  openMergeRequests,
  readStreamFile,
  STREAM_FILE_VERSION,
  type StreamFile,
  type StreamTree,
  streamRoot,
  WORKTREES_FOLDER,
  writeStreamFile,
} from './streams.ts';
