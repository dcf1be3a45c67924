import { homedir } from 'node:os';
import { UnavailableError } from '../../../contracts/errors.ts';
import { realPath } from '../../../platform/files/files.ts';
import { boundSockets, findSockets, isSocket } from '../../../platform/files/host-sockets.ts';
import type { InsideCommand, IsolationInput } from '../port.ts';
import { isSeen, type ViewEntry } from './entry.ts';
import { makeHomePlaces } from './home-places.ts';
import { ownPlaces } from './own-package.ts';
import { isWithin, normalPath, outermost } from './paths.ts';
import { findFile, placesOf, programPlaces } from './programs.ts';
import { systemEntries } from './system.ts';
import { toolchainPlaces } from './toolchains.ts';
import { workTreeEntries } from './work-tree.ts';

export type { ViewEntry } from './entry.ts';

/** What is the same for every command of a run. */
export interface BaseView {
  readonly input: IsolationInput;
  /** Where the home folder is inside: where the person's is. */
  readonly home: string;
  /** What is mounted before the work tree. */
  readonly below: readonly ViewEntry[];
  /** Our own files, read-only wherever they are. */
  readonly own: readonly string[];
  /** The work tree as it is named, and as it really is. */
  readonly roots: readonly [named: string, real: string];
  /** Where programs of the host listened in the work tree when the run began. */
  readonly listening: readonly string[];
}

/** Home folders of accounts that have none; a sandbox has one all the same. */
const NO_HOME = ['/', '/nonexistent', '/dev/null', '/var/empty'];
const INSTEAD = '/home/agent';

/**
 * Looks at the machine once for a run: system folders, toolchains, our own package.
 *
 * @throws UnavailableError where the home folder is, or is in, the work tree: it could not be hidden
 */
export async function prepareView(input: IsolationInput): Promise<BaseView> {
  const home = insideHome(input.env);
  const { root } = input.workspace;
  const real = await realPath(root);
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
  const shown = [...(await missing(places, system, [...roots, home])), ...read, ...write];
  const tree = roots.map((at): ViewEntry => ({ kind: 'write', from: at, at }));
  const pinned = await makeHomePlaces(input.home, home, [...shown, ...tree]);
  const house: ViewEntry = { kind: 'write', from: await realPath(input.home), at: home };
  const ours = own.filter((path) => write.some(({ at }) => isWithin(path, at)));
  const kept = ours.map((at): ViewEntry => ({ kind: 'read', from: at, at }));
  return { input, home, own, roots, listening, below: [...system, house, ...pinned, ...shown, ...kept] };
}

/**
 * What one command sees, in the order of mounting.
 *
 * @param sockets the gateway's folder; null without a network
 */
export async function viewOf(
  base: BaseView,
  command: InsideCommand,
  sockets: string | null,
): Promise<readonly ViewEntry[]> {
  const tree = await workTreeEntries(base.input.workspace, base.own);
  return [
    ...base.below,
    ...(await programEntries(base, command)),
    ...tree,
    ...(await socketEntries(base)),
    ...(sockets === null ? [] : [{ kind: 'read', from: sockets, at: sockets } as const]),
    ...command.mounts.map(({ from, at, writable }) => ({ kind: writable ? 'write' : 'read', from, at }) as const),
  ];
}

/** Covers the sockets of the work tree at which programs of the host listen: they would do things for agents outside. */
async function socketEntries({ roots: [named, real], listening }: BaseView): Promise<readonly ViewEntry[]> {
  const paths = [...new Set([...listening, ...(await boundSockets(real))])];
  // What is gone by now must not be made by covering it.
  const there = await Promise.all(paths.map(isSocket));
  const names = [...new Set([real, named])];
  return paths
    .filter((_, at) => there[at])
    .flatMap((path) => names.map((root) => ({ kind: 'mask', at: `${root}${path.slice(real.length)}`, of: 'file' }) as const));
}

/** Where the home folder is inside. */
export function insideHome(env: Readonly<Record<string, string | undefined>>): string {
  const home = normalPath(env['HOME'] || homedir());
  return home === null || NO_HOME.includes(home) ? INSTEAD : home;
}

async function refuseHomeInTree(roots: readonly string[], home: string): Promise<void> {
  const homes = [home, await realPath(home).catch(() => home)];
  if (!homes.some((one) => roots.some((root) => isWithin(one, root)))) return;
  throw new UnavailableError({
    what: 'the home folder cannot be hidden from agents, as it is in the project',
    where: `project ${roots[0]}, home folder ${home}`,
    why: 'everything in the work tree can be read and written inside an isolation',
    mend: ['run in a folder below the home folder', 'or without isolation: ralph run --no-sandbox'],
  });
}

/** What starts the command, which may be on no PATH. */
async function programEntries(
  { home, input, below, roots }: BaseView,
  { file, cwd, env }: InsideCommand,
): Promise<readonly ViewEntry[]> {
  const found = await findFile(file, cwd, env['PATH']);
  // What a link in the work tree leads to was said by an agent.
  if (found === null || roots.some((root) => isWithin(found, root)) || isSeen(below, found)) return [];
  const shown = await missing(await placesOf(found, home), below, [...roots, home]);
  return [...(await makeHomePlaces(input.home, home, shown)), ...shown];
}

/**
 * Read-only entries for those of these places that exist and are not seen yet: where they are named, and where they
 * really are. Never a place that holds one of `hidden`, and would bring it along.
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

/** What the person named, where it is named and where it really is. */
async function named(kind: 'read' | 'write', places: readonly string[]): Promise<readonly ViewEntry[]> {
  const real = await realPaths(places);
  const paths = new Set([...real.keys(), ...real.values()]);
  return [...paths].map((at) => ({ kind, from: real.get(at) ?? at, at }));
}

/** Of those that exist. */
async function realPaths(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => [path, await realPath(path).catch(() => null)] as const),
  );
  return new Map(found.flatMap(([path, real]) => (real === null ? [] : [[path, real]])));
}
