import { resolve } from 'node:path';
import {
  exists,
  list,
  makeDir,
  pathFromBytes,
  readBytes,
  readText,
  realPath,
  remove,
  stat,
  writeAtomic,
} from '../../../platform/index.ts';
import { splitNul } from '../lists.ts';
import type { Guest, GuestMount } from '../port.ts';
import { sh } from '../prelude.ts';
import { askGit, line, type Room, runGit, runScript } from '../room.ts';

/**
 * For any kind of real git dir (linked worktree, submodule, reftable, borrowed objects), the guest
 * is one plain git dir: data from several places is read through git and written into one. Left out: reflogs, secrets
 * in settings, ralph's state. Submodules' git dirs are mounted read-only.
 */
export async function openGuest(room: Room, name: string): Promise<Guest> {
  await removeGuest(room, name);
  const place = guestPlace(room, name);
  const [inside] = await Promise.all([insideOf(room), makeDir(`${place.dir}/refs`), makeDir(room.work)]);
  const [listed, borrowed, head, hooks, rules] = await Promise.all([
    runScript(room, 'read refs and settings', READ_FOR_GUEST),
    borrowObjects(room, place),
    readHead(room),
    copyHooks(room, place.dir),
    copyRules(room, place.dir, inside.gitDir),
    copyIndex(room, place.dir),
    copyPlain(room.repo.commonDir, place.dir, 'shallow'),
  ]);
  await Promise.all([
    writeRefs(room, place),
    write(place, 'config', configText([...settingsForGuest(listed), ...hooks, ...rules])),
    write(place, 'objects/info/alternates', borrowed.alternates),
  ]);
  const modules = await submodules(room, place, inside);
  const cover = inside.pointer ? await pointTo(room, place, inside) : [];
  // Last: without HEAD it is not a git dir yet.
  await write(place, 'HEAD', head);
  const guest = { from: place.dir, at: inside.gitDir, writable: true };
  return { dir: place.dir, mounts: [...cover, guest, ...borrowed.mounts, ...modules] };
}

async function write({ dir }: GuestPlace, file: string, text: string): Promise<void> {
  await writeAtomic(`${dir}/${file}`, text, { fsync: false });
}

/** HEAD as git writes it. Where refs are not files, HEAD names a missing one. */
async function readHead(room: Room): Promise<string> {
  const text = (await readText(`${room.repo.gitDir}/HEAD`)) ?? '';
  if (/^(ref: refs\/heads\/(?!\.invalid)\S+|[0-9a-f]{40,64})\n$/.test(text)) return text;
  const branch = await askGit(room, ['symbolic-ref', '-q', 'HEAD']);
  return branch === null ? `${line(await runGit(room, 'read HEAD', ['rev-parse', 'HEAD']))}\n` : `ref: ${branch}\n`;
}

/** All refs, as {@link READ_FOR_GUEST} left them, in one file; symbolic refs in separate files. */
async function writeRefs(room: Room, place: GuestPlace): Promise<void> {
  const refs = await readText(`${room.work}/guest-refs`);
  if (refs === null) throw new Error('the refs for a guest git dir are gone');
  const packed: string[] = ['# pack-refs with: sorted \n'];
  const symbolic: Promise<void>[] = [];
  for (const entry of refs.split('\n')) {
    const [id = '', name = '', target = ''] = entry.split(' ');
    if (name === '') continue;
    if (target === '') packed.push(`${id} ${name}\n`);
    else symbolic.push(write(place, name, `ref: ${target}\n`));
  }
  await Promise.all([...symbolic, write(place, 'packed-refs', packed.join(''))]);
}

/** Copies the index, with the shared one when it is split. */
async function copyIndex({ repo }: Room, dir: string): Promise<void> {
  const shared = (await list(repo.gitDir)).filter((name) => name.startsWith('sharedindex.'));
  await Promise.all(['index', ...shared].map((name) => copyPlain(repo.gitDir, dir, name)));
}

