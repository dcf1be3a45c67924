import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { StateError } from '../../../contracts/errors.ts';
import { writeAtomic } from '../../../platform/files/atomic-file.ts';
import { chmod, makeDir, remove, stat } from '../../../platform/files/files.ts';
import type { IsolationName } from '../port.ts';
import { mirror, ownFolder, removeBelow } from './mirror.ts';
import { pickParts } from './pick.ts';
import { START_FILES } from './start-files.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What an agent wants of its home folder: the part of `InsideNeeds` (../../agents/port.ts) that concerns it. */
export interface HomeNeeds {
  readonly config: {
    readonly folder: string;
    readonly variable: string | null;
    readonly variableNamesHome?: true;
    readonly copied: readonly string[];
  } | null;
  readonly seeds: Readonly<Record<string, string>>;
}

/** Two runs that prepare the same folder may take files from under each other's hands. */
const TRIES = 3;

/** Who is at home there. */
export type Whose = 'agents' | 'checks';

export interface PreparedHome {
  /** What is the home folder inside. */
  readonly path: string;
  /** What of the person's settings was left out, and why. */
  readonly notices: readonly string[];
}

/**
 * Where the home folder of a backend's inside lies: `${XDG_STATE_HOME:-~/.local/state}/ralph/isolation/<backend>/home`.
 * A login made inside stays there; it is never copied, in either direction. Checks and commit hooks have one of their
 * own, so that nothing which an agent leaves at home changes what they say.
 */
export function homePath(env: Env, backend: IsolationName, whose: Whose = 'agents'): string {
  const asked = env['XDG_STATE_HOME'];
  const state = asked && isAbsolute(asked) ? asked : join(personsHome(env), '.local', 'state');
  return join(state, 'ralph', 'isolation', backend, whose === 'agents' ? 'home' : 'checks-home');
}

/**
 * Makes the home folder of the inside ready for an agent: what programs read at every start is gone, the allow-listed
 * parts of every agent's configuration folder are anew the person's, files that agents want to find are made where they
 * are missing, the rest is as it was. Two runs may do so at once.
 *
 * @throws StateError when the folder cannot be made or written
 */
export async function prepareHome(input: {
  readonly env: Env;
  readonly backend: IsolationName;
  readonly needs: readonly HomeNeeds[];
  readonly whose?: Whose;
}): Promise<PreparedHome> {
  const path = homePath(input.env, input.backend, input.whose);
  try {
    await makeDir(path);
    await chmod(dirname(path), 0o700);
    await chmod(path, 0o700);
    for (const each of START_FILES) await removeBelow(path, each);
    return { path, notices: await furnishAll(path, input.env, input.needs) };
  } catch (error) {
    throw new StateError({
      what: 'the home folder of the isolation cannot be prepared',
      where: path,
      why: error instanceof Error ? error.message : String(error),
      mend: ['set XDG_STATE_HOME to a folder you may write', 'or make it anew: ralph sandbox remove'],
    });
  }
}

/** Removes both, with every login that was made inside. */
export async function removeHome(env: Env, backend: IsolationName): Promise<void> {
  await remove(homePath(env, backend));
  await remove(homePath(env, backend, 'checks'));
}

async function furnishAll(home: string, env: Env, needs: readonly HomeNeeds[], tried = 1): Promise<readonly string[]> {
  try {
    const notices: string[] = [];
    for (const each of needs) notices.push(...(await furnish(home, env, each)));
    return notices;
  } catch (error) {
    if (tried === TRIES) throw error;
    return furnishAll(home, env, needs, tried + 1);
  }
}

async function furnish(home: string, env: Env, { config, seeds }: HomeNeeds): Promise<readonly string[]> {
  const notices: string[] = [];
  if (config) {
    const from = configFolder(env, config);
    const { files, leftOut } = await pickParts(from, config.copied);
    const seeded = Object.keys(seeds).map((path) => relative(config.folder, path));
    await mirror(home, config.folder, config.copied, files, new Set(seeded));
    notices.push(...leftOut.map((what) => `not taken into the isolation from ${from}: ${what}`));
  }
  for (const [path, text] of Object.entries(seeds)) await seed(home, path, text);
  return notices;
}

/** Where the person keeps the agent's configuration. */
function configFolder(env: Env, { folder, variable, variableNamesHome }: NonNullable<HomeNeeds['config']>): string {
  const named = variable ? env[variable] : undefined;
  if (named && isAbsolute(named)) return variableNamesHome ? join(named, folder) : named;
  return join(personsHome(env), folder);
}

async function seed(home: string, path: string, text: string): Promise<void> {
  await ownFolder(home, dirname(path));
  const at = join(home, dirname(path), basename(path));
  if ((await stat(at))?.kind === 'file') return;
  await remove(at);
  await writeAtomic(at, text, { fsync: false, mode: 0o600 });
}

function personsHome(env: Env): string {
  return env['HOME'] || homedir();
}
