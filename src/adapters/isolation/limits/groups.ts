import type { Env, Policy } from '../port.ts';

/** A file of a control group and its new value; optional where the kernel may lack it. */
export interface GroupSetting {
  /** The parent of the group that is made for a sandbox. */
  readonly parent: string;
  readonly file: string;
  readonly value: string;
  readonly optional?: boolean;
}

const PERIOD = 100_000;

type Controller = 'memory' | 'pids' | 'cpu';

type GroupFile = readonly [name: string, value: string | number, optional?: 'optional'];

/** What limits a sandbox, by control group version and controller; optional files come after those they depend on. */
const FILES: Readonly<Record<1 | 2, (policy: Policy) => Readonly<Record<Controller, readonly GroupFile[]>>>> = {
  1: ({ memoryBytes, processes, cpus }) => ({
    memory: [
      ['memory.limit_in_bytes', memoryBytes],
      // Memory and swap together.
      ['memory.memsw.limit_in_bytes', memoryBytes, 'optional'],
    ],
    pids: [['pids.max', processes]],
    cpu:
      cpus === null
        ? []
        : [
            ['cpu.cfs_period_us', PERIOD],
            ['cpu.cfs_quota_us', quota(cpus)],
          ],
  }),
  2: ({ memoryBytes, processes, cpus }) => ({
    memory: [passedOn('memory'), ['memory.max', memoryBytes], ['memory.swap.max', 0, 'optional']],
    pids: [passedOn('pids'), ['pids.max', processes]],
    cpu: cpus === null ? [] : [passedOn('cpu'), ['cpu.max', `${quota(cpus)} ${PERIOD}`]],
  }),
};

const quota = (cpus: number) => Math.max(1_000, Math.round(cpus * PERIOD));

/** Version 2: the parent group has to pass a controller on; usually it already does. */
const passedOn = (controller: Controller): GroupFile => ['../cgroup.subtree_control', `+${controller}`, 'optional'];

export interface Hierarchy {
  readonly version: 1 | 2;
  readonly controller: Controller;
  readonly parent: string;
}

interface Mounted extends Omit<Hierarchy, 'parent'> {
  readonly mount: string;
  /** Our own group in it; empty for its root. */
  readonly group: string;
}

/** From the texts of /proc/self/mounts and /proc/self/cgroup. Pure. */
export function hierarchiesIn(mounts: string, own: string): readonly Mounted[] {
  const mounted = mounts.split('\n').map((line) => line.split(' '));
  const groups = own.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line));
  return (['memory', 'pids', 'cpu'] as const).flatMap((controller): readonly Mounted[] => {
    const first = mounted.find(([, , type, flags]) => type === 'cgroup' && flags?.split(',').includes(controller));
    const group = groups.find((entry) => entry?.[1]?.split(',').includes(controller))?.[2];
    if (first?.[1] && group !== undefined) return [{ version: 1, controller, mount: first[1], group }];
    const unified = mounted.find(([, , type]) => type === 'cgroup2');
    // Only the root group may have both processes and child groups.
    return unified?.[1] ? [{ version: 2, controller, mount: unified[1], group: '' }] : [];
  });
}

/** What to write for a policy, hierarchy by hierarchy, joining last. Pure. */
export function groupSettings(found: readonly Hierarchy[], policy: Policy): readonly GroupSetting[] {
  return found.flatMap(({ version, controller, parent }) => {
    const wanted = FILES[version](policy)[controller];
    if (wanted.length === 0) return [];
    const join = { parent, file: 'cgroup.procs', value: 'self' };
    return [
      ...wanted.map(([file, value, optional]) => ({
        parent,
        file,
        value: `${value}`,
        ...(optional ? { optional: true } : {}),
      })),
      join,
    ];
  });
}

/**
 * Moves itself into a group, which it makes if needed, then becomes the command. Parameters: name of the group; four for
 * each setting (parent, file, value, whether it is optional); `--`; the command. It runs outside with the PATH for
 * inside, where an agent may have put its own mkdir: PATH must not be used.
 */
const SCRIPT = `
path=$PATH
PATH=/usr/bin:/bin:/run/current-system/sw/bin
name=$1
shift
fail() { echo "ralph sandbox: its limits cannot be set: $1" >&2; exit 125; }
while [ "$1" != -- ]; do
  group=$1/$name file=$2 value=$3 optional=$4
  shift 4
  [ -d "$group" ] || mkdir "$group" 2>/dev/null || [ -d "$group" ] || fail "$group"
  [ "$value" = self ] && value=$$
  echo "$value" 2>/dev/null >"$group/$file" || [ "$optional" = true ] || fail "$group/$file"
done
shift
PATH=$path
exec "$@"
`;

/** A command line prefix that runs the rest inside a group of that name. Pure. */
export function joinGroup(name: string, settings: readonly GroupSetting[]): readonly string[] {
  const parameters = settings.flatMap(({ parent, file, value, optional = false }) => [
    parent,
    file,
    value,
    String(optional),
  ]);
  return ['/bin/sh', '-c', SCRIPT, 'ralph-limits', name, ...parameters, '--'];
}

/** How to reach the user's systemd; processes inside do not need it. */
const BUS = ['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'];

/**
 * A command line prefix that runs the rest in a scope of the user's systemd: as the same process, in its place in the
 * process tree and with its environment. The scope disappears with its last process. Pure.
 *
 * @param file systemd-run, absolute: PATH is the one for inside, where an agent may have put its own
 * @param env the user's
 */
export function joinScope(policy: Policy, file: string, env: Env): readonly string[] {
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
