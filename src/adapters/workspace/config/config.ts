import * as z from 'zod/mini';
import {
  type Config,
  ConfigError,
  type ConfigSource,
  type Env,
  FileProblemsError,
  formatDuration,
  HOOK_SETTINGS,
  isObject,
  jsonValue,
  type RalphError,
  SETTINGS,
  toConfig,
} from '../../../contracts/index.ts';
import { knowEnvironment } from '../../../platform/index.ts';
import { nearest } from '../../../rules/text/index.ts';
import { FILE, namesOf, SERVER, type Untrusted, without } from '../../../rules/trust/index.ts';
import { type ConfigFile, findConfigFile, readConfigFile } from './config-file.ts';
import { askedIn, findSkills, SERVERS_FILE } from './mcp.ts';
import { complaint, configProblems, type Setting, type SettingsShape, settingsIn, valueAt } from './settings.ts';
import { askedOf, heldToTrusted, notTrusted, type OnUntrusted, once, refusal } from './trust.ts';

/** Command line values: any part of the configuration. */
export type ConfigFlags = {
  readonly [K in keyof Config]?: Config[K] extends readonly unknown[]
    ? Config[K]
    : Config[K] extends object
      ? Partial<Config[K]>
      : Config[K];
};

interface LoadConfigInput {
  readonly root: string;
  readonly env: Env;
  readonly flags: ConfigFlags;
  /** What to do about settings that need a person's trust and lack it; `given`: judged before, or the caller's own. */
  readonly onUntrusted: OnUntrusted | 'given';
  /** False until the run has recovered from a crash: a configuration that is code is then not run. Default true. */
  readonly runsCode?: boolean;
}

/** A value of the configuration and where it came from. */
interface SettingSource {
  readonly source: ConfigSource;
  /** `ralph.config.json:3`, `RALPH_AGENT`, `command line`; empty for a default. */
  readonly where: string;
  /** In the form people write: durations with units, null when not set. */
  readonly value: unknown;
}

export interface LoadedConfig {
  readonly config: Config;
  /** By setting, e.g. `checks.timeout`, in the schema's order. */
  readonly sources: Readonly<Record<string, SettingSource>>;
  readonly warnings: readonly string[];
  /** What was left out because no person has trusted it; empty when nothing was. */
  readonly distrust: readonly string[];
}

/**
 * The effective configuration: flag over environment over file over default, and the source of each value. Parts of the
 * file that need a person's trust and lack it are refused or left out, as `onUntrusted` says; code is not run then.
 * @throws FileProblemsError with every problem of the file; ConfigError for the environment, the flags, two files.
 */
export async function loadConfig(input: LoadConfigInput): Promise<LoadedConfig> {
  const { file, distrust } =
    input.onUntrusted === 'refuse'
      ? await once(input.root, 'configuration', () => readTrusted(input))
      : await readTrusted(input);
  const { values, sources, warnings, errors } = effective({ ...input, file }, SETTINGS);
  for (const error of errors) throw error;
  for (const { env } of Object.values(values.agents)) knowEnvironment(env);
  // Now: a lane, a stream or a change under review has others in its own tree.
  if (values.agents.claude.skills && input.onUntrusted === 'refuse') await findSkills(input.root);
  return capped({ config: toConfig(values), sources, warnings, distrust });
}

/** The configuration without a file; a variable that is wrong counts as absent. */
export function defaultConfig(env: LoadConfigInput['env']): Config {
  return toConfig(effective({ env, flags: {}, file: null }, SETTINGS).values);
}

/** What hooks need of the configuration. What is wrong counts as absent. */
export async function givenHookSettings(root: string, env: LoadConfigInput['env']) {
  return effective({ env, flags: {}, file: await readConfigFile(root, false) }, HOOK_SETTINGS).values;
}

/** Settings by path, in the structure of a configuration file. */
type Tree = { [name: string]: unknown };

interface Layer {
  readonly source: Exclude<ConfigSource, 'default'>;
  /** A setting's value here; absent when the layer does not have it. */
  find(setting: Setting): Omit<SettingSource, 'source'> | undefined;
}

