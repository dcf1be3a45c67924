import { isWithin, readText } from '../../../platform/index.ts';
import type { Env } from '../port.ts';
import { runText } from '../run-text.ts';
import { fixSurroundings, installWays, thisSystem } from '../system.ts';
import type { ViewEntry } from '../view/entry.ts';
import { findFile } from '../view/programs.ts';
import { seccompFilter } from './seccomp.ts';

/** A bwrap that can make sandboxes here. */
export interface Bwrap extends Abilities {
  readonly file: string;
  readonly version: string;
  /** Its system call filter; null where this machine has none, or the kernel accepts none. */
  readonly filter: Uint8Array | null;
}

/** System folders that may contain it. They precede PATH, whose folders may contain a program planted by an agent. */
const SYSTEM_FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/run/current-system/sw/bin'];
const PATIENCE_MS = 10_000;

/**
 * Finds bwrap and has it make a sandbox, with all its abilities and, where that fails, without a system call filter or
 * without forbidding namespaces inside.
 *
 * @returns its complaint when it cannot make one; null when there is no bwrap
 */
export async function findBwrap(
  path: string | undefined,
  root: string,
  systemFolders = SYSTEM_FOLDERS,
): Promise<Bwrap | { readonly complaint: string } | null> {
  const others = (path ?? '').split(':').filter((folder) => folder.startsWith('/') && !isWithin(folder, root));
  const file = await findFile('bwrap', '/', [...systemFolders, ...others].join(':'));
  if (file === null) return null;
  const [{ output: help }, { output: named }] = await Promise.all([run(file, ['--help']), run(file, ['--version'])]);
  const size = help.includes('--size ');
  const version = /\d[\d.]*/.exec(named)?.[0] ?? '?';
  const usual = seccompFilter(process.arch);
  let complaint = '';
  for (const disableUserns of help.includes('--disable-userns') ? [true, false] : [false]) {
    for (const filter of usual === null ? [null] : [usual, null]) {
      const { worked, output } = await makeSandbox(file, disableUserns, filter);
      if (worked) return { file, version, disableUserns, size, filter };
      complaint ||= output.trim().split('\n')[0] || 'no answer';
    }
  }
  return { complaint };
}

function makeSandbox(file: string, disableUserns: boolean, filter: Uint8Array | null) {
  const view = ['--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev'];
  const args = [...namespaceArguments({ disableUserns }), ...(filter === null ? [] : ['--seccomp', '0']), ...view];
  return run(file, [...args, '--', '/bin/true'], filter);
}

async function run(file: string, args: readonly string[], input: Uint8Array | null = null) {
  const options = { env: { LC_ALL: 'C' }, timeoutMs: PATIENCE_MS, input };
  const { exitCode, stdout, stderr } = await runText(file, args, options);
  return { worked: exitCode === 0, output: `${stdout}${stderr}` };
}

/** Kernel settings that bar ordinary users from namespaces: which value does, and how to allow them. */
const SETTINGS: readonly (readonly [name: string, forbids: (value: string) => boolean, fix: string])[] = [
  [
    // Ubuntu since 23.10.
    'kernel/apparmor_restrict_unprivileged_userns',
    (value) => value !== '0',
    'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 (or an AppArmor profile for bwrap that allows userns)',
  ],
  [
    // Older Debian, and Arch's hardened kernel.
    'kernel/unprivileged_userns_clone',
    (value) => value === '0',
    'sudo sysctl -w kernel.unprivileged_userns_clone=1',
  ],
  ['user/max_user_namespaces', (value) => value === '0', 'sudo sysctl -w user.max_user_namespaces=15000'],
];

export async function missingWays(env: Env): Promise<readonly string[]> {
  return installWays('bwrap', await thisSystem(env));
}

