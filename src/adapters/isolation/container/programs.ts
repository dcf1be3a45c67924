import { basename, isAbsolute, join } from 'node:path';
import { exists, isWithin, readText, realPath } from '../../../platform/index.ts';
import type { Env, InsideCommand, IsolationInput } from '../port.ts';
import { isThere, type ViewEntry } from '../view/entry.ts';
import { ownPlaces } from '../view/programs.ts';
import { insideHome, makeHomePlaces, oneByOne, prepareView, viewOf, workTreeEntries } from '../view/view.ts';
import type { Engine } from './engine.ts';
import { parseMountPoints, type Skeleton } from './run-arguments.ts';
import { provideSkeleton } from './skeleton.ts';

/** Where the programs inside come from. */
interface Programs {
  /** This machine; otherwise an image. */
  readonly ofHost: boolean;
  readonly node: string;
  readonly sight: Sight;
  /** Name of the image, which has to contain the skeleton if it contains nothing else. */
  imageFor(skeleton: Skeleton): Promise<string>;
  /** The command in a form that can start there. */
  commandFor(command: InsideCommand, view: readonly ViewEntry[]): InsideCommand;
}

/** Inspects the machine once for a run. @throws UnavailableError where no view can be made */
export async function openPrograms(engine: Engine, input: IsolationInput, client: Env): Promise<Programs> {
  const { image } = input.container;
  return image === null ? programsOfHost(engine, input, client) : programsOfImage(image, input);
}

async function programsOfHost(engine: Engine, input: IsolationInput, client: Env): Promise<Programs> {
  // Commands of a run rarely differ here, and asking the engine takes as long as starting a container.
  const known = new Map<string, Promise<string>>();
  return {
    ofHost: true,
    node: process.execPath,
    sight: await hostSight(input),
    imageFor: (skeleton) => {
      const key = JSON.stringify([skeleton.folders, skeleton.temporary, [...skeleton.links]]);
      const image = known.get(key) ?? provideSkeleton(engine, skeleton, client);
      known.set(key, image);
      return image;
    },
    commandFor: (command) => command,
  };
}

/** The image sets PATH; a program of this machine is looked up there by name. */
async function programsOfImage(image: string, input: IsolationInput): Promise<Programs> {
  return {
    ofHost: false,
    node: 'node',
    sight: await imageSight(input),
    imageFor: async () => image,
    commandFor: (command, view) => {
      const { PATH: _, ...env } = command.env;
      const { file } = command;
      return { ...command, env, file: isAbsolute(file) && !isThere(view, file) ? basename(file) : file };
    },
  };
}

/** What a command sees, in mount order. @param home its home folder on the host */
type Sight = (home: string, command: InsideCommand, sockets: string) => Promise<readonly ViewEntry[]>;

const OF_THE_ENGINE = ['/proc', '/sys', '/dev'];

/** The programs of this machine, as in every isolation by mounts. */
async function hostSight(input: IsolationInput): Promise<Sight> {
  const base = await prepareView(input);
  const system = await withEtc(base.system);
  return async (home, command, sockets) => withoutEngines(await viewOf({ ...base, system }, home, command, sockets));
}

/** The programs of an image: only the work tree, the home folder and our own package come from this machine. */
async function imageSight(input: IsolationInput): Promise<Sight> {
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

/** Files that an engine mounts in every container. It cannot create them in a read-only folder. */
const MADE_BY_ENGINE = ['hostname', 'hosts', 'resolv.conf'];

/** Where this machine's /etc lacks a file that engines mount into it (Fedora has no `hostname`): its entries one by one. */
async function withEtc(view: readonly ViewEntry[]): Promise<readonly ViewEntry[]> {
  const there = await Promise.all(MADE_BY_ENGINE.map((name) => exists(join('/etc', name))));
  return there.every(Boolean) ? view : oneByOne(view, '/etc', MADE_BY_ENGINE);
}
