import { type Config, ConfigError, FileProblemsError, type Problem } from '../../../contracts/index.ts';
import { nearest } from '../../../rules/text/index.ts';
import { readConfigEnv } from './config-env.ts';
import type { ConfigFile } from './config-file.ts';
import { fileLayer, flagLayer, type LoadConfigInput, type LoadedConfig, merged, type Tree } from './config-merge.ts';
import { configSchema, type ParsedConfig, type Setting, settings } from './config-schema.ts';

/** {@link loadConfig} with the schema: reports every error. */
export function checkedConfig(input: LoadConfigInput, file: ConfigFile | null): LoadedConfig {
  const all = settings();
  if (file !== null) refuseProblems(file, all);
  const env = readConfigEnv(input.env, all);
  const layers = [flagLayer(input.flags), env.layer, file === null ? new Map() : fileLayer(file, all)];
  return merged(layers, all, parse, env.warnings);
}

/** The configuration without a file or with a broken one; the environment is left out if a variable in it is wrong. */
export function defaultConfig(env: LoadConfigInput['env']): Config {
  const all = settings();
  try {
    return merged([readConfigEnv(env, all).layer], all, parse).config;
  } catch {
    return merged([], all, parse).config;
  }
}

function refuseProblems(file: ConfigFile, all: readonly Setting[]): void {
  const problems = configProblems(file, all);
  if (problems.length === 0) return;
  throw new FileProblemsError(
    { what: `${file.file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}` },
    problems,
  );
}

/** The problems of a configuration file, each with the setting it concerns (the name in quotes). */
export function configProblems(file: ConfigFile, all: readonly Setting[] = settings()): readonly Problem[] {
  const result = configSchema.safeParse(file.values);
  if (result.success) return [];
  return result.error.issues.flatMap((issue): readonly Problem[] =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => unknownKey(file, [...issue.path, key], all))
      : [badValue(file, issue.path, issue.message, all)],
  );
}

function badValue(file: ConfigFile, path: readonly PropertyKey[], message: string, all: readonly Setting[]): Problem {
  const name = nameOf(path);
  const description = all.find((setting) => setting.key === name)?.description;
  return {
    severity: 'error',
    rule: 'config/value',
    file: file.file,
    line: file.lineOf(path),
    message: `'${name}' ${message}`,
    mend: description === undefined ? 'correct the value' : `correct it; it means: ${description}`,
  };
}

function unknownKey(file: ConfigFile, path: readonly PropertyKey[], all: readonly Setting[]): Problem {
  const name = nameOf(path);
  // Groups count as names too: a typo such as `check` is nearer to `checks` than to any setting in it.
  const names = new Set(all.flatMap(({ path: parts }) => parts.map((_, index) => parts.slice(0, index + 1).join('.'))));
  const near = nearest(name, names);
  return {
    severity: 'error',
    rule: 'config/unknown-key',
    file: file.file,
    line: file.lineOf(path),
    message: `there is no setting '${name}'`,
    mend: near === null ? '`ralph config` lists all settings' : `did you mean '${near}'?`,
  };
}

/** File and environment are already checked, so any error here comes from the command line. */
function parse(tree: Tree): Config {
  const result = configSchema.safeParse(tree);
  if (result.success) return toConfig(result.data);
  const [issue] = result.error.issues;
  throw new ConfigError({ what: `'${nameOf(issue?.path ?? [])}' ${issue?.message}`, where: 'command line' });
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** In `Config`, the schema's names of durations carry their unit. */
export function toConfig(parsed: ParsedConfig): Config {
  const {
    $schema: _,
    timeout,
    idleTimeout,
    maxDuration,
    checks,
    transient,
    circuit,
    models,
    commit,
    isolation,
    worktree,
    ...same
  } = parsed;
  const { cooldown, ...thresholds } = circuit;
  const { memory, ...allowances } = isolation;
  return {
    ...same,
    timeoutMs: timeout,
    idleTimeoutMs: idleTimeout,
    maxDurationMs: maxDuration,
    checks: {
      timeoutMs: checks.timeout,
      where: checks.where,
      setup: checks.setup ?? (worktree.setup.length > 0 ? worktree.setup : null),
      copy: [...new Set([...checks.copy, ...worktree.copy])],
      retries: checks.retries,
      parallel: checks.parallel,
    },
    circuit: { ...thresholds, cooldownMs: cooldown },
    isolation: { ...allowances, memoryBytes: memory },
    transient: { retries: transient.retries, delayMs: transient.delay, maxWaitMs: transient.maxWait },
    models: { ...given(models), byEstimate: models.byEstimate, escalate: models.escalate },
    commit: { ...commit, templates: given(commit.templates) },
  };
}

/** Without the keys whose value is undefined, which `exactOptionalPropertyTypes` distinguishes from absent ones. */
function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
