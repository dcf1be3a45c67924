import type { Env, Policy } from '../port.ts';

/** A file of a control group and its new value; optional where the kernel may lack it. */
interface GroupSetting {
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

/** What to write for a policy, hierarchy by hierarchy. Pure. */
export function groupSettings(found: readonly Hierarchy[], policy: Policy): readonly GroupSetting[] {
  return found.flatMap(({ version, controller, parent }) =>
    FILES[version](policy)[controller].map(([file, value, optional]) => ({
      ...{ parent, file, value: `${value}` },
      ...(optional ? { optional: true } : {}),
    })),
  );
}

/**
 * The files to which a process writes 0 in order to move itself into a group of that name. In version 1 it moves by
 * thread, which takes no time: moving by process waits for all processors to pass the scheduler. Pure.
 */
export function groupDoors(found: readonly Hierarchy[], name: string): readonly string[] {
  return [
    ...new Set(found.map(({ version, parent }) => `${parent}/${name}/${version === 1 ? 'tasks' : 'cgroup.procs'}`)),
  ];
}

/** A script's failure on the way into a group; what should be limited does not start. */
const FAIL = 'fail() { echo "ralph sandbox: its limits cannot be set: $1" >&2; exit 125; }';

/** The beginning of a script whose parameters begin with {@link groupDoors} and `--`: it goes through them. */
export const JOIN = `${FAIL}; while [ "$1" != -- ]; do echo 0 2>/dev/null >"$1" || fail "$1"; shift; done; shift`;

/**
 * Makes a group and joins it, to see that both work. Parameters: name of the group; four for each setting (parent, file,
 * value, whether it is optional); `--`; see {@link JOIN}.
 */
const SCRIPT = `
${FAIL}
name=$1
shift
while [ "$1" != -- ]; do
  group=$1/$name file=$2 value=$3 optional=$4
  shift 4
  [ -d "$group" ] || mkdir "$group" 2>/dev/null || [ -d "$group" ] || fail "$group"
  echo "$value" 2>/dev/null >"$group/$file" || [ "$optional" = true ] || fail "$group/$file"
done
shift
${JOIN}
`;

/** The parameters of /bin/sh that make such a group. Pure. */
export function makeGroup(name: string, found: readonly Hierarchy[], policy: Policy): readonly string[] {
  const settings = groupSettings(found, policy);
  const parameters = settings.flatMap(({ parent, file, value, optional = false }) => [
    parent,
    file,
    value,
    String(optional),
  ]);
  return ['-c', SCRIPT, 'ralph-limits', name, ...parameters, '--', ...groupDoors(found, name), '--'];
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