/** Git dirs of submodules, where the `.git` files of their work trees look for them. */
async function submodules({ repo }: Room, { dir }: GuestPlace, { pointer }: Inside): Promise<readonly GuestMount[]> {
  const modules = `${repo.gitDir}/modules`;
  if (!(await exists(modules))) return [];
  if (!pointer) await makeDir(`${dir}/modules`);
  return [{ from: modules, at: modules, writable: false }];
}

async function pointTo({ repo }: Room, { pointer }: GuestPlace, { gitDir }: Inside): Promise<readonly GuestMount[]> {
  await writeAtomic(pointer, `gitdir: ${gitDir}\n`, { fsync: false });
  return [{ from: pointer, at: `${repo.root}/.git`, writable: false }];
}

/** Hooks and their helper files; a user with more files keeps them outside the git dir. */
const MOST_FILES = 200;

/**
 * Copies the hooks into a guest git dir, with links replaced by their targets. Hooks in the work tree (husky) are there
 * already: they only need the setting that names them.
 */
async function copyHooks(room: Room, dir: string): Promise<readonly Setting[]> {
  const { root } = room.repo;
  if (`${room.hooksDir}/`.startsWith(`${root}/`) && !room.hooksDir.startsWith(`${root}/.git/`))
    return [{ key: 'core.hooksPath', value: room.hooksDir }];
  for (const path of (await filesBelow(room.hooksDir, '')).slice(0, MOST_FILES)) {
    const from = `${room.hooksDir}/${path}`;
    const bytes = await readBytes(from);
    // Links to executables are executable; otherwise the file's mode counts.
    const mode = (await stat(from))?.mode ?? 0o755;
    if (bytes !== null) await writeAtomic(`${dir}/hooks/${path}`, bytes, { fsync: false, mode: mode & 0o777 });
  }
  return [];
}

/** Two levels: hooks, and a folder of helpers beside them. git's samples do nothing. */
async function filesBelow(folder: string, below: string): Promise<string[]> {
  const names = (await list(folder)).filter((name) => !name.endsWith('.sample'));
  const found = await Promise.all(
    names.map(async (name) => {
      const isDir = (await stat(`${folder}/${name}`))?.kind === 'dir';
      if (isDir) return below === '' ? filesBelow(`${folder}/${name}`, `${name}/`) : [];
      return [`${below}${name}`];
    }),
  );
  return found.flat();
}

/** Files of the repository, and of this work tree alone. */
const SHARED = ['exclude', 'grafts'];
const OF_THIS_WORK_TREE = ['sparse-checkout'];

/** The repository's own attributes override those of the tree: an agent that reviews inside sees what these hide. */
async function showDifferences(commonDir: string, dir: string): Promise<void> {
  const own = (await readText(`${commonDir}/info/attributes`)) ?? '';
  await writeAtomic(`${dir}/info/attributes`, `${own}\n* !diff\n`, { fsync: false });
}

/**
 * Copies the rules about which files count and how, including the user's from their home folder, which is a different
 * one inside.
 */
async function copyRules(room: Room, dir: string, inside: string): Promise<readonly Setting[]> {
  const { commonDir, gitDir } = room.repo;
  await makeDir(`${dir}/info`);
  await Promise.all([
    ...SHARED.map((name) => copyPlain(`${commonDir}/info`, `${dir}/info`, name)),
    showDifferences(commonDir, dir),
    ...OF_THIS_WORK_TREE.map((name) => copyPlain(`${gitDir}/info`, `${dir}/info`, name)),
  ]);
  const settings: Setting[] = [];
  for (const [key, file] of Object.entries(room.personal)) {
    const bytes = await readBytes(file);
    if (bytes === null) continue;
    const name = `info/${key.toLowerCase().replace('core.', '')}`;
    await writeAtomic(`${dir}/${name}`, bytes, { fsync: false });
    settings.push({ key, value: `${inside}/${name}` });
  }
  return settings;
}

/** Copies a file from one folder to another, following a link; does nothing when there is none. */
async function copyPlain(from: string, to: string, name: string): Promise<void> {
  const bytes = await readBytes(`${from}/${name}`);
  if (bytes !== null) await writeAtomic(`${to}/${name}`, bytes, { fsync: false });
}

