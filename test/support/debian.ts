import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runCommand, tryLock } from '../../src/platform/index.ts';

export type Need =
  | 'bwrap'
  | 'podman'
  | 'docker'
  | 'socat'
  | 'chromium'
  | 'tmux'
  | 'zsh'
  | 'fish'
  | 'groff'
  | 'postgres'
  | 'python';

/** What has to be on this machine for a need, and the Debian packages that bring it. */
interface Provision {
  readonly programs: readonly string[];
  /** Those that this release of Debian does not know are left out. */
  readonly packages: readonly string[];
  /** Its program may be there and yet not be allowed to do its work. */
  readonly trial: readonly [string, ...string[]] | null;
}

const PROVISIONS: Readonly<Record<Need, Provision>> = {
  bwrap: {
    programs: ['bwrap'],
    packages: ['bubblewrap'],
    trial: ['bwrap', '--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'],
  },
  podman: {
    programs: ['podman', 'runc', 'newuidmap', 'busybox'],
    packages: ['podman', 'runc', 'uidmap', 'busybox-static'],
    trial: ['podman', '--version'],
  },
  docker: {
    programs: ['dockerd', 'docker'],
    // The client is a package of its own from Debian 13 on.
    packages: ['docker.io', 'docker-cli'],
    trial: null,
  },
  socat: { programs: ['socat'], packages: ['socat'], trial: null },
  // Without a font of its own the browser draws no letters.
  chromium: { programs: ['chromium'], packages: ['chromium', 'fonts-dejavu-core'], trial: ['chromium', '--version'] },
  tmux: { programs: ['tmux'], packages: ['tmux'], trial: ['tmux', '-V'] },
  zsh: { programs: ['zsh'], packages: ['zsh'], trial: ['zsh', '--version'] },
  groff: { programs: ['groff'], packages: ['groff'], trial: ['groff', '--version'] },
  fish: { programs: ['fish'], packages: ['fish'], trial: ['fish', '--version'] },
  python: {
    programs: ['python3'],
    packages: ['python3-venv'],
    trial: ['python3', '-c', 'import ensurepip, venv'],
  },
  postgres: { programs: ['initdb', 'postgres'], packages: ['postgresql'], trial: null },
};

/** Where Debian puts programs, whatever the PATH of whoever runs the tests says. */
const FOLDERS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];
/** PostgreSQL's server programs stand in a folder for each version. */
const POSTGRES = '/usr/lib/postgresql';

const INSTALL_TIMEOUT_MS = 5 * 60_000;
/** A failed installation is not tried again by the test files that come soon after; a later test run does. */
const REMEMBER_FAILURE_MS = 10 * 60_000;

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/ralph-debian/', import.meta.url));
const LOCK = join(CACHE, 'install', 'lock');

const known = new Map<Need, Promise<string | null>>();

/**
 * Sees to it that programs are there: as root on Debian and its kin by installing their packages, once. Safe to call
 * from test files that run at once.
 *
 * @returns null when all can be used, else why not: the reason to skip
 */
export async function needs(...names: readonly Need[]): Promise<string | null> {
  for (const name of names) {
    const missing = known.get(name) ?? provide(name);
    known.set(name, missing);
    const reason = await missing;
    if (reason !== null) return reason;
  }
  return null;
}

async function provide(name: Need): Promise<string | null> {
  if (process.platform !== 'linux') return `${name} is for Linux`;
  if (!isThere(name)) {
    const failure = await install(name);
    if (failure !== null) return failure;
  }
  return trial(name);
}

function isThere(name: Need): boolean {
  return PROVISIONS[name].programs.every((program) => findProgram(program) !== null);
}

/** The path of a program, wherever Debian has it. */
export function findProgram(program: string): string | null {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...FOLDERS, ...versions.map((one) => join(POSTGRES, one, 'bin'))];
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path)) ?? null;
}

async function trial(name: Need): Promise<string | null> {
  const [file, ...args] = PROVISIONS[name].trial ?? [];
  if (file === undefined) return null;
  const { exitCode, stderr } = await runCommand(file, args, { cwd: '/', timeoutMs: 300_000 });
  return exitCode === 0 ? null : `${name} does not work here: ${stderr.toString('utf8').trim()}`;
}

async function install(name: Need): Promise<string | null> {
  const { packages } = PROVISIONS[name];
  const wanted = `${name} is not installed (Debian: apt-get install ${packages.join(' ')})`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return wanted;
  for (;;) {
    const holder = { pid: process.pid, host: hostname(), startedAt: new Date().toISOString(), run: 'apt-get' };
    const lock = await tryLock(LOCK, holder);
    if ('heldBy' in lock) {
      await wait(200);
      continue;
    }
    try {
      return isThere(name) ? null : (rememberedFailure(name) ?? (await aptInstall(name)));
    } finally {
      await lock.release();
    }
  }
}

async function aptInstall(name: Need): Promise<string | null> {
  rmSync(failureFile(name), { force: true });
  const stderr =
    (await apt('apt-get', 'update')) ??
    (await apt('apt-get', 'install', '-y', '--no-install-recommends', ...(await packagesOfThisRelease(name))));
  if (stderr === null && isThere(name)) return null;
  const reason = `${name} could not be installed: ${stderr ?? 'its packages hold other programs'}`;
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(failureFile(name), JSON.stringify({ at: Date.now(), reason }));
  return reason;
}

async function packagesOfThisRelease(name: Need): Promise<readonly string[]> {
  const { packages } = PROVISIONS[name];
  const unknown = await Promise.all(packages.map((one) => apt('apt-cache', 'show', one)));
  return packages.filter((_, i) => unknown[i] === null);
}

/** @returns null when it went well, else the end of what it complained about */
async function apt(file: string, ...args: readonly string[]): Promise<string | null> {
  const { exitCode, stderr, timedOut } = await runCommand(file, ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    cwd: '/',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeoutMs: INSTALL_TIMEOUT_MS,
    maxBytes: 4000,
  });
  if (exitCode === 0) return null;
  const complaint = stderr.toString('utf8').trim().split('\n').slice(-3).join(' ');
  return timedOut ? `${file} took too long` : `${file} ${args[0]} ended with ${exitCode}: ${complaint}`;
}

function failureFile(name: Need): string {
  return join(CACHE, `${name}.failure.json`);
}

function rememberedFailure(name: Need): string | null {
  try {
    const { at, reason } = JSON.parse(readFileSync(failureFile(name), 'utf8'));
    return Date.now() - at < REMEMBER_FAILURE_MS ? String(reason) : null;
  } catch {
    return null;
  }
}
