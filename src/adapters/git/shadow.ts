import { GitRefusal } from '../../contracts/index.ts';
import {
  exists,
  makeDir,
  makePrivateDir,
  pathFromBytes,
  pathToBytes,
  readBytes,
  readText,
  remove,
  type ScriptResult,
  stat,
  touch,
  writeAtomic,
} from '../../platform/index.ts';
import { GITLINK, joinNul, pathList, splitNul } from './lists.ts';
import { sh } from './prelude.ts';
import { gitError, type Nested, type Room, runScript, tryScript } from './room.ts';

/** The exit code by which a script says that `git add` complained (see `add_all` in the prelude). */
const COMPLAINED = 65;

const VANISHED = /No such file or directory/;
/** Bytes. */
const MOST_SETTINGS = 4_096;
/** Tries on a work tree in which files vanish, before giving up. */
const LOOKS = 5;

/**
 * Runs a script that snapshots the work tree. When git meets what it cannot take (nested repositories, a FIFO where a
 * tracked file was, unreadable files), the shadow git dir is adapted and the script runs again.
 * `owner`: whose files are there now; an agent's may be made readable, the user's are refused instead.
 */
export async function runSnapshot(
  room: Room,
  doing: string,
  owner: 'user' | 'agent',
  script: string,
  args: readonly string[] = [],
): Promise<Buffer> {
  await prepareShadow(room);
  let result = await tryScript(room, script, ['strict', ...args]);
  // Each round can uncover the next obstacle; three kinds exist.
  for (let round = 0; result.exitCode === COMPLAINED && round < 4; round += 1) {
    if (/permission denied/i.test(result.stderr) && owner === 'user') throw unreadable(room, result.stderr);
    await adapt(room, owner, result);
    result = await tryScript(room, script, ['tolerant', ...args]);
  }
  // Another process deleted a file between its listing and its reading: the next look no longer lists it.
  for (let look = 1; result.exitCode !== 0 && VANISHED.test(result.stderr) && look < LOOKS; look += 1) {
    result = await tryScript(room, script, ['tolerant', ...args]);
  }
  if (result.exitCode !== 0) throw gitError(room, doing, result);
  if (/permission denied/i.test(result.stderr) && owner === 'user') throw unreadable(room, result.stderr);
  return result.stdout;
}

async function adapt(room: Room, owner: 'user' | 'agent', result: ScriptResult): Promise<void> {
  if (/index file|bad signature|smaller than expected/.test(result.stderr)) await remove(`${room.shadow}/index`);
  if (owner === 'agent' && /permission denied/i.test(result.stderr))
    await runScript(room, 'make what the agent left readable', MAKE_READABLE);
  await excludeNested(room);
}

/** Leaves nested repositories and submodules out of all snapshots from now on; returns the newly found ones. */
export async function excludeNested(room: Room): Promise<readonly string[]> {
  // "<mode> <object> <stage>\t<path>"
  const entries = splitNul(await runScript(room, 'list the snapshot', LIST_ENTRIES));
  const links = entries
    .filter((entry) => entry.toString('latin1', 0, GITLINK.length) === GITLINK)
    .map((entry) => pathFromBytes(entry.subarray(entry.indexOf('\t') + 1)));
  const others = pathList(await runScript(room, 'look for nested repositories', FORGET_UNTAKABLE, [], joinNul(links)));
  // A forgotten link is among the others now.
  const found = new Set([...links, ...others.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1))]);
  const { known, born } = await readNested(room);
  const fresh = [...found].filter((path) => !known.includes(path) && !born.includes(path));
  if (fresh.length > 0) await writeNested(room, { known, born: [...born, ...fresh] });
  await writePathspecs(room, [...known, ...born, ...fresh]);
  return fresh;
}

export async function readNested(room: Room): Promise<Nested> {
  room.memory.nested ??= {
    known: await readList(nestedFile(room, 'known')),
    born: await readList(nestedFile(room, 'born')),
  };
  return room.memory.nested;
}

async function readList(file: string): Promise<readonly string[]> {
  return pathList(Buffer.from((await readBytes(file)) ?? []));
}

