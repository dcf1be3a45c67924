import { isWithin, readText, realPath } from '../../../platform/index.ts';
import type { InsideCommand, IsolationInput } from '../port.ts';
import type { ViewEntry } from '../view/entry.ts';
import { ownPlaces } from '../view/own-package.ts';
import { insideHome, makeHomePlaces, prepareView, viewOf, workTreeEntries } from '../view/view.ts';
import { spreadEtc } from './etc.ts';
import { parseMountPoints } from './mounts.ts';

/** What a command sees, in mount order. @param home its home folder on the host */
export type Sight = (home: string, command: InsideCommand, sockets: string) => Promise<readonly ViewEntry[]>;

const OF_THE_ENGINE = ['/proc', '/sys', '/dev'];

/** The programs of this machine, as in every isolation by mounts. */
export async function hostSight(input: IsolationInput): Promise<Sight> {
  const base = await prepareView(input);
  const system = await spreadEtc(base.system);
  return async (home, command, sockets) => withoutEngines(await viewOf({ ...base, system }, home, command, sockets));
}

/** The programs of an image: only the work tree, the home folder and our own package come from this machine. */
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
  // A place that we may not see cannot be mounted, and is not readable inside either.
  const visible = await Promise.all(points.map((point) => realPath(point).catch(() => null)));
  return points.filter((point, i) => visible[i] === point && !OF_THE_ENGINE.some((own) => isWithin(point, own)));
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
