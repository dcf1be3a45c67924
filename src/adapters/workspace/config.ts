import type { Config } from '../../contracts/config.ts';
import { ConfigError, FileProblemsError } from '../../contracts/errors.ts';
import type { Problem } from '../../contracts/model.ts';
import { nearest } from '../../rules/nearest.ts';
import { readConfigEnv } from './config-env.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { Layer, SettingSource } from './config-layer.ts';
import { configSchema, type Setting, settings, toConfig } from './config-schema.ts';
import { formatDuration } from './durations.ts';

/** Values given on the command line: any part of the configuration. */
export type ConfigFlags = {
  readonly [K in keyof Config]?: Config[K] extends readonly unknown[]
    ? Config[K]
    : Config[K] extends object
      ? Partial<Config[K]>
      : Config[K];
};

export interface LoadedConfig {
  readonly config: Config;
  /** By setting, e.g. `checks.timeout`, in the schema's order. */
  readonly sources: Readonly<Record<string, SettingSource>>;
  readonly warnings: readonly string[];
}

interface LoadConfigInput {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  /** False while a crash has not been recovered from: a configuration that is code is then not run. Default true. */
  readonly runsCode?: boolean;
}

/**
 * The effective configuration: flag over environment over file over default, and where each value came from.
 * @throws FileProblemsError with every problem of the file; ConfigError for the environment, the flags, two files.
 */
export async function loadConfig(input: LoadConfigInput): Promise<LoadedConfig> {
  const all = settings();
  const file = await readConfigFile(input.root, input.runsCode ?? true);
  if (file !== null) refuseProblems(file, all);
  const env = readConfigEnv(input.env, all);
  const layers = [flagLayer(input.flags), env.layer, file === null ? new Map() : fileLayer(file, all)];
  return merged(layers, all, env.warnings);
}

/** What counts without a file, also while that is broken; variables are left out where one of them is wrong. */
export function defaultConfig(env: LoadConfigInput['env']): Config {
  const all = settings();
  try {
    return merged([readConfigEnv(env, all).layer], all).config;
  } catch {
    return merged([], all).config;
  }
}

/** The first layer that has a setting counts. */
function merged(layers: readonly Layer[], all: readonly Setting[], warnings: readonly string[] = []): LoadedConfig {
  const sources: Record<string, SettingSource> = {};
  const tree: Tree = {};
  for (const { key, path } of all) {
    const chosen = layers.find((layer) => layer.has(key))?.get(key);
    if (chosen !== undefined) put(tree, path, chosen.value);
    sources[key] = chosen ?? { source: 'default', where: '', value: null };
  }
  const config = toConfig(parse(tree));
  return capped({ config, sources: withDefaults(sources, config), warnings });
}

function flagLayer(flags: ConfigFlags): Layer {
  const entries = Object.entries(settingsOf(flags));
  return new Map(entries.map(([key, value]) => [key, { source: 'flag', where: 'command line', value }]));
}

function fileLayer(file: ConfigFile, all: readonly Setting[]): Layer {
  const layer = new Map<string, SettingSource>();
  for (const { key, path } of all) {
    const value = valueAt(file.values, path);
    if (value !== undefined) layer.set(key, { source: 'file', where: `${file.file}:${file.lineOf(path)}`, value });
  }
  return layer;
}

type Tree = { [name: string]: unknown };

/** A cap above what was asked for is no error: the run goes on within it. */
function capped(loaded: LoadedConfig): LoadedConfig {
  const { maxIterations, maxAllowedIterations } = loaded.config;
  if (maxIterations <= maxAllowedIterations) return loaded;
  const source = loaded.sources['maxIterations'] as SettingSource;
  return {
    config: { ...loaded.config, maxIterations: maxAllowedIterations },
    sources: { ...loaded.sources, maxIterations: { ...source, value: maxAllowedIterations } },
    warnings: [
      ...loaded.warnings,
      `maxIterations ${maxIterations} is capped at ${maxAllowedIterations}; maxAllowedIterations raises the cap`,
    ],
  };
}

function refuseProblems(file: ConfigFile, all: readonly Setting[]): void {
  const problems = configProblems(file, all);
  if (problems.length === 0) return;
  throw new FileProblemsError(
    { what: `${file.file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}` },
    problems,
  );
}

/** What is wrong with a configuration file, each with the setting that it is about (the name in quotes). */
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
  // Groups count as names too: `check` is nearer to `checks` than to any setting in it.
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

/** Durations in `Config` are milliseconds under a name that says so; as settings they are texts with units. */
function settingsOf(flags: object, prefix = ''): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isGroup) Object.assign(found, settingsOf(value, `${prefix}${name}.`));
    else if (name.endsWith('Ms'))
      found[`${prefix}${name.slice(0, -2)}`] = value === null ? null : formatDuration(value as number);
    else found[`${prefix}${name}`] = value;
  }
  return found;
}

/** File and environment are checked already, so what is wrong here came from the command line. */
function parse(merged: Tree): ReturnType<typeof configSchema.parse> {
  const result = configSchema.safeParse(merged);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new ConfigError({ what: `'${nameOf(issue?.path ?? [])}' ${issue?.message}`, where: 'command line' });
}

function withDefaults(sources: Record<string, SettingSource>, config: Config): Record<string, SettingSource> {
  const effective = settingsOf(config);
  for (const [key, source] of Object.entries(sources)) {
    if (source.source === 'default') sources[key] = { ...source, value: effective[key] ?? null };
  }
  return sources;
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (at: unknown, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Tree)[name] : undefined,
    values,
  );
}

function put(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) tree[name] = value;
  else {
    tree[name] ??= {};
    put(tree[name] as Tree, rest, value);
  }
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}
