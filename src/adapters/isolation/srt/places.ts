import { join } from 'node:path';
import { exists, list, realPath, stat } from '../../../platform/files/files.ts';
import type { InsideCommand, InsideWorkspace, IsolationInput } from '../port.ts';
import { ownPlaces } from '../view/own-package.ts';
import { isWithin } from '../view/paths.ts';
import { findFile, placesOf, programPlaces } from '../view/programs.ts';
import { toolchainPlaces } from '../view/toolchains.ts';
import { insideHome } from '../view/view.ts';
import type { Places } from './settings.ts';

/** Where people and programs keep what is nobody else's; srt can only hide, not show. */
const HIDDEN: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  linux: ['/home', '/root', '/run', '/tmp', '/var/tmp', '/etc/shadow', '/etc/gshadow', '/etc/ssl/private'],
  darwin: ['/Users', '/Volumes', '/private/tmp', '/private/var/root'],
};

/** What is the same for every command of a run. */
export interface BasePlaces {
  readonly input: IsolationInput;
  readonly home: string;
  readonly hidden: readonly string[];
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/** Looks at the machine once for a run. @param temp the run's own folder for temporary files */
export async function basePlaces(input: IsolationInput, temp: string): Promise<BasePlaces> {
  const home = insideHome(input.env);
  const roots = await bothNames(input.workspace.root);
  const [programs, node, own] = await Promise.all([
    programPlaces(input.env['PATH'], home, roots),
    placesOf(process.execPath, home),
    ownPlaces(),
  ]);
  const shown = [...toolchainPlaces(input.env, home), ...programs, ...node, ...own, ...input.policy.read];
  const hidden = [...(HIDDEN[process.platform] ?? []), ...(await bothNames(home))];
  const written = [input.workspace.root, temp, ...input.policy.write];
  return {
    input,
    home,
    hidden: await there(hidden),
    // A folder that holds what is to be hidden would bring it along.
    readable: (await there(shown)).filter((path) => !isWithin(home, path)),
    writable: await there(written),
  };
}

/** What one command may touch. @param folder its home folder. Mounts at another place than their own cannot be made: they are left out. */
export async function placesFor(base: BasePlaces, folder: string, command: InsideCommand): Promise<Places> {
  const mounts = command.mounts.filter(({ from, at }) => from === at);
  const written = mounts.flatMap((each) => (each.writable ? [each.from] : []));
  const writable = [...base.writable, ...(await there([folder, ...written]))];
  const program = await findFile(command.file, command.cwd, command.env['PATH']);
  const started = program === null ? [] : await placesOf(program, base.home);
  const readable = await there([...mounts.map(({ from }) => from), ...started]);
  return {
    hidden: base.hidden,
    readable: [...base.readable, ...readable, ...writable].filter((path) => !isWithin(base.home, path)),
    writable,
    readOnly: await readOnlyPlaces(base.input.workspace),
  };
}

/**
 * What is read-only, with holes: in srt's rules nothing below a read-only folder can be writable. So a folder with
 * something writable in it is replaced by what else it holds now; what is new in it later can be written.
 */
async function readOnlyPlaces({ readOnly, writable }: InsideWorkspace): Promise<readonly string[]> {
  const around = async (path: string): Promise<readonly string[]> => {
    if (writable.includes(path)) return [];
    const holds = writable.some((place) => isWithin(place, path));
    if (!holds || (await stat(path))?.kind !== 'dir') return [path];
    return (await Promise.all((await list(path)).map((name) => around(join(path, name))))).flat();
  };
  return there((await Promise.all(readOnly.map(around))).flat());
}

/** Those that exist, as they are named and as they really are: rules go by real paths. */
async function there(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(async (path) => ((await exists(path)) ? bothNames(path) : [])));
  return [...new Set(found.flat())];
}

async function bothNames(path: string): Promise<readonly string[]> {
  const real = await realPath(path).catch(() => path);
  return real === path ? [path] : [path, real];
}