/** Settings that stay outside. All others of the user's apply inside too; programs that they name also run there. */
const LEFT_OUT: readonly RegExp[] = [
  // Logins are not for agents.
  /^credential\.|^core\.askpass$/,
  // Tokens, and routes to a network that does not exist inside.
  /^http\..*(extraheader|cookiefile|sslkey|sslcert|proxy)/,
  // Signing keys are not available: commits would fail.
  /^(gpg\..*|user\.signingkey|(commit|tag|push)\.gpgsign)$/,
  // The guest git dir finds its work tree by its own location.
  /^core\.(worktree|bare)$/,
  // Their files are copied.
  /^core\.(hookspath|excludesfile|attributesfile)$/,
  // No daemon runs beside it, and its index is one plain file.
  /^core\.(fsmonitor|untrackedcache|splitindex)$/,
  // The settings that they include have been read already.
  /^include(if)?\./,
  // Refs and settings are always plain files here, in any kind of outside repository.
  /^extensions\.(refstorage|worktreeconfig|relativeworktrees)$/,
  // Nothing is cleaned up in a git dir that is thrown away.
  /^(gc|maintenance)\./,
];

/** Settings of every guest git dir. */
const OWN: readonly Setting[] = [
  { key: 'core.bare', value: 'false' },
  { key: 'gc.auto', value: '0' },
  { key: 'maintenance.auto', value: 'false' },
  { key: 'submodule.recurse', value: 'false' },
];

interface Setting {
  /** Section and variable in lower case, the part between them unchanged. */
  readonly key: string;
  /** null: named without a value, which means true. */
  readonly value: string | null;
}

/**
 * Parses `git config --list --show-scope -z` and leaves out settings that make no sense inside, above all secrets; also
 * those that only our own environment sets.
 */
function settingsForGuest(listed: Buffer): Setting[] {
  const records = splitNul(listed).map(pathFromBytes);
  const settings: Setting[] = [];
  for (let at = 0; at + 1 < records.length; at += 2) {
    const [scope, record = ''] = [records[at], records[at + 1]];
    if (scope === 'command') continue;
    const end = record.indexOf('\n');
    const key = end < 0 ? record : record.slice(0, end);
    if (LEFT_OUT.some((rule) => rule.test(key.toLowerCase()))) continue;
    // A rule that rewrites addresses to add a token.
    if (/^url\.[^\n]*\/\/[^/@]*@/i.test(key)) continue;
    settings.push({ key, value: end < 0 ? null : withoutLogin(key, record.slice(end + 1)) });
  }
  return settings;
}

/** The text of a configuration file with these settings and {@link OWN}. */
function configText(settings: readonly Setting[]): string {
  return [...settings, ...OWN].map(sectionText).join('');
}

function sectionText({ key, value }: Setting): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const [section, name] = [key.slice(0, first), key.slice(last + 1)];
  const middle = first === last ? '' : ` "${key.slice(first + 1, last).replace(/[\\"]/g, '\\$&')}"`;
  return `[${section}${middle}]\n\t${name}${value === null ? '' : ` = "${escaped(value)}"`}\n`;
}

function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t').replaceAll('\b', '\\b');
}

/** Removes from `https://user:token@host/…` all that comes before the host. */
function withoutLogin(key: string, value: string): string {
  return /^remote\..*\.(push)?url$/i.test(key) ? value.replace(/^(https?:\/\/)[^/@]*@/i, '$1') : value;
}

/** The git dir inside when the work tree's `.git` is only a file that names it: linked worktrees, submodules. */
const GIT_DIR_INSIDE = '/run/ralph/git';
/** Parent of the borrowed objects inside; a number and `objects` follow, beside which git-lfs looks for `lfs`. */
const BORROWED_INSIDE = '/run/ralph/borrowed';

/** The guest git dir of that name, and files beside it because nothing inside may write to them. */
interface GuestPlace {
  readonly dir: string;
  /** Covers a work tree's `.git` that is a file. */
  readonly pointer: string;
  /** Empty: covers the list of alternates of borrowed objects, which names paths that do not exist inside. */
  readonly nothing: string;
}