/** What keeps an installed bwrap from working or from holding, by the kernel's settings and our surroundings. */
export async function complaintWays(
  env: Env,
  settingOf = (name: string) => readText(`/proc/sys/${name}`).catch(() => null),
): Promise<readonly string[]> {
  const values = await Promise.all(SETTINGS.map(([name]) => settingOf(name)));
  const settings = SETTINGS.flatMap(([, forbids, fix], i) => {
    const value = values[i]?.trim();
    return value !== undefined && forbids(value) ? [fix] : [];
  });
  const ways = settings.length > 0 ? settings : fixSurroundings(await thisSystem(env));
  return ways.length > 0 ? ways : ['use another backend: ralph run --sandbox=container'];
}

/** Why system calls are not filtered here, if they are not; `machine` as Node names it. Pure. */
export function unfiltered({ filter }: Pick<Bwrap, 'filter'>, machine: string): readonly string[] {
  if (filter !== null) return [];
  const why = seccompFilter(machine) === null ? `no filter is known for ${machine}` : 'none can be set';
  return [`system calls are not filtered here (${why})`];
}

/** Abilities of this bwrap that not every version has. */
interface Abilities {
  /** `--disable-userns`, since 0.8: no nested namespaces, where kernels have most of their holes. */
  readonly disableUserns: boolean;
  /** `--size`, since 0.7: size limit of a folder in memory, in bytes. */
  readonly size: boolean;
}

/** Useless inside, and revealing about the host; those that exist are masked. */
export const KERNEL_FILES = [
  ...['/proc/acpi', '/proc/asound', '/proc/kcore', '/proc/keys', '/proc/latency_stats', '/proc/sched_debug'],
  ...['/proc/scsi', '/proc/timer_list', '/proc/timer_stats'],
];

/**
 * What root could change there without any capability: the owner of a kernel setting is the host's root, and a process
 * that may write `kernel.core_pattern` can have the kernel run its program outside. bwrap covers these itself only
 * where the folder looks writable, which the settings folder never does.
 */
const KERNEL_SETTINGS = [
  ...['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/driver'],
  ...['/proc/dynamic_debug', '/proc/mtrr', '/proc/tty'],
];

/** The namespaces: none is shared. */
export function namespaceArguments({ disableUserns }: Pick<Abilities, 'disableUserns'>): readonly string[] {
  return [
    '--unshare-all',
    ...(disableUserns ? ['--unshare-user', '--disable-userns'] : []),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'ralph-sandbox'],
  ];
}

/**
 * A view as arguments of bwrap. Its root, a folder in memory, is read-only: a program that writes elsewhere gets an
 * error rather than silently losing its data.
 *
 * @param memory bytes that a folder in memory may take
 */
export function viewArguments(
  view: readonly ViewEntry[],
  masked: readonly ViewEntry[],
  abilities: Pick<Abilities, 'size'>,
  memory: number,
): readonly string[] {
  const size = abilities.size ? ['--size', String(memory)] : [];
  return [
    ...['--proc', '/proc', '--dev', '/dev'],
    ...KERNEL_SETTINGS.flatMap((path) => ['--ro-bind-try', path, path]),
    ...[...masked, ...view].flatMap((entry) => entryArguments(entry, size)),
    ...['--remount-ro', '/'],
  ];
}

function entryArguments(entry: ViewEntry, size: readonly string[]): readonly string[] {
  switch (entry.kind) {
    case 'read':
      return ['--ro-bind', entry.from, entry.at];
    case 'write':
      return ['--bind', entry.from, entry.at];
    case 'empty':
      return [...size, '--tmpfs', entry.at];
    case 'folder':
      return ['--dir', entry.at];
    case 'link':
      return ['--symlink', entry.target, entry.at];
    case 'mask':
      // A device bound this way cannot be opened: bwrap mounts with `nodev`.
      return entry.of === 'file'
        ? ['--ro-bind', '/dev/null', entry.at]
        : ['--tmpfs', entry.at, '--remount-ro', entry.at];
  }
}
