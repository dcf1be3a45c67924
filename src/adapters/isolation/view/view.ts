import { dirname, join } from 'node:path';
import { UnavailableError } from '../../../contracts/index.ts';
import {
  boundSockets,
  type FileStat,
  findSockets,
  isSocket,
  isWithin,
  list,
  makeDir,
  realPath,
  remove,
  stat,
  writeAtomic,
} from '../../../platform/index.ts';
import { usersHome } from '../home/store.ts';
import type { Env, InsideCommand, InsideWorkspace, IsolationInput } from '../port.ts';
import { credentialCovers } from './credentials.ts';
import { foldersBetween, isSeen, normalPath, outermost, treeEntries, type ViewEntry } from './entry.ts';
import { findFile, ownPlaces, placesOf, programPlaces, toolchainPlaces } from './programs.ts';

type BaseView = Awaited<ReturnType<typeof prepareView>>;

/** Home folders of accounts that have none; a sandbox still has one. */
const NO_HOME = ['/', '/nonexistent', '/dev/null', '/var/empty'];
const INSTEAD = '/home/agent';

/**
 * Inspects the machine once for a run: system folders, toolchains, our own package.
 *
 * @throws UnavailableError when the home folder is the work tree or is inside it: it could not be hidden
 */
export async function prepareView(input: IsolationInput) {
  const home = insideHome(input.env);
  const { root } = input.workspace;
  const real = await realPath(root);
  /** The work tree's given path and its real one. */
  const roots = [root, real] as const;
  await refuseHomeInTree(roots, home);
  const [listening, system, programs, node, own, read, write] = await Promise.all([
    findSockets(real),
    systemEntries(),
    programPlaces(input.env['PATH'], home, roots),
    placesOf(process.execPath, home),
    ownPlaces(),
    named('read', input.policy.read),
    named('write', input.policy.write),
  ]);
  const places = [...toolchainPlaces(input.env, home), ...programs, ...node, ...own];
  const found = await missing(places, system, [...roots, home]);
  const shown = [...found, ...(await credentialCovers(found, system, input.env)), ...read, ...write];
  const ours = own.filter((path) => write.some(({ at }) => isWithin(path, at)));
  const kept = ours.map((at): ViewEntry => ({ kind: 'read', from: at, at }));
  // `system` is mounted before the home folder; `shown` after it, and before the work tree.
  return { input, home, own, roots, listening, system, shown: [...shown, ...kept] };
}

/**
 * What one command sees, in mount order.
 *
 * @param folder its home folder on the host, not yet visible to any process inside: mount points are made there
 * @param sockets the gateway's folder; null without a network
 */
export async function viewOf(
  base: BaseView,
  folder: string,
  command: InsideCommand,
  sockets: string | null,
): Promise<readonly ViewEntry[]> {
  const { input, home, own, roots, system } = base;
  const tree = await workTreeEntries(input.workspace, own);
  const house: ViewEntry = { kind: 'write', from: await realPath(folder), at: home };
  const shown = [...base.shown, ...(await programEntries(base, command))];
  const projects = roots.map((at): ViewEntry => ({ kind: 'write', from: at, at }));
  const pinned = await makeHomePlaces(folder, home, [...shown, ...projects]);
  return [
    ...system,
    ...[house, ...pinned, ...shown],
    ...tree,
    ...(await socketEntries(base)),
    ...(sockets === null ? [] : [{ kind: 'read', from: sockets, at: sockets } as const]),
    ...command.mounts.map(({ from, at, writable }) => ({ kind: writable ? 'write' : 'read', from, at }) as const),
  ];
}

/** Covers the work tree's sockets at which host programs listen: those would act for agents outside. */
async function socketEntries({ roots: [named, real], listening }: BaseView): Promise<readonly ViewEntry[]> {
  const paths = [...new Set([...listening, ...(await boundSockets(real))])];
  // A socket that is gone by now must not be created by covering it.
  const there = await Promise.all(paths.map(isSocket));
  const names = [...new Set([real, named])];
  return paths
    .filter((_, at) => there[at])
    .flatMap((path) =>
      names.map((root) => ({ kind: 'mask', at: `${root}${path.slice(real.length)}`, of: 'file' }) as const),
    );
}

export function insideHome(env: Env): string {
  const home = normalPath(usersHome(env));
  return home === null || NO_HOME.includes(home) ? INSTEAD : home;
}

