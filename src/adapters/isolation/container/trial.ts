import { realPath, stat } from '../../../platform/files/files.ts';
import { processId } from '../../../platform/process/process-facts.ts';
import type { ViewEntry } from '../view/entry.ts';
import type { Found } from './engine.ts';
import { askEngine, currentUser, type Engine, type Environment } from './engine.ts';
import type { EngineFacts } from './engine-info.ts';
import { containerEnvironment } from './environment.ts';
import { labelsOf } from './leftovers.ts';
import { renderView } from './mounts.ts';
import { runArguments } from './run-arguments.ts';
import { provideSkeleton } from './skeleton.ts';
import { ulimitFlags } from './ulimits.ts';

/** Where the programs of a system are, and what they load. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store', '/gnu/store'];

/**
 * What is tried, one after the other, until a container runs. The usual runtime, crun, does not start on some systems
 * where runc does; a user without control groups of their own cannot have any made.
 */
const WAYS: readonly { readonly global: readonly string[]; readonly run: readonly string[] }[] = [
  { global: [], run: [] },
  { global: ['--runtime', 'runc'], run: [] },
  { global: [], run: ['--cgroups', 'disabled'] },
  { global: ['--runtime', 'runc'], run: ['--cgroups', 'disabled'] },
];

/** Two engines are tried at once, and one more than once. */
let trials = 0;

const NO_LIMITS = { memory: false, processes: false, cpus: false };

/** The engine in the first way in which a container of this machine's own programs runs; else why none does. */
export async function tryEngine(
  { refusal: _, ...found }: EngineFacts & Pick<Engine, 'name'>,
  env: Environment,
): Promise<Found> {
  const { name, version, limits } = found;
  const complaints: string[] = [];
  // Docker's runtime is the daemon's to choose, and its daemon always has control groups.
  for (const { global, run } of name === 'podman' ? WAYS : WAYS.slice(0, 1)) {
    const held = run.length > 0 ? NO_LIMITS : limits;
    const engine: Engine = { ...found, global, run, limits: held };
    const complaint = await complaintOf(engine, env);
    if (complaint === null) return engine;
    complaints.push(complaint);
  }
  return { name, version, why: complaints[0] ?? 'no container runs' };
}

async function complaintOf(engine: Engine, env: Environment): Promise<string | null> {
  const { flags: mounts, skeleton } = renderView(await systemView(), { file: '', folder: '', memoryBytes: 0 }, []);
  const { flags: environment, client } = containerEnvironment({}, env);
  trials += 1;
  try {
    const args = runArguments({
      engine,
      name: `ralph-trial-${processId()}-${trials}`,
      labels: labelsOf('trial'),
      image: await provideSkeleton(engine, skeleton, env),
      hostPrograms: true,
      mounts,
      environment,
      cwd: '/',
      user: currentUser(),
      policy: { memoryBytes: 512 * 1024 * 1024, processes: 64, cpus: null },
      restrictions: await ulimitFlags(engine.name),
      added: [],
      file: '/bin/sh',
      args: ['-c', 'exit 0'],
    });
    const { exitCode, complaint } = await askEngine(engine, ['run', ...engine.piped, ...args], { env: client });
    return exitCode === 0 ? null : complaint || `a container ended with ${exitCode}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function systemView(): Promise<readonly ViewEntry[]> {
  const entries = SYSTEM.map(async (at): Promise<readonly ViewEntry[]> => {
    const found = await stat(at);
    if (found?.kind === 'symlink') return [{ kind: 'link', at, target: await realPath(at) }];
    return found?.kind === 'dir' ? [{ kind: 'read', from: at, at }] : [];
  });
  return (await Promise.all(entries)).flat();
}
