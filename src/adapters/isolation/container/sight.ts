import { readText, realPath } from '../../../platform/files/files.ts';
import type { InsideCommand, IsolationInput } from '../port.ts';
import type { ViewEntry } from '../view/entry.ts';
import { makeHomePlaces } from '../view/home-places.ts';
import { ownPlaces } from '../view/own-package.ts';
import { isWithin } from '../view/paths.ts';
import { insideHome, prepareView, viewOf } from '../view/view.ts';
import { workTreeEntries } from '../view/work-tree.ts';
import { spreadEtc } from './etc.ts';

/** What a command sees, in the order of mounting. @param home its home folder on the host */
export type Sight = (home: string, command: InsideCommand, sockets: string) => Promise<readonly ViewEntry[]>;

/** Every container has its own of these. */
const OF_THE_ENGINE = ['/proc', '/sys', '/dev'];

/** The programs of this machine: what every isolation by mounts shows. */
export async function hostSight(input: IsolationInput): Promise<Sight> {
  const base = await prepareView(input);
  const system = await spreadEtc(base.system);
  return async (home, command, sockets) => withoutEngines(await viewOf({ ...base, system }, home, command, sockets));
}

/** The programs of an image: from here come only the work tree, the home folder and our own package. */
export async function imageSight(input: IsolationInput): Promise<Sight> {
  const home = insideHome(input.env);
  const own = await ownPlaces();
  const ours = await entriesOf('read', own);
  const shown: readonly ViewEntry[] = [
    ...ours,
    ...(await entriesOf('read', input.policy.read)),
    ...(await entriesOf('write', input.policy.write)),
  ];
  return async (folder, { mounts }, sockets) =>
    withoutEngines([
      { kind: 'empty', at: '/tmp' },
      { kind: 'write', from: await realPath(folder), at: home },
      ...(await makeHomePlaces(folder, home, ours)),
      ...shown,
      ...(await workTreeEntries(input.workspace, own)),
      { kind: 'read', from: sockets, at: sockets },
      ...mounts.map(({ from, at, writable }) => ({ kind: writable ? 'write' : 'read', from, at }) as const),
    ]);
}

/** Where file systems are mounted on this machine, below the root. */
export async function hostMountPoints(): Promise<readonly string[]> {
  const points = parseMountPoints((await readText('/proc/self/mountinfo')) ?? '');
  // What we may not look at cannot be mounted, and nobody inside may look at it either.
  const visible = await Promise.all(points.map((point) => realPath(point).catch(() => null)));
  return points.filter((point, i) => visible[i] === point && !OF_THE_ENGINE.some((own) => isWithin(point, own)));
}

/** The fifth column of /proc/self/mountinfo, in which blanks are written in octal. */
export function parseMountPoints(table: string): readonly string[] {
  const columns = table.split('\n').map((line) => line.split(' ')[4] ?? '');
  const points = columns.map((path) =>
    path.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8))),
  );
  return [...new Set(points)].filter((path) => path !== '' && path !== '/');
}

async function entriesOf(kind: 'read' | 'write', paths: readonly string[]): Promise<readonly ViewEntry[]> {
  const found = await Promise.all(paths.map((at) => realPath(at).catch(() => null)));
  return paths.flatMap((at, i) => {
    const from = found[i];
    return typeof from === 'string' ? [{ kind, from, at }] : [];
  });
}

function withoutEngines(view: readonly ViewEntry[]): readonly ViewEntry[] {
  return view.filter(({ at }) => !OF_THE_ENGINE.some((own) => isWithin(at, own)));
}
