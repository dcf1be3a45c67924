export { type Clock, followSignals, systemClock, within } from './clock.ts';
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
  writeScratch,
} from './files/atomic-file.ts';
export {
  chmod,
  copy,
  copyBelow,
  copyWithTime,
  exists,
  type FileStat,
  freeBytes,
  ignoresCase,
  isText,
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
  packageFolder,
  readBytes,
  readText,
  realPath,
  remove,
  removeEmptyDir,
  seeFile,
  stat,
  tempFolder,
  touch,
  type Watcher,
  watchFolder,
} from './files/files.ts';
export {
  findExcess,
  foldersIn,
  isInProject,
  isWithin,
  type OpenedInside,
  openInside,
  type RawMode,
  rawModes,
  readInside,
  readKnown,
} from './files/files-inside.ts';
export { readBelow, removeTree, writeBelow } from './files/folder.ts';
export {
  type AppendLog,
  appendLine,
  bytesBefore,
  openAppendLog,
  readLog,
  type ScanPlace,
  scanLines,
} from './files/lines.ts';
export { importModule, openParts } from './files/parts.ts';
export {
  appendTextSync,
  claimFileSync,
  isFolderSync,
  isThereSync,
  makePrivateDirSync,
  modifiedSync,
  moveSync,
  readStandardInput,
  readTailSync,
  readTextSync,
  realPathSync,
  removeSync,
  sizeSync,
  textPieces,
  writeStandardOutput,
} from './files/sync.ts';
export { type Lock, type LockHolder, lockHolder, thisProcess, tryLock } from './lock.ts';
export { oneAtATime } from './one-at-a-time.ts';
export { type Answering, newEnd, runInShell, type ScriptResult, startAnswering } from './process/answering.ts';
export { type HeldTree, holdModules } from './process/held-modules.ts';
export {
  alsoLeftOut,
  closeInheritedFiles,
  inWorkTreesOf,
  isLeftOut,
  leaveOutWorkTree,
  leftOutOfEnvironment,
  workTreesAround,
} from './process/host-environment.ts';
export { descendsFrom, keepGoing, killFamily, membersOf, readProcessTable, whileStopped } from './process/processes.ts';
export { type CommandResult, runCommand, type Supervised, startCompanion, supervise } from './process/run.ts';
export {
  crashpoint,
  hostName,
  isAt,
  type OutputFile,
  ownOutputFiles,
  processExists,
  processId,
} from './process/self.ts';
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
  withoutNewSecrets,
  withoutSecrets,
} from './secrets.ts';
export { BridgeFailed, boundSockets, findSockets, isSocket, makeSocketFolder, runBridged } from './sockets.ts';
