import { dirname, join } from 'node:path';
import { type Checkpoint, initRepository, openGit, seedRepository } from '../../adapters/git/index.ts';
import {
  BACKENDS,
  type Backend,
  type BatteryControl,
  type BatteryRepository,
  type BatteryRow,
  type Chosen,
  type ContainerSettings,
  chooseIsolation,
  type Limit,
  type OpenBackend,
  type Probe,
  TASK_FUTURE,
  thisSystem,
  waysOf,
} from '../../adapters/isolation/index.ts';
import { stateHome } from '../../adapters/workspace/index.ts';
import { UnavailableError } from '../../contracts/index.ts';
import { exists, makePrivateDir, readText, remove, writeAtomic, writePrivate } from '../../platform/index.ts';
import { startControlServer } from '../../surfaces/server/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import { BACKEND_NAMES, type Ground } from './ground.ts';

/** The state of a backend on this machine. */
export type BackendReport = Probe & { readonly name: Backend };

export interface ChoiceReport {
  /** null: a run would be refused. */
  readonly chosen: Chosen['isolation']['name'] | null;
  /** Why no better one is chosen, or why a run would be refused. */
  readonly instead: readonly string[];
  /** Limits of the policy that would not hold in it; absent when all hold. */
  readonly unlimited?: readonly Limit[];
}

/** Really tries every backend of this system, or the named ones. One after the other: they would slow one another. */
export async function examineBackends(
  ground: Ground,
  io: Io,
  named: Backend | undefined,
): Promise<readonly BackendReport[]> {
  const system = await thisSystem(io.env);
  const names = named ? [named] : BACKEND_NAMES.filter((name) => name !== 'bwrap' || system.platform === 'linux');
  const reports: BackendReport[] = [];
  for (const name of names) {
    const isolation = await BACKENDS[name](ground.policy.input);
    const probe = await isolation.probe();
    await isolation.dispose();
    reports.push({ ...probe, name, fix: probe.available ? [] : waysOf({ name, probe }, system) });
  }
  return reports;
}

/** Which of them a run chooses, without trying them again. */
export async function examineChoice(
  { config, policy }: Ground,
  reports: readonly BackendReport[],
): Promise<ChoiceReport> {
  const known = ([name, open]: [string, OpenBackend]): [string, OpenBackend] => {
    const report = reports.find((one) => one.name === name);
    return [name, async (input) => ({ ...(await open(input)), ...(report ? { probe: async () => report } : {}) })];
  };
  const backends = Object.fromEntries((Object.entries(BACKENDS) as [string, OpenBackend][]).map(known));
  try {
    const { isolation, probe, instead, loud, quiet } = await chooseIsolation(config.isolation, policy.input, {
      backends: backends as typeof BACKENDS,
    });
    const reasons = [loud, quiet, ...instead].filter((reason) => reason !== null);
    return { chosen: isolation.name, instead: reasons, unlimited: probe.unlimited ?? [] };
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    const { what, why } = error.facts;
    return { chosen: null, instead: [why ? `${what}: ${why}` : what] };
  }
}

/**
 * Tries to escape from a backend, in a throw-away project in ralph's state folder.
 * @param only ids of attempts; default: all
 */
export async function tryToGetOut(
  name: Backend,
  { environment, container }: { readonly environment: Ground['environment']; readonly container: ContainerSettings },
  env: Io['env'],
  only?: readonly string[],
): Promise<readonly BatteryRow[]> {
  const state = stateHome(env);
  const { runBattery } = await import('../../adapters/isolation/battery/run.ts');
  return runBattery(BACKENDS[name], {
    ...{ state, environment, only, env, container },
    repository: throwAwayRepository,
    control: () => throwAwayControl(state),
  });
}

/** Why the battery does not run in a backend; null when it does. */
export function reasonNotToTry(name: Backend): string | null {
  return name === 'sbx' ? 'its sandbox belongs to one project, and the battery uses a temporary one' : null;
}

const NAME = 'battery';

/** The loop's own git on the throw-away project of a battery, with everything it does after an agent. */
async function throwAwayRepository(root: string, covers: boolean): Promise<BatteryRepository> {
  // Also when an earlier attempt damaged it.
  if (!(await exists(join(root, '.git', 'HEAD')))) {
    await remove(join(root, '.git'));
    await initRepository(root, 'start');
    await layOutTask(root);
  }
  const git = await openGit(root);
  const trust = covers ? null : await git.snapshotTrust();
  let checkpoint: Checkpoint | null = null;
  return {
    async guest() {
      checkpoint = await git.checkpoint(NAME);
      return covers ? (await git.openGuest(NAME)).mounts : [];
    },
    async afterwards() {
      if (checkpoint === null) return;
      if (trust !== null) await git.restoreTrust(trust);
      const { changed } = await git.after(checkpoint);
      await git.adoptGuest({ name: NAME, run: NAME, iteration: 1, checkpoint });
      await git.prepareCommit({
        checkpoint,
        paths: changed.map(({ path }) => path),
        files: {},
        subject: 'what an agent did',
        body: '',
        trailers: [],
        date: Date.UTC(2026, 0, 1),
        hooks: true,
        // Hooks would run inside.
        runHook: async () => ({ exitCode: 0, output: '' }),
        guestHooks: covers,
        sign: false,
      });
      await git.rollback(checkpoint);
    },
  };
}

/** A task as the lab makes them, from a repository outside that has one more commit. */
async function layOutTask(root: string): Promise<void> {
  const outside = join(dirname(root), 'outside', TASK_FUTURE);
  const secret = await readText(join(outside, 'keep.txt'));
  if (secret === null) return;
  const person = join(outside, 'person');
  const code = join(person, 'code.txt');
  await writeAtomic(code, 'before\n', { fsync: false });
  await initRepository(person, 'start');
  const { repo, tree } = await openGit(person);
  const before = await tree();
  await writeAtomic(code, secret, { fsync: false });
  await initRepository(person, 'solution');
  const folder = join(root, 'task');
  await remove(folder);
  await seedRepository({ from: repo.commonDir, tree: before, folder, files: {}, message: 'task' });
}

/** A real control server with an admitted agent, and a key for a person's messages where runs have theirs. */
async function throwAwayControl(state: string): Promise<BatteryControl> {
  const key = `${state}/control/${NAME}-${process.pid}.key`;
  await makePrivateDir(`${state}/control`);
  await writePrivate(key, 'a key\n', { fsync: false });
  const server = await startControlServer();
  const { token } = server.admit({
    hook: async () => ({}),
    hookFailed: () => {},
    tools: [],
    tool: async () => ({ text: '', isError: true }),
  });
  return {
    url: server.url,
    token,
    async close() {
      await remove(key);
      await server.close();
    },
  };
}
