import {
  exists,
  list,
  processExists,
  processId,
  readText,
  runCommand,
  SpawnFailed,
  systemClock,
} from '../../../platform/index.ts';
import type { Policy } from '../port.ts';
import { findFile } from '../view/programs.ts';

/** Memory and process limits of sandboxes, as far as this machine allows them. */
interface Limits {
  /** Which limits really hold. */
  readonly held: { readonly memory: boolean; readonly processes: boolean };
  /** A command line prefix: the command after it, and everything it starts, shares its own limits. Empty for none. */
  join(): readonly string[];
  /** Removes what remains once no process runs in it any more. Never rejects. */
  close(): Promise<void>;
}

/** Groups are named after the process that makes them, so that those of a killed process are found. */
const NAME = /^ralph-(\d+)-/;
const SYSTEM_FOLDERS = '/usr/bin:/bin:/run/current-system/sw/bin';
const PATIENCE_MS = 5_000;
const LOOKS = 10;
const LOOK_EVERY_MS = 30;

let opened = 0;

/**
 * Finds out by trial how sandboxes can be limited: directly through control groups, as root or where they were
 * delegated to this user; else through the user's systemd; else not at all. Never rejects.
 */
export async function openLimits(policy: Policy, env: Readonly<Record<string, string | undefined>>): Promise<Limits> {
  return (await inGroups(policy)) ?? (await inScopes(policy, env)) ?? NOTHING;
}

const NOTHING: Limits = { held: { memory: false, processes: false }, join: () => [], close: async () => {} };

async function inGroups(policy: Policy): Promise<Limits | null> {
  const found = await hierarchies();
  const parents = [...new Set(found.map(({ parent }) => parent))];
  await removeGroups(parents, (pid) => !processExists(pid));
  opened += 1;
  const prefix = `ralph-${processId()}-${opened}-`;
  // Usually all work or none; each is tried alone where the system's administrator delegated only some.
  const works = async (settings: readonly GroupSetting[]) =>
    settings.length > 0 && (await succeeds(joinGroup(prefix, `${prefix}0`, settings)));
  const usable: Hierarchy[] = [];
  for (const hierarchy of found) {
    if (await works(groupSettings([hierarchy], policy))) usable.push(hierarchy);
  }
  const has = (controller: string) => usable.some((one) => one.controller === controller);
  if (!has('memory') && !has('pids')) return null;
  const settings = groupSettings(usable, policy);
  let joined = 0;
  return {
    held: { memory: has('memory'), processes: has('pids') },
    join: () => {
      joined += 1;
      return joinGroup(prefix, `${prefix}${joined}`, settings);
    },
    close: () => removeGroups(parents, (pid) => pid === processId(), prefix),
  };
}

async function inScopes(policy: Policy, env: Readonly<Record<string, string | undefined>>): Promise<Limits | null> {
  const systemdRun = await findFile('systemd-run', '/', SYSTEM_FOLDERS);
  if (systemdRun === null) return null;
  const join = joinScope(policy, systemdRun, env);
  const [file = '', ...args] = [...join, '/bin/sh', '-c', HELD];
  const output = await tried(file, args, { PATH: SYSTEM_FOLDERS });
  const memory = output?.includes(`memory.max ${policy.memoryBytes}`) ?? false;
  const processes = output?.includes(`pids.max ${policy.processes}\n`) ?? false;
  if (!memory && !processes) return null;
  return { held: { memory, processes }, join: () => join, close: async () => {} };
}

async function succeeds(join: readonly string[]): Promise<boolean> {
  const [file = '', ...args] = [...join, '/bin/true'];
  return (await tried(file, args, {})) !== null;
}

/** Its output; null when it failed or did not answer. */
async function tried(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | null> {
  try {
    const { exitCode, stdout } = await runCommand(file, args, { cwd: '/', env, timeoutMs: PATIENCE_MS });
    return exitCode === 0 ? stdout.toString('utf8') : null;
  } catch (error) {
    if (error instanceof SpawnFailed) return null;
    throw error;
  }
}

/** Removes groups by the process that made them; waits for those still in use, while their processes may end soon. */
async function removeGroups(parents: readonly string[], of: (pid: number) => boolean, prefix = ''): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const groups = (await Promise.all(parents.map((parent) => groupsIn(parent, of, prefix)))).flat();
    if (groups.length === 0) return;
    await tried('rmdir', ['--', ...groups], { PATH: SYSTEM_FOLDERS });
    if (prefix === '') return;
    await systemClock.sleep(look === 0 ? 0 : LOOK_EVERY_MS);
  }
}

async function groupsIn(parent: string, of: (pid: number) => boolean, prefix: string): Promise<readonly string[]> {
  const names = await list(parent).catch(() => []);
  const ours = names.filter((name) => name.startsWith(prefix) && of(Number(NAME.exec(name)?.[1])));
  return ours.map((name) => `${parent}/${name}`);
}

/** A file of a control group and its new value; optional where the kernel may lack it. */
interface GroupSetting {
  /** The parent of the group that is made for a sandbox. */
  readonly parent: string;
  readonly file: string;
  readonly value: string;
  readonly optional?: boolean;
}

