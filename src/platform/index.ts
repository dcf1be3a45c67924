export { type Clock, systemClock } from './clock.ts';
export { crashpoint } from './crashpoint.ts';
export { type AppendLog, appendLine, openAppendLog, readLog } from './files/append-log.ts';
export {
  closeToOthers,
  createOnce,
  descriptorAt,
  makePrivateDir,
  removeStaleTemps,
  TEMP_SUFFIX,
  writeAtomic,
  writeOutput,
  writePrivate,
} from './files/atomic-file.ts';
export {
  chmod,
  copy,
  copyWithTime,
  exists,
  type FileStat,
  freeBytes,
  ignoresCase,
  linkTarget,
  list,
  makeDir,
  makeLink,
  makeNewDir,
  makeTempDir,
  move,
  type NotWritable,
  notWritable,
  orNull,
  readBytes,
  readText,
  realPath,
  remove,
  removeEmptyDir,
  stat,
  tempFolder,
  touch,
  type Watcher,
  watchFolder,
} from './files/files.ts';
export {
  findExcess,
  isWithin,
  type OpenedInside,
  openInside,
  type RawMode,
  rawModes,
  readInside,
} from './files/files-inside.ts';
export {
  appendTextSync,
  claimFileSync,
  isFolderSync,
  isThereSync,
  makePrivateDirSync,
  modifiedSync,
  moveSync,
  readTailSync,
  readTextSync,
  realPathSync,
  removeSync,
  sizeSync,
} from './files/files-sync.ts';
export { readBelow, removeTree, writeBelow } from './files/folder.ts';
export { bytesBefore, type ScanPlace, scanLines } from './files/scan-lines.ts';
export { boundSockets, findSockets, isSocket, makeSocketFolder } from './files/sockets.ts';
export { keepGoing } from './keep-going.ts';
export { type Lock, type LockHolder, lockHolder, tryLock } from './lock/lock.ts';
export { BridgeFailed, runBridged } from './process/bridge.ts';
export { startCompanion } from './process/companion.ts';
export { type HeldTree, holdModules } from './process/held-modules.ts';
export {
  alsoLeftOut,
  closeInheritedFiles,
  inWorkTreesOf,
  leaveOutWorkTree,
  whatWasLeftOut,
  workTreesAround,
} from './process/host-environment.ts';
export { descendsFrom } from './process/lineage.ts';
export { isAt, type OutputFile, ownOutputFiles } from './process/own-output.ts';
export { hostName, processExists, processId } from './process/process-facts.ts';
export { membersOf, readProcessTable } from './process/process-table.ts';
export { type CommandResult, runCommand } from './process/run-command.ts';
export { keepHeapSmall } from './process/small-heap.ts';
export { readStandardInput } from './process/standard-input.ts';
export {
  childExit,
  type Exit,
  findProgram,
  findUnexecutable,
  isThere,
  letGo,
  type PipedChild,
  SpawnFailed,
  startChild,
  startPiped,
} from './process/start-child.ts';
export { type Supervised, supervise } from './process/supervise.ts';
export { killMarked } from './process/tree-kill.ts';
export {
  forgetSecret,
  knowEnvironment,
  knowSecrets,
  knowsSecrets,
  REDACTED,
  secretSearch,
  secretStream,
  secretsIn,
  valueWithout,
  valueWithoutSecrets,
  withoutSecrets,
} from './secrets.ts';
