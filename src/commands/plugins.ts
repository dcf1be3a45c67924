import { passedEnvironment } from '../adapters/agents/index.ts';
import type { PluginFailure, PluginRow } from '../adapters/plugins/index.ts';
import { isCutOff } from '../adapters/workspace/index.ts';
import { type Config, ConfigError, ExitCode, UsageError } from '../contracts/index.ts';
import { fixFor, type ToldIssue } from '../rules/plugins.ts';
import { oneLine } from '../rules/text/index.ts';
import { type Io, type Paint, paintFor } from '../surfaces/terminal/index.ts';
import { given, type RawFlags } from './shared/flags.ts';
import { configOf, openProject } from './shared/open.ts';
import { printResult } from './shared/print.ts';

interface PluginLook extends PluginRow {
  /** Why a run would continue without it; null when it loads. */
  readonly failure: string | null;
  readonly fix: string | null;
  readonly printed: readonly string[];
}

/** `ralph plugins`: loads every configured plugin, as a run does; exit 1 when one of them fails. */
export async function plugins(_args: readonly string[], flags: RawFlags, io: Io): Promise<number> {
  const git = await openProject(flags, io);
  const { config } = await configOf(git, io);
  const found = await lookAtPlugins(git.repo, config, io.env);
  printResult(io, flags, { plugins: found }, renderPlugins(found, paintFor(io)));
  return found.every(({ failure }) => failure === null) ? ExitCode.complete : ExitCode.incomplete;
}

/**
 * Asks the plugins for the issues of a source, with the user's whole environment; null when no plugin knows it.
 * @throws UsageError when a plugin fails
 */
export async function issuesByPlugin(
  { root, stateDir }: { readonly root: string; readonly stateDir: string },
  config: Pick<Config, 'plugins'>,
  { env, stderr }: Io,
  source: string,
): Promise<readonly ToldIssue[] | null> {
  await refuseCutOff(root, stateDir);
  const { openPlugins } = await import('../adapters/plugins/open-plugins.ts');
  const failures: PluginFailure[] = [];
  const opened = await openPlugins({
    settings: config.plugins,
    root,
    run: '',
    env: given(env) as Readonly<Record<string, string>>,
    onFailed: (failure) => failures.push(failure),
    onLine: (plugin, line) => void stderr.write(`plugin ${oneLine(`${plugin}: ${line}`)}\n`),
  });
  const said = await opened.importIssues(source);
  await opened.close();
  if (said !== null) return said.value;
  const [failed] = failures;
  if (failed === undefined) return null;
  throw new UsageError({
    what: `the plugin ${oneLine(failed.plugin)} could not import ${oneLine(source)}`,
    why: oneLine(failed.message),
    fix: [fixFor(failed.use, failed.message)],
  });
}

async function refuseCutOff(root: string, stateDir: string): Promise<void> {
  if (await isCutOff(stateDir)) {
    throw new ConfigError({
      what: 'the plugins cannot be loaded now',
      where: root,
      why: 'an iteration is running or was cut off, and its agent may have changed them',
      fix: ['try again when the run has ended', '`ralph run` recovers after a crash, and restores everything first'],
    });
  }
}

/**
 * Loads the plugins and ends them again.
 * @throws ConfigError when a named plugin does not exist, and while an agent may have changed one
 */
export async function lookAtPlugins(
  { root, stateDir }: { readonly root: string; readonly stateDir: string },
  config: Pick<Config, 'plugins' | 'env' | 'agents'>,
  env: Io['env'],
): Promise<readonly PluginLook[]> {
  if (config.plugins.length === 0) return [];
  await refuseCutOff(root, stateDir);
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
      fix: failure === null ? null : fixFor(row.use, failure),
      printed: printed.filter(({ plugin }) => plugin === row.name).map(({ line }) => line),
    };
  });
}

function renderPlugins(found: readonly PluginLook[], paint: Paint): readonly string[] {
  if (found.length === 0) return ['no plugins configured; see docs/plugins.md'];
  return found.flatMap(({ name, use, provides, failure, fix, printed }) => [
    failure === null
      ? `${paint('good', '✓')} ${oneLine(name)}  ${provides.join(', ')}  ${paint('dim', oneLine(use))}`
      : `${paint('bad', '✗')} ${oneLine(name)}  ${oneLine(failure)}  ${paint('dim', oneLine(use))}`,
    ...(fix === null ? [] : [`    fix:   ${oneLine(fix)}`]),
    ...printed.map((line) => `    ${paint('dim', `it prints: ${oneLine(line)}`)}`),
  ]);
}