async function refuseHomeInTree(roots: readonly string[], home: string): Promise<void> {
  const homes = [home, await realPath(home).catch(() => home)];
  if (!homes.some((one) => roots.some((root) => isWithin(one, root)))) return;
  throw new UnavailableError({
    what: 'the home folder cannot be hidden from agents, as it is in the project',
    where: `project ${roots[0]}, home folder ${home}`,
    why: 'everything in the work tree can be read and written inside an isolation',
    fix: ['run in a folder below the home folder', 'or without isolation: ralph run --no-sandbox'],
  });
}

/**
 * A view that shows a folder's files and folders each as its own entry, and its links as links; `without`: links to leave
 * out. Mounts can then be made in it.
 */
export async function oneByOne(
  view: readonly ViewEntry[],
  folder: string,
  without: readonly string[],
): Promise<readonly ViewEntry[]> {
  const entries = (await list(folder)).map(async (name): Promise<readonly ViewEntry[]> => {
    const at = join(folder, name);
    const kind = (await stat(at))?.kind;
    if (kind === 'file' || kind === 'dir') return [{ kind: 'read', from: at, at }];
    const target = kind === 'symlink' && !without.includes(name) ? await realPath(at).catch(() => null) : null;
    return target === null ? [] : [{ kind: 'link', at, target }];
  });
  const spread = (await Promise.all(entries)).flat();
  return view.flatMap((entry) => (entry.kind === 'read' && entry.at === folder ? spread : [entry]));
}

/** The program that starts the command, which may not be on PATH. */
async function programEntries(
  { home, system, shown, roots }: BaseView,
  { file, cwd, env }: InsideCommand,
): Promise<readonly ViewEntry[]> {
  const found = await findFile(file, cwd, env['PATH']);
  const seen = [...system, ...shown];
  // An agent chose the target of a link in the work tree.
  if (found === null || roots.some((root) => isWithin(found, root)) || isSeen(seen, found)) return [];
  const places = await missing(await placesOf(found, home), seen, [...roots, home]);
  return [...places, ...(await credentialCovers(places, [], {}))];
}

/**
 * Read-only entries for those of these places that exist and are not visible yet: at their given and their real paths.
 * Never a place that contains one of `hidden` and would reveal it.
 */
async function missing(
  places: readonly string[],
  seen: readonly ViewEntry[],
  hidden: readonly string[],
): Promise<readonly ViewEntry[]> {
  const real = await realPaths(places);
  const wanted = [...real.keys(), ...real.values()].filter(
    (path) => !isSeen(seen, path) && !hidden.some((folder) => isWithin(folder, path)),
  );
  return outermost(wanted).map((at) => ({ kind: 'read', from: real.get(at) ?? at, at }));
}

/** The places that the user named, at their given and their real paths. */
async function named(kind: 'read' | 'write', places: readonly string[]): Promise<readonly ViewEntry[]> {
  const real = await realPaths(places);
  const paths = new Set([...real.keys(), ...real.values()]);
  return [...paths].map((at) => ({ kind, from: real.get(at) ?? at, at }));
}

async function realPaths(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await realPath(path).catch(() => null)] as const),
  );
  return new Map(found.flatMap(([path, real]) => (real === null ? [] : [[path, real]])));
}

/**
 * Makes the mount points below the home folder, in the host folder that stands for it, and returns the entries that pin
 * the folders above them: a mount point cannot be moved away. The folder is new and no process has used it: any content
 * is ours.
 *
 * @param from the host folder; `home`: its path inside; `entries`: what will be mounted over it
 */
export async function makeHomePlaces(
  from: string,
  home: string,
  entries: readonly ViewEntry[],
): Promise<readonly ViewEntry[]> {
  const places = entries.filter(({ at }) => at !== home && isWithin(at, home));
  const covered = (path: string) => places.some(({ at }) => isWithin(path, at));
  const between = places.flatMap(({ at }) => foldersBetween(home, at)).filter((path) => !covered(path));
  const pinned = [...new Set(between)].sort((a, b) => a.length - b.length);
  const onHost = (path: string) => join(from, path.slice(home.length));
  for (const path of pinned) await makePlace(onHost(path), 'dir');
  for (const entry of places) {
    if (covered(dirname(entry.at))) continue;
    const kind = entry.kind === 'read' || entry.kind === 'write' ? (await stat(entry.from))?.kind : 'dir';
    await makePlace(onHost(entry.at), kind === 'dir' ? 'dir' : 'file');
  }
  return pinned.map((path) => ({ kind: 'write', from: onHost(path), at: path }));
}

async function makePlace(path: string, kind: 'dir' | 'file'): Promise<void> {
  const found = (await stat(path))?.kind;
  if (found === kind) return;
  if (found !== undefined) await remove(path);
  await (kind === 'dir' ? makeDir(path) : writeAtomic(path, '', { fsync: false }));
}

