import * as z from 'zod/mini';
import { configSchema, HOSTS, isObject, type Problem, SETTINGS } from '../../../contracts/index.ts';
import { parseHostPattern } from '../../../rules/isolation/index.ts';
import { nearest } from '../../../rules/text/index.ts';
import type { ConfigFile } from './config-file.ts';

/** One setting: a leaf of the schema. */
export interface Setting {
  /** The form `ralph config get` accepts: `checks.timeout`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: z.ZodMiniType;
  readonly description: string;
}

/** The settings that a process reads, as groups of schemas. */
export type SettingsShape = Readonly<Record<string, z.ZodMiniType>>;

/** Every setting, in the order in which people see them. */
export function settings(): readonly Setting[] {
  return settingsIn(SETTINGS);
}

/** Those of a shape, without `$schema`, which is for editors. */
export function settingsIn(shape: SettingsShape): readonly Setting[] {
  return leaves(shape, []).filter(({ key }) => key !== '$schema');
}

function leaves(shape: SettingsShape, above: readonly string[]): readonly Setting[] {
  return Object.entries(shape).flatMap(([name, schema]): readonly Setting[] => {
    const path = [...above, name];
    const inner = schema instanceof z.ZodMiniPrefault ? schema._zod.def.innerType : schema;
    if (inner instanceof z.ZodMiniObject) return leaves(inner.shape as SettingsShape, path);
    return [{ key: path.join('.'), path, schema, description: z.globalRegistry.get(schema)?.description ?? '' }];
  });
}

/** The JSON Schema that editors use for `ralph.config.json`. */
export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(configSchema, { io: 'input' });
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
}

/** The values that a setting accepts, if there are few: choices, `true` and `false`, `null`; none for all others. */
export function valuesOf(key: string): readonly string[] {
  const setting = settings().find((one) => one.key === key);
  return setting ? wordsOf(z.toJSONSchema(setting.schema, { io: 'input' }) as JsonSchema) : [];
}

function wordsOf({ type, enum: choices = [], anyOf = [] }: JsonSchema): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  if (type === 'null') return ['null'];
  return [...choices.map(String), ...anyOf.flatMap(wordsOf)];
}

/** What is wrong with a value. */
interface Fault {
  /** Below the setting. */
  readonly path: readonly PropertyKey[];
  /** The end of a sentence that begins with the setting; null for a key that does not exist. */
  readonly message: string | null;
}

function faultsOf({ key, schema }: Setting, value: unknown): readonly Fault[] {
  const { error } = schema.safeParse(value);
  if (error === undefined) {
    const at = key === 'isolation.allowHosts' ? (value as string[]).findIndex((host) => !parseHostPattern(host)) : -1;
    return at < 0 ? [] : [{ path: [at], message: HOSTS }];
  }
  return error.issues.flatMap((issue): readonly Fault[] => {
    const { path, message } = issue;
    if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => ({ path: [...path, name], message: null }));
    const given = valueAt(value, path);
    const near =
      key === 'notify.webhooks' && issue.code === 'invalid_value' && typeof given === 'string'
        ? nearest(given, issue.values.map(String))
        : null;
    return [{ path, message: near === null ? message : message.replace(/:.*/, `: did you mean '${near}'?`) }];
  });
}

/** The first fault of a value, as the end of a sentence; null when it is valid. */
export function complaint(setting: Setting, value: unknown): string | null {
  const [fault] = faultsOf(setting, value);
  return fault ? (fault.message ?? `must not hold '${nameOf(fault.path)}'`) : null;
}

/** The problems of a configuration file, each with the setting it concerns (the name in quotes), in its order. */
export function configProblems(file: ConfigFile, all: readonly Setting[]): readonly Problem[] {
  const byKey = new Map(all.map((setting) => [setting.key, setting]));
  // Groups count as names too: a typo such as `check` is nearer to `checks` than to any setting in it.
  const names = new Set(all.flatMap(({ path }) => path.map((_, at) => nameOf(path.slice(0, at + 1)))));

  function below(values: object, above: readonly string[]): readonly Problem[] {
    return Object.entries(values).flatMap(([name, value]): readonly Problem[] => {
      const path = [...above, name];
      const key = nameOf(path);
      const setting = byKey.get(key);
      if (setting !== undefined)
        return value === undefined
          ? []
          : faultsOf(setting, value).map((fault) => problem([...path, ...fault.path], fault));
      if (!names.has(key)) return key === '$schema' ? [] : [problem(path, { message: null })];
      return isObject(value) ? below(value, path) : [problem(path, { message: 'must be a group of settings' })];
    });
  }
  function problem(path: readonly PropertyKey[], { message }: Pick<Fault, 'message'>): Problem {
    const name = nameOf(path);
    const at = { severity: 'error', file: file.file, line: file.lineOf(path) } as const;
    const setting = all.find(({ key }) => name === key || name.startsWith(`${key}.`));
    if (message !== null) {
      const given = valueAt(file.values, path);
      const shown = typeof given === 'string' ? `'${given}'` : JSON.stringify(given);
      const choices = [...message.matchAll(/'([^']*)'/g)].map(([, choice = '']) => choice);
      const near = typeof given === 'string' && message.startsWith('must be one of') ? nearest(given, choices) : null;
      const not = `${shown.length > MOST_SHOWN ? '' : `, not ${shown}`}${near ? `; did you mean ${near}?` : ''}`;
      const fix = setting ? `correct or remove it${defaultOf(setting)}. ${setting.description}` : 'correct the value';
      return { ...at, rule: 'config/value', message: `'${name}' ${message}${not}`, fix };
    }
    const others = haveIt(name, [...byKey.keys()]);
    const near = nearest(name, names);
    const known = others ?? setting?.description ?? '`ralph config` lists all settings';
    const fix = others !== null || near === null || near === setting?.key ? known : `did you mean '${near}'?`;
    return { ...at, rule: 'config/unknown-key', message: `there is no setting '${name}'`, fix };
  }
  return below(file.values, []);
}

/** For a setting that only other agents have: why not, and which have it; null for any other name. */
export function haveIt(name: string, keys: readonly string[]): string | null {
  const [group, agent, own] = name.split('.');
  const parts = keys.map((key) => key.split('.'));
  const others = parts
    .filter(([top, , last]) => group === 'agents' && top === group && last === own)
    .map(([, it]) => it);
  return others.length === 0 ? null : `${agent} has no option for this, only ${others.join(', ')}`;
}

/** Characters of a wrong value that fit beside its complaint. */
const MOST_SHOWN = 60;

/** ` (default: 15)`, as people write it; nothing where there is none. */
function defaultOf({ schema }: Setting): string {
  const { defaultValue } = schema._zod.def as { readonly defaultValue?: unknown };
  const text = JSON.stringify(defaultValue ?? null);
  return ['null', '[]', '{}'].includes(text) ? '' : ` (default: ${text})`;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.map(String).join('.');
}

/** The value at a path; undefined where there is none. */
export function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce(
    (at: unknown, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Readonly<Record<PropertyKey, unknown>>)[name]
        : undefined,
    values,
  );
}