export async function writeNested(room: Room, nested: Nested): Promise<void> {
  room.memory.nested = nested;
  await writeAtomic(nestedFile(room, 'known'), joinNul(nested.known), { fsync: false });
  await writeAtomic(nestedFile(room, 'born'), joinNul(nested.born), { fsync: false });
  await writeExcludes(room, [...nested.known, ...nested.born]);
}

/** Files that snapshots leave out: as last set, even by an earlier process. */
export async function readLeftOut(room: Room): Promise<readonly string[]> {
  room.memory.leftOut ??= await readList(leftOutFile(room));
  return room.memory.leftOut;
}

/** Takes effect with the next snapshot. */
export async function writeLeftOut(room: Room, paths: readonly string[]): Promise<void> {
  room.memory.leftOut = paths;
  room.memory.ready = null;
  await prepareShadow(room);
}

function leftOutFile(room: Room): string {
  return `${room.shadow}/ralph-left-out`;
}

/** Called after ralph changes the user's index: the shadow index still has every path that is tracked there. */
export async function markIndexKnown(room: Room): Promise<void> {
  await touch(`${room.shadow}/ralph-rules`);
}

/** From here on, the repositories that are nested now count as the user's. */
export async function acknowledgeNested(room: Room): Promise<void> {
  const { known, born } = await readNested(room);
  if (born.length > 0) await writeNested(room, { known: [...known, ...born], born: [] });
}

function nestedFile(room: Room, list: string): string {
  return `${room.shadow}/ralph-nested-${list}`;
}

/** Makes the shadow git dir if necessary: once per process, and again whenever an agent damaged it. */
export async function prepareShadow(room: Room): Promise<void> {
  room.memory.ready ??= prepare(room);
  const { ready } = room.memory;
  await ready;
  if (await isIntact(room)) return;
  // Another caller that waited for the same one may have noticed first.
  if (room.memory.ready === ready) {
    room.memory.ready = remove(room.shadow).then(() => prepare(room));
  }
  await room.memory.ready;
}

/** The rest repairs itself: a broken index is made again, missing lists are rewritten. */
async function isIntact(room: Room): Promise<boolean> {
  const parts = ['refs', ...(room.memory.last === null ? [] : ['index'])].map((name) => `${room.shadow}/${name}`);
  const there = await Promise.all([room.work, pathspecFile(room), ...parts].map(exists));
  return there.every(Boolean) && (await readControl(room)) === room.memory.control;
}

async function readControl(room: Room): Promise<string> {
  const files = ['HEAD', 'config', 'info/attributes', 'ralph-left-out'].map((name) =>
    readText(`${room.shadow}/${name}`),
  );
  return JSON.stringify(await Promise.all(files));
}

/** Our settings fill half a kilobyte. Others would be read by each of our git processes, and kept in memory. */
async function hasOwnSettings(room: Room): Promise<boolean> {
  const config = await stat(`${room.shadow}/config`);
  return config?.kind === 'file' && config.size > 0 && config.size <= MOST_SETTINGS;
}

async function prepare(room: Room): Promise<void> {
  const { last } = room.memory;
  await makeDir(room.work);
  if (!(await exists(`${room.shadow}/info/attributes`))) {
    await remove(room.shadow);
    await makePrivateDir(room.repo.stateDir);
    await runScript(room, 'set up the snapshots', INIT_SHADOW, [room.objectFormat]);
    if (last !== null) await runScript(room, 'fill the snapshots again', FILL_SHADOW, [last.tree]);
  } else if (!(await hasOwnSettings(room))) {
    await remove(`${room.shadow}/config`);
    await runScript(room, 'set up the snapshots', INIT_SHADOW, [room.objectFormat]);
  }
  // A killed git left it. Only ralph uses this index, and the run's lock keeps other runs away.
  await remove(`${room.shadow}/index.lock`);
  await writeAtomic(leftOutFile(room), joinNul(await readLeftOut(room)), { fsync: false });
  await writeNested(room, await readNested(room));
  await writeAtomic(pathspecFile(room), joinNul(['.']), { fsync: false });
  room.memory.control = await readControl(room);
}