export function guestPlace(room: Room, name: string): GuestPlace {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(name)) throw new Error(`not a name for a guest git dir: ${name}`);
  const dir = `${room.repo.stateDir}/guest/${name}`;
  return { dir, pointer: `${dir}.pointer`, nothing: `${dir}.nothing` };
}

/** The location of the guest git dir inside. `pointer`: through a file that replaces `.git`. */
interface Inside {
  readonly gitDir: string;
  readonly pointer: boolean;
}

export async function insideOf(room: Room): Promise<Inside> {
  const own = `${room.repo.root}/.git`;
  const kind = (await stat(own))?.kind;
  if (kind === 'dir') return { gitDir: own, pointer: false };
  // A link stays a link inside: its target is covered.
  if (kind === 'symlink') {
    const target = await realPath(own);
    if ((await stat(target))?.kind === 'dir') return { gitDir: target, pointer: false };
  }
  return { gitDir: GIT_DIR_INSIDE, pointer: true };
}

export async function removeGuest(room: Room, name: string): Promise<void> {
  const paths = Object.values(guestPlace(room, name));
  try {
    await Promise.all(paths.map(remove));
  } catch {
    await runScript(room, 'remove a guest git dir', REMOVE_FOR_CERTAIN, paths);
  }
}

/** git follows nested alternates five levels deep. */
const DEEPEST = 5;

interface Borrowed {
  readonly mounts: readonly GuestMount[];
  /** Text of `objects/info/alternates`. */
  readonly alternates: string;
}

/**
 * The real objects, and those that they are borrowed from in turn, each read-only at a fixed path inside. Lists of
 * alternates are covered: their paths are the host's.
 */
async function borrowObjects(room: Room, place: GuestPlace): Promise<Borrowed> {
  const stores = await objectStores(room.objects);
  const mounts: GuestMount[] = [];
  for (const [at, { dir, alternates }] of stores.entries()) {
    const inside = `${BORROWED_INSIDE}/${at}/objects`;
    mounts.push({ from: dir, at: inside, writable: false });
    if (alternates) mounts.push({ from: place.nothing, at: `${inside}/info/alternates`, writable: false });
    // git-lfs looks beside borrowed objects for files that it does not have itself.
    const lfs = resolve(dir, '../lfs');
    if (await exists(lfs)) mounts.push({ from: lfs, at: `${BORROWED_INSIDE}/${at}/lfs`, writable: false });
  }
  if (stores.some(({ alternates }) => alternates)) await writeAtomic(place.nothing, '', { fsync: false });
  return { mounts, alternates: stores.map((_, at) => `${BORROWED_INSIDE}/${at}/objects\n`).join('') };
}

interface Store {
  readonly dir: string;
  readonly alternates: boolean;
}

export async function objectStores(first: string): Promise<Store[]> {
  const stores = new Map<string, Store>();
  let level = [first];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const dir of level) {
      if (stores.has(dir) || (await stat(dir)) === null) continue;
      const text = await readText(`${dir}/info/alternates`);
      stores.set(dir, { dir, alternates: text !== null });
      next.push(...alternatesIn(text ?? '').map((path) => resolve(dir, path)));
    }
    level = next;
  }
  return [...stores.values()];
}

/** One path per line; `#` begins a comment, and quotation marks an escaped path. */
function alternatesIn(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (line.startsWith('"') ? line.slice(1, -1).replace(/\\(.)/g, '$1') : line));
}

/**
 * Leaves refs in a file, as "object name" or "object name target"; prints settings with their scope, NUL-terminated. Both
 * at the same time, while the loop copies files: an agent waits for it.
 */
const READ_FOR_GUEST = sh`
git for-each-ref --format='%(objectname) %(refname) %(symref)' >"$W/guest-refs" &
listing=$!
git config --list --show-scope -z
wait "$listing"
`;

/** $@: paths to remove even when an agent has removed the permissions, or nested them deeper than paths can be long. */
const REMOVE_FOR_CERTAIN = sh`
chmod -R u+rwX "$@" 2>/dev/null || :
rm -rf "$@"
`;