/**
 * Places that belong to the system rather than to a user: programs, libraries, settings, certificates. Nothing else of
 * the root is visible. `scan`: depth to which entries that not every user may read are masked, since root inside could.
 */
const FOLDERS: readonly { readonly path: string; readonly scan: number }[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'].map((path) => ({ path, scan: 0 })),
  { path: '/etc', scan: 12 },
  { path: '/usr/local/etc', scan: 4 },
  { path: '/opt', scan: 2 },
  ...['/nix/store', '/gnu/store', '/run/current-system/sw'].map((path) => ({ path, scan: 0 })),
  // The target of openSUSE's /etc/ssl.
  { path: '/var/lib/ca-certificates', scan: 1 },
  // Programs read the number of processors there.
  { path: '/sys/devices/system', scan: 0 },
];

/** The most entries inspected in a scanned folder: a large /opt must not delay a run's start. */
const MOST_SCANNED = 20_000;

/** The places for temporary files; then the system's folders, read-only, with their private entries masked. */
async function systemEntries(): Promise<readonly ViewEntry[]> {
  const found = await Promise.all(FOLDERS.map(({ path, scan }) => systemFolder(path, scan)));
  return [
    { kind: 'empty', at: '/tmp' },
    { kind: 'empty', at: '/var/tmp' },
    { kind: 'folder', at: '/run' },
    ...found.flat(),
  ];
}

async function systemFolder(path: string, scan: number): Promise<readonly ViewEntry[]> {
  const found = await stat(path);
  if (found?.kind === 'symlink') return [{ kind: 'link', at: path, target: await realPath(path) }];
  if (found?.kind !== 'dir') return [];
  const budget = { left: MOST_SCANNED };
  const masks = scan === 0 ? [] : await privateBelow(path, scan, budget);
  return [{ kind: 'read', from: path, at: path }, ...masks];
}

async function privateBelow(folder: string, depth: number, budget: { left: number }): Promise<readonly ViewEntry[]> {
  const names = await list(folder).catch(() => []);
  budget.left -= names.length;
  const below = await Promise.all(
    names.map(async (name): Promise<readonly ViewEntry[]> => {
      const path = join(folder, name);
      const found = await stat(path).catch(() => null);
      if (found === null || found.kind === 'symlink') return [];
      const of = found.kind === 'dir' ? 'folder' : 'file';
      if (isPrivate(found)) return [{ kind: 'mask', at: path, of }];
      return of === 'folder' && depth > 1 && budget.left > 0 ? privateBelow(path, depth - 1, budget) : [];
    }),
  );
  return below.flat();
}

/** Not every user may read it: root, or its group, could. Sockets and devices are for no process inside. */
function isPrivate({ kind, mode }: FileStat): boolean {
  if (kind === 'other') return true;
  return kind === 'dir' ? (mode & 0o005) !== 0o005 : (mode & 0o004) === 0;
}

/**
 * The work tree, writable, with its read-only places.
 *
 * The folders above a read-only place are mounted too, each onto itself: a folder that is a mount point cannot be moved
 * away together with the place it protects, to be replaced by another.
 *
 * @param own our own files, in any place; those in the work tree are read-only there
 */
export async function workTreeEntries(
  { root, readOnly, writable }: InsideWorkspace,
  own: readonly string[],
): Promise<readonly ViewEntry[]> {
  const real = await realPath(root);
  const inTree = await Promise.all([...readOnly, ...own].map((path) => placeInTree(path, root, real)));
  const open = await Promise.all(writable.map((path) => placeInTree(path, root, real)));
  return treeEntries({
    root: real,
    // If the root is reached through a link, both its paths must work inside.
    alias: real === root ? null : root,
    readOnly: inTree.filter((path) => path !== null),
    writable: open.filter((path) => path !== null),
  });
}

/**
 * The real path of a place, if that is in the work tree; null when it does not exist. The target of a link is protected
 * in its place: the link itself cannot be, and a link in the work tree must not make anything outside visible.
 */
async function placeInTree(path: string, root: string, real: string): Promise<string | null> {
  const normal = normalPath(path);
  if (normal === null || !(isWithin(normal, root) || isWithin(normal, real))) return null;
  const place = await realPath(normal).catch(() => null);
  if (place === null || place === real || !isWithin(place, real)) return null;
  const kind = (await stat(place))?.kind;
  return kind === 'file' || kind === 'dir' ? place : null;
}
