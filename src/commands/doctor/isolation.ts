import type { Chosen } from '../../adapters/isolation/choose.ts';
import type { IsolationSettings } from '../../contracts/config.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import { type Finding, look } from './finding.ts';

interface Place {
  /** Of the work tree. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What a run here would take for its isolation. Each backend in question is really tried, once. */
export async function examineIsolation(settings: IsolationSettings, place: Place): Promise<Finding> {
  const [chosen, refused] = await look('isolation', () => choose(settings, place), String, 'agent');
  return chosen ? findingOf(chosen) : refused;
}

/** What a choice means for the person. Pure. */
export function findingOf({ isolation, probe, instead, quiet, mend }: Chosen): Finding {
  const claims = probe.claims.length;
  const isNone = isolation.name === 'none';
  return {
    name: `isolation ${isolation.name}`,
    state: isNone ? 'warning' : 'ok',
    detail: isNone ? (quiet ?? probe.detail) : probe.detail,
    more: [
      ...(claims > 0 ? [`${counted(claims, 'claim')} tried and held; ralph sandbox status shows each`] : []),
      ...instead.map((reason) => `not ${reason}`),
    ],
    mend: isNone ? [...mend, ...(quiet === null ? [] : ['ralph config set isolation.backend auto'])] : [],
    concerns: 'agent',
  };
}

/** The policy of a run does not matter here: its parts are no part of what a backend promises. */
async function choose(settings: IsolationSettings, { root, env }: Place): Promise<Chosen> {
  const [{ chooseIsolation }, { isolationInput }] = await Promise.all([
    import('../../adapters/isolation/choose.ts'),
    import('../../adapters/isolation/policy.ts'),
  ]);
  const workspace = { root, readOnly: [], writable: [] };
  const openHome = () => Promise.reject(new Error('nothing is started here'));
  const { input } = isolationInput({ settings, env, workspace, agents: [], registries: [], openHome });
  const chosen = await chooseIsolation(settings, input);
  await chosen.isolation.dispose();
  return chosen;
}
