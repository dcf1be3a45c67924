import { systemClock } from '../../../platform/clock.ts';
import { list } from '../../../platform/files/files.ts';
import { processExists, processId } from '../../../platform/process/process-facts.ts';
import { runCommand, SpawnFailed } from '../../../platform/process/run-command.ts';
import type { Policy } from '../port.ts';
import { findFile } from '../view/programs.ts';
import { type GroupSetting, groupSettings, type Hierarchy, hierarchies } from './groups.ts';
import { joinGroup } from './join.ts';
import { HELD, joinScope } from './scope.ts';

/** Memory and processes of sandboxes, as far as this machine lets us limit them. */
export interface Limits {
  /** What really holds. */
  readonly held: { readonly memory: boolean; readonly processes: boolean };
  /** The beginning of a command line: what follows, and all it starts, shares limits of its own. Empty for none. */
  join(): readonly string[];
  /** Removes what is left of it, once nothing runs in it any more. Never rejects. */
  close(): Promise<void>;
}

/** Groups are named after the process that makes them, so that those of a killed one are found. */
const NAME = /^ralph-(\d+)-/;
const SYSTEM_FOLDERS = '/usr/bin:/bin:/run/current-system/sw/bin';
const PATIENCE_MS = 5_000;
const LOOKS = 10;
const LOOK_EVERY_MS = 30;

let opened = 0;

/**
 * Finds out how sandboxes can be limited, by trying it: control groups directly, as root or where they were delegated
 * to us; else by the user's systemd; else not at all. Never rejects.
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
  // Mostly all can be had or none; each by itself where the system's administrator passed on only some.
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

/** What it printed; null when it failed or did not answer. */
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

/** Removes groups by the process that made them; those that somebody is still in, as long as that may end soon. */
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