/** Nested repositories count as ignored, and so do files that are left out: git need not read them. */
async function writeExcludes(room: Room, nested: readonly string[]): Promise<void> {
  const own = (await readBytes(`${room.repo.commonDir}/info/exclude`)) ?? new Uint8Array();
  const leftOut = await readLeftOut(room);
  const lines = [...nested.map((path) => `${path}/`), ...leftOut].flatMap((path) => [
    Buffer.from('/'),
    excludePattern(path),
    Buffer.from('\n'),
  ]);
  await writeAtomic(`${room.shadow}/info/exclude`, Buffer.concat([own, Buffer.from('\n'), ...lines]), { fsync: false });
}

/**
 * Excludes by pathspec those that are still not ignored: a `!pattern` in a .gitignore overrides info/exclude. Not the
 * others: git add refuses a pathspec for an ignored path, even one that excludes.
 */
async function writePathspecs(room: Room, nested: readonly string[]): Promise<void> {
  const ignored = new Set(pathList(await runScript(room, 'ask what is ignored', LIST_IGNORED, [], joinNul(nested))));
  const pathspecs = nested.filter((path) => !ignored.has(path)).map((path) => `:(exclude,literal)${path}`);
  await writeAtomic(pathspecFile(room), joinNul(['.', ...pathspecs]), { fsync: false });
}

function pathspecFile(room: Room): string {
  return `${room.shadow}/ralph-pathspecs`;
}

/** A path as an ignore pattern. A line break cannot be written in one: `?` stands for it. */
function excludePattern(path: string): Buffer {
  return pathToBytes(path.replace(/[\\*?[\]! #]/g, '\\$&').replaceAll('\n', '?'));
}

function unreadable(room: Room, said: string): GitRefusal {
  const names = [...said.matchAll(/(?:open\("|open directory '|read ')([^"']+)["']/g)].map((match) => match[1]);
  return new GitRefusal({
    what: `git cannot read ${names.length > 0 ? names.join(', ') : 'some files of the work tree'}`,
    where: room.repo.root,
    why: 'what cannot be read cannot be restored after a failed iteration',
    fix: ['make it readable (chmod u+r)', ...names.map((name) => `or ignore it: echo '/${name}' >> .git/info/exclude`)],
  });
}

/** Prints every entry of the shadow index: mode, object, stage, path. */
const LIST_ENTRIES = sh`
shadow ls-files -s -z
`;

/**
 * Standard input: gitlinks of the shadow index. Forgets them, and entries whose path another file has taken. Then
 * prints what is untracked: nested repositories end in a slash.
 */
const FORGET_UNTAKABLE = sh`
shadow update-index -z --force-remove --stdin
shadow ls-files -z >"$W/all"
print_displaced "$W/all" >"$W/displaced"
shadow update-index -z --force-remove --stdin <"$W/displaced"
shadow ls-files -o -z --exclude-standard
`;

/** Standard input: paths. Prints those of them that are ignored. */
const LIST_IGNORED = sh`
shadow check-ignore -z --stdin || [ $? -eq 1 ]
`;

/** Gives the owner read permission again, where an agent removed it. Files that are not ours stay unchanged. */
const MAKE_READABLE = sh`
find . -path ./.git -prune -o \( -type d ! -perm -u=rx -o -type f ! -perm -u=r \) -exec chmod u+rX {} + 2>/dev/null || :
`;

/** $1: object format. Makes the shadow git dir: no templates, no hooks, no conversion of any kind. */
const INIT_SHADOW = sh`
(
  unset GIT_DIR GIT_WORK_TREE
  git init -q --bare --template= --object-format="$1" "$S"
)
mkdir -p "$S/info" "$W"
cat >>"$S/config" <<'SETTINGS'
[core]
	bare = false
	hooksPath = /dev/null
	fsmonitor = false
	autocrlf = false
	safecrlf = false
	untrackedCache = true
[gc]
	auto = 0
SETTINGS
# Unchanged bytes, ignoring .gitattributes.
echo '* -text -eol -filter -ident -working-tree-encoding -merge -diff' >"$S/info/attributes"
`;

/**
 * $1: tree of the last checkpoint. Gives a new shadow git dir what it must know: which files are tracked although they
 * are ignored, and the ignore rules.
 */
const FILL_SHADOW = sh`
shadow read-tree "$1"
echo "$1" >"$S/ralph-rules"
`;
