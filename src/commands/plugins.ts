import { passedEnvironment } from '../adapters/agents/allowed-environment.ts';
import type { PluginFailure, PluginRow } from '../adapters/plugins/open-plugins.ts';
import { isCutOff } from '../adapters/workspace/records/journal.ts';
import type { Config } from '../contracts/config.ts';
import { ConfigError } from '../contracts/errors.ts';
import { ExitCode } from '../contracts/model.ts';
import { mendFor } from '../rules/plugins/mend.ts';
import type { Io } from '../surfaces/terminal/io.ts';
import { type Paint, paintFor } from '../surfaces/terminal/paint.ts';
import { oneLine } from '../surfaces/terminal/sanitise.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { configIn, openProject } from './shared/open.ts';
import { printJson, printLines } from './shared/print.ts';

/** A plugin as a run would find it. */
export interface PluginLook extends PluginRow {
  /** Why a run would do without it; null when it loads. */
  readonly failure: string | null;
  /** The way out of that. */
  readonly mend: string | null;
  /** What it prints while it is loaded. */
  readonly printed: readonly string[];
}

/** `ralph plugins`: loads every plugin of the configuration, as a run does; exit 1 when one of them fails. */
export async function plugins(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { config } = await configIn(git, io);
  const found = await lookAtPlugins(git.repo, config, io.env);
  if (isOn(flags, 'json')) printJson(io, { plugins: found });
  else printLines(io, renderPlugins(found, paintFor(io)));
  return found.every(({ failure }) => failure === null) ? ExitCode.complete : ExitCode.incomplete;
}

/**
 * Loads the plugins and ends them again.
 * @throws ConfigError when one that is named is not there, and while an agent may have changed one
 */
export async function lookAtPlugins(
  { root, stateDir }: { readonly root: string; readonly stateDir: string },
  config: Pick<Config, 'plugins' | 'env'>,
  env: Io['env'],
): Promise<readonly PluginLook[]> {
  if (config.plugins.length === 0) return [];
  if (await isCutOff(stateDir)) {
    throw new ConfigError({
      what: 'the plugins are not loaded now',
      where: root,
      why: 'an iteration is under way or was cut off, and its agent may have changed them',
      mend: ['try again when the run has ended', '`ralph run` goes on after a crash, and puts everything back first'],
    });
  }
  const { openPlugins } = await import('../adapters/plugins/open-plugins.ts');
  const failures: PluginFailure[] = [];
  const printed: { readonly plugin: string; readonly line: string }[] = [];
  const opened = await openPlugins({
    settings: config.plugins,
    root,
    run: '',
    env: passedEnvironment(env, config, []),
    onFailed: (failure) => failures.push(failure),
    onLine: (plugin, line) => printed.push({ plugin, line }),
  });
  const rows = opened.rows();
  await opened.close();
  return rows.map((row) => {
    const failure = failures.find(({ use }) => use === row.use)?.message ?? null;
    return {
      ...row,
      failure,
      mend: failure === null ? null : mendFor(row.use, failure),
      printed: printed.filter(({ plugin }) => plugin === row.name).map(({ line }) => line),
    };
  });
}

/** Pure. */
export function renderPlugins(found: readonly PluginLook[], paint: Paint): readonly string[] {
  if (found.length === 0) return ['no plugins: `plugins` of the configuration names them; see docs/plugins.md'];
  return found.flatMap(({ name, use, provides, failure, mend, printed }) => [
    failure === null
      ? `${paint('good', '✓')} ${oneLine(name)}  ${provides.join(', ')}  ${paint('dim', oneLine(use))}`
      : `${paint('bad', '✗')} ${oneLine(name)}  ${oneLine(failure)}  ${paint('dim', oneLine(use))}`,
    ...(mend === null ? [] : [`    mend:  ${oneLine(mend)}`]),
    ...printed.map((line) => `    ${paint('dim', `it prints: ${oneLine(line)}`)}`),
  ]);
}
