import { homedir } from 'node:os';
import { hostName, isWithin, processExists, processId, readText, realPath } from '../../../platform/index.ts';
import type { Env, IsolationInput } from '../port.ts';
import { runText } from '../run-text.ts';

export type EngineName = 'podman' | 'docker';

/** An installed container engine, and what it can do on this machine. */
export interface Engine {
  readonly name: EngineName;
  readonly version: string;
  /** Arguments before the verb: `--runtime runc`. */
  readonly global: readonly string[];
  /** Added to `run` because this machine needs it. */
  readonly run: readonly string[];
  /**
   * Flags of `run` for pipes. Podman passes them to the container itself where it can, so that nothing is lost when its
   * client ends before the container. The output is not logged by the engine: agents' output belongs to the loop.
   */
  readonly piped: readonly string[];
  /** Its root is the person who started it: user 0 inside is that person outside. */
  readonly rootless: boolean;
  /** It maps user ids by default, which must be switched off for files to keep their owner. */
  readonly remapsUsers: boolean;
  /** File with the system calls that it allows, where it names one; Docker does not reveal its list. */
  readonly seccompProfile: string | null;
  readonly limits: Readonly<Record<'memory' | 'processes' | 'cpus', boolean>>;
}

/** Limits the wait for a daemon that hangs. */
const PATIENCE_MS = 30_000;
/** Kept of each stream; the output of `info` is some 10 kB. */
const MAX_BYTES = 1024 * 1024;

/**
 * Runs the engine's client to its end. Never throws when a client is missing, fails or takes too long; then `exitCode` is
 * null, and `complaint` says why. Otherwise `complaint` is its last lines on standard error.
 */
export async function askEngine(
  engine: { readonly name: EngineName; readonly global: readonly string[] },
  args: readonly string[],
  { env, input, timeoutMs = PATIENCE_MS }: AskOptions,
) {
  const options = { env, timeoutMs, maxBytes: MAX_BYTES, input };
  const { failed, ...ran } = await runText(engine.name, [...engine.global, ...args], options);
  if (failed?.code === 'ENOENT') return { exitCode: null, stdout: '', complaint: 'not installed' };
  if (!ran.timedOut)
    return {
      exitCode: ran.exitCode,
      stdout: ran.stdout,
      complaint: ran.stderr.trim().split('\n').slice(-3).join(' ').slice(-600),
    };
  return { exitCode: null, stdout: ran.stdout, complaint: `no answer within ${Math.round(timeoutMs / 1000)} s` };
}

interface AskOptions {
  /** The user's own: PATH, HOME, DOCKER_HOST and the like. */
  readonly env: Env;
  readonly input?: Uint8Array;
  readonly timeoutMs?: number;
}

export function currentUser(): { readonly uid: number; readonly gid: number } {
  return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
}

/** Labels of every container made here: which process started it, and for which run. */
const OWNER = 'ralph-loop.owner';
const RUN = 'ralph-loop.run';

export function labelsOf(run: string): Readonly<Record<string, string>> {
  return { [OWNER]: `${processId()}@${hostName()}`, [RUN]: run };
}

/** Removes containers whose starting process is gone, for instance killed. Never rejects. */
export async function removeLeftovers(engine: Engine, env: Env): Promise<void> {
  const format = `{{.ID}} {{index .Labels "${OWNER}"}}`;
  const listed = ['ps', '--all', '--no-trunc', '--filter', `label=${OWNER}`, '--format', format];
  const { stdout } = await askEngine(engine, engine.name === 'podman' ? listed : dockerListing(listed), { env });
  const left = stdout.split('\n').flatMap((line) => {
    const [id = '', owner = ''] = line.trim().split(' ');
    return id !== '' && isGone(owner) ? [id] : [];
  });
  if (left.length > 0) await removeContainers(engine, left, env);
}

/** Ends and removes containers at once; missing ones are fine. Never rejects. */
export async function removeContainers(engine: Engine, names: readonly string[], env: Env): Promise<void> {
  const ways = engine.name === 'podman' ? ['--ignore', '--time', '0'] : [];
  await askEngine(engine, ['rm', '--force', '--volumes', ...ways, ...names], { env });
}

/** Docker's table format reads a label with its own function. */
function dockerListing(listed: readonly string[]): readonly string[] {
  return [...listed.slice(0, -1), `{{.ID}} {{.Label "${OWNER}"}}`];
}

/** Only for processes of this machine: a container that shares the engine with its host has other process ids. */
function isGone(owner: string): boolean {
  const [pid = '', ...host] = owner.split('@');
  return /^\d+$/.test(pid) && host.join('@') === hostName() && !processExists(Number(pid));
}

/** Rows of /proc/self/limits: their names for `--ulimit`, and the most that is requested. */
const LIMITS: Readonly<Record<string, { readonly name: string; readonly most: number }>> = {
  // Podman lowers its own limit to the highest possible process id, which is this on small machines.
  'Max processes': { name: 'nproc', most: 32_768 },
  // Programs that close every possible file descriptor take long with millions of them.
  'Max open files': { name: 'nofile', most: 65_536 },
};

/**
 * Flags that give a container at most the limits of this process: Podman's defaults are higher than some machines
 * allow, and then nothing starts. Docker's daemon has its own limits, independent of the ones here.
 */
export async function ulimitFlags(
  engine: EngineName,
  readTable = () => readText('/proc/self/limits'),
): Promise<readonly string[]> {
  const table = engine === 'podman' ? ((await readTable()) ?? '') : '';
  return ['--ulimit', 'core=0:0', ...parseLimits(table).flatMap((limit) => ['--ulimit', limit])];
}

/** The hard limits of /proc/self/limits, in the form of `--ulimit`. */
function parseLimits(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const [, row = '', hard = ''] = /^(.+?)\s+(?:\d+|unlimited)\s+(\d+|unlimited)/.exec(line) ?? [];
    const limit = LIMITS[row];
    if (limit === undefined) return [];
    const value = hard === 'unlimited' ? limit.most : Math.min(Number(hard), limit.most);
    return [`${limit.name}=${value}:${value}`];
  });
}

/**
 * The environment in which the engine's client is looked up and runs: the user's, without PATH folders that are
 * writable inside, where an agent may have planted a `podman`. Rootless engines keep their images below the account's
 * home folder, independent of the home folder inside.
 */
export async function clientEnvironment({ env, workspace, policy }: ClientInput): Promise<Env> {
  const writable = await Promise.all([workspace.root, ...policy.write].map(realOrSame));
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  const real = await Promise.all(folders.map(realOrSame));
  const safe = folders.filter((_, i) => !writable.some((place) => isWithin(real[i] ?? place, place)));
  return { ...env, HOME: homedir(), PATH: safe.join(':') };
}

type ClientInput = Pick<IsolationInput, 'env' | 'workspace' | 'policy'>;

function realOrSame(path: string): Promise<string> {
  return realPath(path).catch(() => path);
}