/** The values of a shape's settings, and what is wrong with what was given: it counts as absent. */
function effective<S extends SettingsShape>(
  { file, env, flags }: Pick<LoadConfigInput, 'env' | 'flags'> & { readonly file: ConfigFile | null },
  shape: S,
) {
  const all = settingsIn(shape);
  const errors: RalphError[] = [];
  if (file?.error) errors.push(file.error);
  else if (file !== null) errors.push(...fileErrors(file, all));
  const environment = readEnvironment(env, all);
  errors.push(...environment.errors);
  const given = settingsOf(flags);
  const layers: readonly Layer[] = [
    {
      source: 'flag',
      find({ key }) {
        return Object.hasOwn(given, key) ? { where: 'command line', value: given[key] } : undefined;
      },
    },
    { source: 'env', find: ({ key }) => environment.values.get(key) },
    {
      source: 'file',
      find({ path }) {
        const value = file === null ? undefined : valueAt(file.values, path);
        return value === undefined ? undefined : { where: `${file?.file}:${file?.lineOf(path)}`, value };
      },
    },
  ];
  const sources: Record<string, SettingSource> = {};
  const tree: Tree = {};
  for (const setting of all) {
    for (const layer of layers) {
      const found = layer.find(setting);
      const wrong = found && complaint(setting, found.value);
      if (wrong && layer.source === 'flag')
        errors.push(new ConfigError({ what: `'${setting.key}' ${wrong}`, where: 'command line' }));
      if (!found || wrong) continue;
      sources[setting.key] = { source: layer.source, ...found };
      put(tree, setting.path, found.value);
      break;
    }
    sources[setting.key] ??= { source: 'default', where: '', value: null };
  }
  const values = z.strictObject(shape).parse(tree) as z.output<z.ZodMiniObject<S>>;
  return { values, sources, warnings: environment.warnings, errors };
}

function fileErrors(file: ConfigFile, all: readonly Setting[]): readonly RalphError[] {
  const problems = configProblems(file, all);
  if (problems.length === 0) return [];
  const what = `${file.file} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`;
  return [new FileProblemsError({ what }, problems)];
}

/** Sets a value at a path, creating the groups above it. */
function put(tree: Tree, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) tree[name] = value;
  else {
    tree[name] ??= {};
    put(tree[name] as Tree, rest, value);
  }
}

/** Durations in `Config` are milliseconds under a name with the unit; as settings they are texts with units. */
function settingsOf(config: object, prefix = ''): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    if (isObject(value)) Object.assign(found, settingsOf(value, `${prefix}${name}.`));
    else if (name.endsWith('Ms')) found[prefix + name.slice(0, -2)] = value === null ? null : formatDuration(value);
    else found[prefix + name] = value;
  }
  return found;
}

/** With the values of defaults, as people write them; and a limit above its cap is lowered, without an error. */
function capped(loaded: LoadedConfig): LoadedConfig {
  const { maxIterations: wanted, maxAllowedIterations: most } = loaded.config;
  const config = { ...loaded.config, maxIterations: Math.min(wanted, most) };
  const values = settingsOf(config);
  const sources = Object.entries(loaded.sources).map(([key, found]): [string, SettingSource] => {
    const isShown = found.source === 'default' || (key === 'maxIterations' && wanted > most);
    return [key, isShown ? { ...found, value: values[key] ?? null } : found];
  });
  const warning = `maxIterations ${wanted} is capped at ${most}; maxAllowedIterations raises the cap`;
  const warnings = wanted > most ? [...loaded.warnings, warning] : loaded.warnings;
  return { ...loaded, config, sources: Object.fromEntries(sources), warnings };
}

interface Found {
  readonly file: ConfigFile | null;
  readonly distrust: readonly string[];
}

async function readTrusted({ root, env, onUntrusted, runsCode = true }: LoadConfigInput): Promise<Found> {
  const read = async () => {
    const file = await readConfigFile(root, runsCode);
    if (file?.error) throw file.error;
    return file;
  };
  if (onUntrusted === 'given') return { file: await read(), distrust: [] };
  const name = (await findConfigFile(root)) ?? SERVERS_FILE;
  const isCode = !name.endsWith('.json');
  const code = isCode && runsCode ? await askedOf(root, null, [name]) : {};
  if (isCode && runsCode) {
    const missing = await notTrusted(root, env, code, { onUntrusted, isAll: false });
    if (missing.length > 0) return leftOut(name, missing, onUntrusted, null);
  }
  const file = isCode && runsCode ? await heldToTrusted(root, code, read) : await read();
  // The rest of what needs trust is known only now.
  const asked = await askedIn(root, env, file?.values ?? {}, isCode);
  if (file === null && Object.keys(asked).length === 0) return { file, distrust: [] };
  const missing = await notTrusted(root, env, asked, { onUntrusted, isAll: file !== null });
  return missing.length === 0 ? { file, distrust: [] } : leftOut(name, missing, onUntrusted, file);
}

function leftOut(
  name: string,
  missing: readonly Untrusted[],
  onUntrusted: OnUntrusted,
  file: ConfigFile | null,
): Found {
  if (onUntrusted === 'refuse') throw refusal(name, missing);
  const servers = Object.keys((file?.values['agents'] ?? {}) as object).map((agent) => `agents.${agent}.mcp`);
  const unwanted = missing.flatMap((one) =>
    one.name.startsWith(FILE) ? ['plugins'] : one.name.startsWith(SERVER) ? servers : [one.name],
  );
  const isRun = file !== null || name.endsWith('.json');
  const what = isRun ? `left out: ${namesOf(missing)}` : 'it is not run';
  const distrust = [`${name} is not trusted on this machine (${what}); \`ralph trust\` shows it`];
  return { file: file && { ...file, values: without(file.values, unwanted) }, distrust };
}

