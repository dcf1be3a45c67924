import { exists, readText } from '../../../platform/files/files.ts';
import type { Policy } from '../port.ts';

/** A file of a control group and what is written into it; optional where the kernel may lack it. */
export interface GroupSetting {
  /** The group below which one for a sandbox is made. */
  readonly parent: string;
  readonly file: string;
  readonly value: string;
  readonly optional?: boolean;
}

/** Period of the processor's quota, microseconds. */
const PERIOD = 100_000;

type Controller = 'memory' | 'pids' | 'cpu';

/** What limits a sandbox, by version of control groups and controller; `optional` files come after what they need. */
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

/** Version 2: the group above has to pass a controller on; mostly it does so already. */
function passedOn(controller: Controller): Omit<GroupSetting, 'parent'> {
  return { file: '../cgroup.subtree_control', value: `+${controller}`, optional: true };
}

/** Where the groups of a controller can be made. */
export interface Hierarchy {
  readonly version: 1 | 2;
  readonly controller: Controller;
  readonly parent: string;
}

/** The hierarchies of this machine, of version 1 or 2; none where control groups are not mounted. */
export async function hierarchies(): Promise<readonly Hierarchy[]> {
  const [mounts, own] = await Promise.all([readText('/proc/self/mounts'), readText('/proc/self/cgroup')]);
  const found = hierarchiesIn(mounts ?? '', own ?? '');
  // Inside a container the path of our group may be one of the host's, which is not there.
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
    // Only at the root may a group have processes and groups of its own.
    return unified?.[1] ? [{ version: 2, controller, mount: unified[1], group: '' }] : [];
  });
}

/** What is to be written for a policy, hierarchy by hierarchy, the joining last. Pure. */
export function groupSettings(found: readonly Hierarchy[], policy: Policy): readonly GroupSetting[] {
  return found.flatMap(({ version, controller, parent }) => {
    const wanted = SETTINGS[version][controller](policy);
    if (wanted.length === 0) return [];
    return [...wanted.map((setting) => ({ ...setting, parent })), { parent, file: 'cgroup.procs', value: 'self' }];
  });
}
