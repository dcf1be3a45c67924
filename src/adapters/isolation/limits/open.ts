import { UnavailableError } from '../../../contracts/index.ts';
import { exists, list, processExists, processId, readText, systemClock } from '../../../platform/index.ts';
import type { Env, Policy } from '../port.ts';
import { runText } from '../run-text.ts';
import { findFile } from '../view/programs.ts';
import { groupDoors, groupSettings, type Hierarchy, hierarchiesIn, joinScope, makeGroup } from './groups.ts';

/** Memory and process limits of sandboxes, as far as this machine allows them. */
interface Limits {
  readonly held: { readonly memory: boolean; readonly processes: boolean };
  /** For one command, and everything it starts: they share limits of their own. @throws UnavailableError */
  join(): Promise<Place>;
  /** Removes what remains once no process runs in it any more. Never rejects. */
  close(): Promise<void>;
}

interface Place {
  /** A command line prefix, after which the command comes. */
  readonly prefix: readonly string[];
  /** The first parameters of a script that begins with {@link JOIN}, without their end mark. */
  readonly doors: readonly string[];
  /** Called when none of its processes is left: the next command may have its place. */
  leave(): void;
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
export async function openLimits(policy: Policy, env: Env): Promise<Limits> {
  return (await inGroups(policy)) ?? (await inScopes(policy, env)) ?? NOTHING;
}

const NOTHING = limitsBy([], { memory: false, processes: false });

function limitsBy(prefix: readonly string[], held: Limits['held']): Limits {
  return { held, join: async () => ({ prefix, doors: [], leave: () => {} }), close: async () => {} };
}

async function inGroups(policy: Policy): Promise<Limits | null> {
  const found = await hierarchies();
  const parents = [...new Set(found.map(({ parent }) => parent))];
  await removeGroups(parents, (pid) => !processExists(pid));
  opened += 1;
  const prefix = `ralph-${processId()}-${opened}-`;
  const makes = async (usable: readonly Hierarchy[], name: string) =>
    (await tried('/bin/sh', makeGroup(name, usable, policy), { PATH: SYSTEM_FOLDERS })) !== null;
  // Usually all work or none; each is tried alone where the system's administrator delegated only some.
  const usable: Hierarchy[] = [];
  for (const hierarchy of found) {
    const isWanted = groupSettings([hierarchy], policy).length > 0;
    if (isWanted && (await makes([hierarchy], `${prefix}0`))) usable.push(hierarchy);
  }
  const has = (controller: string) => usable.some((one) => one.controller === controller);
  if (!has('memory') && !has('pids')) return null;
  let made = 1;
  // Making a group takes longer than all else in here.
  const free = [`${prefix}0`];
  const newGroup = async () => {
    const name = `${prefix}${made++}`;
    if (await makes(usable, name)) return name;
    throw new UnavailableError({ what: 'the limits of a sandbox cannot be set', where: parents.join(', '), fix: [] });
  };
  return {
    held: { memory: has('memory'), processes: has('pids') },
    join: async () => {
      const name = free.pop() ?? (await newGroup());
      return { prefix: [], doors: groupDoors(usable, name), leave: () => void free.push(name) };
    },
    close: () => removeGroups(parents, (pid) => pid === processId(), prefix),
  };
}

async function inScopes(policy: Policy, env: Env): Promise<Limits | null> {
  const systemdRun = await findFile('systemd-run', '/', SYSTEM_FOLDERS);
  if (systemdRun === null) return null;
  const join = joinScope(policy, systemdRun, env);
  const [file = '', ...args] = [...join, '/bin/sh', '-c', HELD];
  const output = await tried(file, args, { PATH: SYSTEM_FOLDERS });
  const memory = output?.includes(`memory.max ${policy.memoryBytes}`) ?? false;
  const processes = output?.includes(`pids.max ${policy.processes}\n`) ?? false;
  if (!memory && !processes) return null;
  return limitsBy(join, { memory, processes });
}

async function tried(file: string, args: readonly string[], env: Env): Promise<string | null> {
  const { exitCode, stdout } = await runText(file, args, { env, timeoutMs: PATIENCE_MS });
  return exitCode === 0 ? stdout : null;
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

/** The hierarchies of this machine, of version 1 or 2; none where control groups are not mounted. */
async function hierarchies(): Promise<readonly Hierarchy[]> {
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
