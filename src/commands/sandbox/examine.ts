import { dirname } from 'node:path';
import { BACKENDS, type OpenBackend } from '../../adapters/isolation/backends.ts';
import { type BatteryRow, runBattery } from '../../adapters/isolation/battery/run.ts';
import { type Chosen, chooseIsolation, waysOf } from '../../adapters/isolation/choose.ts';
import type { Backend, Claim, ContainerSettings, Limit } from '../../adapters/isolation/port.ts';
import { thisSystem } from '../../adapters/isolation/system.ts';
import { controlFilePath } from '../../adapters/workspace/records/control-file.ts';
import { UnavailableError } from '../../contracts/errors.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { BACKEND_NAMES, type Ground } from './ground.ts';
import { throwAwayControl, throwAwayRepository } from './throw-away.ts';

/** A backend as it was found on this machine. */
export interface BackendReport {
  readonly name: Backend;
  readonly available: boolean;
  readonly detail: string;
  /** How to get it here; empty when it is available. */
  readonly mend: readonly string[];
  readonly claims: readonly Claim[];
  readonly unlimited?: readonly Limit[];
}

/** What a run here would take. */
export interface ChoiceReport {
  /** Null: a run would be refused. */
  readonly chosen: Chosen['isolation']['name'] | null;
  /** Why nothing better; why it would be refused. */
  readonly instead: readonly string[];
  /** Limits of the policy that would not hold in it; absent for none. */
  readonly unlimited?: readonly Limit[];
}

/** Really tries every backend of this system, or the ones named. One after the other: they would slow one another. */
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
    reports.push({ ...probe, name, mend: probe.available ? [] : waysOf({ name, probe }, system) });
  }
  return reports;
}

/** Which of them a run takes, without trying them again. */
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
 * Tries to get out of a backend, in a throw-away project in ralph's state folder.
 * @param only ids of attempts; default: all
 */
export function tryToGetOut(
  name: Backend,
  { environment, container }: { readonly environment: Ground['environment']; readonly container: ContainerSettings },
  env: Io['env'],
  only?: readonly string[],
): Promise<readonly BatteryRow[]> {
  const state = dirname(dirname(controlFilePath(env, 'battery')));
  return runBattery(BACKENDS[name], {
    ...{ state, environment },
    ...(only ? { only } : {}),
    ...{ env, container },
    repository: throwAwayRepository,
    control: () => throwAwayControl(state, env),
  });
}

/** Why the battery does not run in a backend; null when it does. */
export function reasonNotToTry(name: Backend): string | null {
  return name === 'sbx' ? 'its sandbox is made for one project, and the battery has a throw-away one' : null;
}