const PREFIX = 'RALPH_';

/** Variable names of earlier loops; the `RALPH_*` variable of the same setting takes precedence. */
const ALIASES: Readonly<Record<string, string>> = {
  MAX_ITERATIONS: 'maxIterations',
  AGENT: 'agent',
  TIMEOUT_AGENT: 'timeout',
  MAX_ALLOWED_ITERATIONS: 'maxAllowedIterations',
  CLAUDE_CONTEXT_WINDOW: 'context.window',
  CB_NO_PROGRESS_THRESHOLD: 'circuit.noProgress',
  CB_SAME_ERROR_THRESHOLD: 'circuit.sameError',
  CB_OUTPUT_DECLINE_THRESHOLD: 'circuit.outputDecline',
};

/** `RALPH_*` variables that are not settings: the loop's own, and those for people who debug it. */
const NO_SETTINGS = [
  'RALPH_ROOT',
  'RALPH_DEBUG',
  'RALPH_TRUST',
  'RALPH_CRASHPOINT',
  'RALPH_RUN_ID',
  'RALPH_ITERATION',
  'RALPH_MODE',
  'RALPH_STORY_ID',
  'RALPH_ATTEMPT',
  'RALPH_REVIEW_COUNT',
  'RALPH_TRY',
  'RALPH_CONTROL_URL',
  'RALPH_CONTROL_TOKEN',
  'RALPH_PROMPT_FILE',
  'RALPH_SPOOL',
];

/** Variables of earlier loops that say where to work; `findWorkspace` reads them. */
const PLACES = ['PRD_NUMBER', 'PLAN_PATH', 'PROGRESS_PATH'];

/** An environment without the variables meant for a user's own runs: for demonstrations and trials. */
export function withoutSettings(env: Env): Env {
  const isSetting = (name: string) => name.startsWith(PREFIX) || Object.hasOwn(ALIASES, name) || PLACES.includes(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isSetting(name)));
}

/** The settings of the environment, and what is wrong there. An empty variable counts as absent. */
function readEnvironment(env: Env, settings: readonly Setting[]) {
  const values = new Map<string, { readonly where: string; readonly value: unknown }>();
  const errors: ConfigError[] = [];
  for (const setting of settings) {
    const alias = Object.keys(ALIASES).find((name) => ALIASES[name] === setting.key);
    const where = [variableOf(setting), alias ?? ''].find((name) => env[name]);
    const text = where === undefined ? '' : (env[where] ?? '');
    if (where === undefined) continue;
    const [value] = readings(text).filter((candidate) => complaint(setting, candidate) === null);
    if (value !== undefined) values.set(setting.key, { where, value });
    else errors.push(notUsable(where, text, complaint(setting, text)));
  }
  return { values, errors, warnings: unknownVariables(env, settings) };
}

/** `checks.timeout` → `RALPH_CHECKS_TIMEOUT` */
function variableOf(setting: Setting): string {
  return `${PREFIX}${setting.path.join('_')}`
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toUpperCase();
}

function notUsable(variable: string, text: string, wrong: string | null): ConfigError {
  return new ConfigError({
    what: `${variable} ${wrong ?? 'has no usable value'}, not '${text}'`,
    where: 'environment',
    fix: [`correct ${variable} or unset it`],
  });
}

/** Possible meanings of a text, most likely first: the setting's own schema decides. */
function readings(text: string): readonly unknown[] {
  const trimmed = text.trim();
  const word = trimmed.toLowerCase();
  return [
    ...fromJson(trimmed),
    trimmed,
    ...(/^-?\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed)] : []),
    ...(['1', 'true', 'yes', 'on'].includes(word) ? [true] : []),
    ...(['0', 'false', 'no', 'off'].includes(word) ? [false] : []),
    trimmed
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ];
}

function fromJson(text: string): readonly unknown[] {
  const value = /^[[{]/.test(text) ? jsonValue(text) : undefined;
  return value === undefined ? [] : [value];
}

function unknownVariables(env: Env, settings: readonly Setting[]): readonly string[] {
  const known = [...NO_SETTINGS, ...settings.map(variableOf)];
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.includes(name));
  return unknown.sort().map((name) => {
    // The prefix they all share would make every short name seem similar.
    const near = nearest(
      name.slice(PREFIX.length),
      known.map((other) => other.slice(PREFIX.length)),
    );
    return `${name} is not a variable of ralph${near === null ? '' : `; did you mean ${PREFIX}${near}?`}`;
  });
}
