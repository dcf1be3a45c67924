import type { Config, ConfigSource } from '../../../contracts/index.ts';
import { formatDuration } from '../records/durations.ts';
import type { ConfigFile } from './config-file.ts';
import type { Setting } from './config-schema.ts';
import type { OnUntrusted } from './trust.ts';

/** Command line values: any part of the configuration. */
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
  /** What was left out because no person has trusted it; empty when nothing was. */
  readonly distrust: readonly string[];
}

/** Settings by path, in the structure of a configuration file. */
export type Tree = { [name: string]: unknown };

/**
 * The first layer that has a setting wins.
 * @param parse turns the merged settings into the effective configuration
 */
export function merged(
  layers: readonly Layer[],
  all: readonly Setting[],
  parse: (tree: Tree) => Config,
  warnings: readonly string[] = [],
): LoadedConfig {
  const sources: Record<string, SettingSource> = {};
  const tree: Tree = {};
  for (const { key, path } of all) {
    const chosen = layers.find((layer) => layer.has(key))?.get(key);
    if (chosen !== undefined) put(tree, path, chosen.value);
    sources[key] = chosen ?? { source: 'default', where: '', value: null };
  }
  const config = parse(tree);
  return capped({ config, sources: withDefaults(sources, config), warnings, distrust: [] });
}

/** The settings of the command line. */
export function flagLayer(flags: ConfigFlags): Layer {
  const entries = Object.entries(settingsOf(flags));
  return new Map(entries.map(([key, value]) => [key, { source: 'flag', where: 'command line', value }]));
}

/** The settings of a file. */
export function fileLayer(file: ConfigFile, all: readonly Setting[]): Layer {
  const layer = new Map<string, SettingSource>();
  for (const { key, path } of all) {
    const value = valueAt(file.values, path);
    if (value !== undefined) layer.set(key, { source: 'file', where: `${file.file}:${file.lineOf(path)}`, value });
  }
  return layer;
}

/** A cap above the requested value is not an error: the run continues within it. */
function capped(loaded: LoadedConfig): LoadedConfig {
  const { maxIterations, maxAllowedIterations } = loaded.config;
  if (maxIterations <= maxAllowedIterations) return loaded;
  const source = loaded.sources['maxIterations'] as SettingSource;
  return {
    ...loaded,
    config: { ...loaded.config, maxIterations: maxAllowedIterations },
    sources: { ...loaded.sources, maxIterations: { ...source, value: maxAllowedIterations } },
    warnings: [
      ...loaded.warnings,
      `maxIterations ${maxIterations} is capped at ${maxAllowedIterations}; maxAllowedIterations raises the cap`,
    ],
  };
}

/** Durations in `Config` are milliseconds under a name with the unit; as settings they are texts with units. */
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

function withDefaults(sources: Record<string, SettingSource>, config: Config): Record<string, SettingSource> {
  const effective = settingsOf(config);
  for (const [key, source] of Object.entries(sources)) {
    if (source.source === 'default') sources[key] = { ...source, value: effective[key] ?? null };
  }
  return sources;
}

/** The value at a path; undefined where there is none. */
function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (at: unknown, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Tree)[name] : undefined,
    values,
  );
}

/** Sets a value at a path, creating the groups above it. */
function put(tree: Tree, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) tree[name] = value;
  else {
    tree[name] ??= {};
    put(tree[name] as Tree, rest, value);
  }
}

export interface LoadConfigInput {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags;
  /** What to do about settings that need a person's trust and lack it; `given`: judged before, or the caller's own. */
  readonly onUntrusted: OnUntrusted | 'given';
  /** False until the run has recovered from a crash: a configuration that is code is then not run. Default true. */
  readonly runsCode?: boolean;
}

/** A value of the configuration and where it came from. */
export interface SettingSource {
  readonly source: ConfigSource;
  /** `ralph.config.json:3`, `RALPH_AGENT`, `command line`; empty for a default. */
  readonly where: string;
  /** In the form people write: durations with units, null when not set. */
  readonly value: unknown;
}

/** The settings of one source by name, e.g. `checks.timeout`. */
export type Layer = ReadonlyMap<string, SettingSource>;
