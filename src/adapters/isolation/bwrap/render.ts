import type { ViewEntry } from '../view/entry.ts';

/** Abilities of this bwrap that not every version has. */
export interface Abilities {
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