/** Period of the processor's quota, microseconds. */
const PERIOD = 100_000;

type Controller = 'memory' | 'pids' | 'cpu';

/** What limits a sandbox, by control group version and controller; `optional` files come after those they depend on. */
const SETTINGS: Readonly<
  Record<1 | 2, Readonly<Record<Controller, (policy: Policy) => readonly Omit<GroupSetting, 'parent'>[]>>>
> = {
  1: {
    memory: ({ memoryBytes }) => [
      { file: 'memory.limit_in_bytes', value: String(memoryBytes) },
      // Memory and swap together.
      { file: 'memory.memsw.limit_in_bytes', value: String(memoryBytes), optional: true },
    ],
    pids: ({ processes }) => [{ file: 'pids.max', value: String(processes) }],
    cpu: ({ cpus }) =>
      cpus === null
        ? []
        : [
            { file: 'cpu.cfs_period_us', value: String(PERIOD) },
            { file: 'cpu.cfs_quota_us', value: String(Math.max(1_000, Math.round(cpus * PERIOD))) },
          ],
  },
  2: {
    memory: ({ memoryBytes }) => [
      passedOn('memory'),
      { file: 'memory.max', value: String(memoryBytes) },
      { file: 'memory.swap.max', value: '0', optional: true },
    ],
    pids: ({ processes }) => [passedOn('pids'), { file: 'pids.max', value: String(processes) }],
    cpu: ({ cpus }) =>
      cpus === null
        ? []
        : [passedOn('cpu'), { file: 'cpu.max', value: `${Math.max(1_000, Math.round(cpus * PERIOD))} ${PERIOD}` }],
  },
};

/** Version 2: the parent group has to pass a controller on; usually it already does. */
function passedOn(controller: Controller): Omit<GroupSetting, 'parent'> {
  return { file: '../cgroup.subtree_control', value: `+${controller}`, optional: true };
}

/** Where a controller's groups can be made. */
interface Hierarchy {
  readonly version: 1 | 2;
  readonly controller: Controller;
  readonly parent: string;
}

/** The hierarchies of this machine, of version 1 or 2; none where control groups are not mounted. */
export async function hierarchies(): Promise<readonly Hierarchy[]> {
  const [mounts, own] = await Promise.all([readText('/proc/self/mounts'), readText('/proc/self/cgroup')]);
  const found = hierarchiesIn(mounts ?? '', own ?? '');
  // Inside a container the path of our group may be one of the host's, which does not exist there.
  return Promise.all(
    found.map(async ({ mount, group, ...hierarchy }) => {
      const parent = `${mount}${group}`;
      return { ...hierarchy, parent: (await exists(parent)) ? parent.replace(/\/$/, '') : mount };
    }),
  );
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
    const wanted = SETTINGS[version][controller](policy);
    if (wanted.length === 0) return [];
    return [...wanted.map((setting) => ({ ...setting, parent })), { parent, file: 'cgroup.procs', value: 'self' }];
  });
}

/**
 * Moves itself into a new group, then becomes the command. Parameters: prefix and name of the group; four for each
 * setting (parent, file, value, whether it is optional); `--`; the command. On the way it removes empty groups with
 * that prefix; if that hits a group another start has just made, that start makes it again. It runs outside with the
 * PATH for inside, where an agent may have put its own mkdir: PATH must not be used.
 */
const SCRIPT = `
path=$PATH
PATH=/usr/bin:/bin:/run/current-system/sw/bin
prefix=$1 name=$2
shift 2
fail() { echo "ralph sandbox: its limits cannot be set: $1" >&2; exit 125; }
make() {
  [ -d "$1" ] && return
  for old in "\${1%/*}/$prefix"*; do [ -d "$old" ] && rmdir "$old" 2>/dev/null; done
  mkdir "$1" 2>/dev/null || [ -d "$1" ]
}
while [ "$1" != -- ]; do
  group=$1/$name file=$2 value=$3 optional=$4
  shift 4
  make "$group" || fail "$group"
  [ "$value" = self ] && value=$$
  echo "$value" 2>/dev/null >"$group/$file" || [ "$optional" = true ] || fail "$group/$file"
done
shift
PATH=$path
exec "$@"
`;

/** A command line prefix that runs the rest inside a group of that name. Pure. */
export function joinGroup(prefix: string, name: string, settings: readonly GroupSetting[]): readonly string[] {
  const parameters = settings.flatMap(({ parent, file, value, optional = false }) => [
    parent,
    file,
    value,
    String(optional),
  ]);
  return ['/bin/sh', '-c', SCRIPT, 'ralph-limits', prefix, name, ...parameters, '--'];
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

/** Prints the limits that really hold for it: systemd may accept limits that are not passed on to it. */
const HELD = `
while IFS=: read -r number controllers group; do
  [ "$number" = 0 ] && for root in /sys/fs/cgroup /sys/fs/cgroup/unified; do
    for file in memory.max pids.max; do
      [ -r "$root$group/$file" ] && echo "$file $(cat "$root$group/$file")"
    done
  done
done </proc/self/cgroup
`;
