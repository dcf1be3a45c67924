import type { Policy } from '../port.ts';

/** Where the user's systemd is reached; the inside has no use for it. */
const BUS = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/**
 * The beginning of a command line that runs the rest of it in a scope of the user's systemd: itself, in its own place
 * in the tree of processes and with its environment. The scope is gone with its last process. Pure.
 *
 * @param file systemd-run, absolute: PATH is that of the inside, where an agent may have put one of its own
 * @param env the person's
 */
export function joinScope(
  policy: Policy,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const { memoryBytes, processes, cpus } = policy;
  const properties = [
    `MemoryMax=${memoryBytes}`,
    'MemorySwapMax=0',
    `TasksMax=${processes}`,
    ...(cpus === null ? [] : [`CPUQuota=${Math.max(1, Math.round(cpus * 100))}%`]),
  ];
  const options = ['--user', '--scope', '--quiet', '--collect', ...properties.flatMap((one) => ['-p', one])];
  const bus = BUS.flatMap((name) => (env[name] ? [`${name}=${env[name]}`] : []));
  const without = BUS.flatMap((name) => ['-u', name]);
  return ['/usr/bin/env', ...bus, file, ...options, '--', '/usr/bin/env', ...without];
}

/** Prints the limits that really hold where it runs: what systemd accepted may not have been passed on to it. */
export const HELD = `
while IFS=: read -r number controllers group; do
  [ "$number" = 0 ] && for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
    for file in memory.max pids.max; do
      [ -r "$root$group/$file" ] && echo "$file $(cat "$root$group/$file")"
    done
  done
done </proc/self/cgroup
`;
