import type { Config } from '../../contracts/config.ts';
import { counted } from '../../surfaces/terminal/format.ts';
import type { Io } from '../../surfaces/terminal/io.ts';
import { lookAtPlugins } from '../plugins.ts';
import { type Finding, look } from './finding.ts';

/** The plugins of the configuration, loaded as a run does; nothing where it names none. */
export async function examinePlugins(
  place: Parameters<typeof lookAtPlugins>[0],
  config: Pick<Config, 'plugins' | 'env'>,
  env: Io['env'],
): Promise<readonly Finding[]> {
  if (config.plugins.length === 0) return [];
  const [found, finding] = await look(
    'plugins',
    () => lookAtPlugins(place, config, env),
    (rows) => rows.map(({ name, provides }) => `${name} (${provides.join(', ')})`).join(', '),
  );
  const failing = (found ?? []).filter(({ failure }) => failure !== null);
  if (failing.length === 0) return [finding];
  return [
    {
      ...finding,
      state: 'warning',
      detail: `${counted(failing.length, 'plugin')} cannot be loaded: a run does without`,
      more: failing.map(({ use, failure }) => `${use}: ${failure}`),
      mend: [...new Set(failing.flatMap(({ mend }) => mend ?? [])), 'ralph plugins'],
    },
  ];
}
