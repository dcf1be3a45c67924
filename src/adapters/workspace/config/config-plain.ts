import { readConfigEnv } from './config-env.ts';
import type { ConfigFile } from './config-file.ts';
import type { LoadConfigInput } from './config-input.ts';
import type { JudgedSetting } from './config-layer.ts';
import { fileLayer, flagLayer, type LoadedConfig, merged, put, type Tree, valueAt } from './config-merge.ts';
import type { PlainSetting } from './plain-setting.ts';
import { PLAIN_SETTINGS } from './plain-settings.ts';
import { plainValue } from './plain-value.ts';
import { toConfig } from './to-config.ts';

/**
 * The effective configuration where every value is plainly right: what most projects have, read without the schema,
 * whose loading takes longer than everything else here. Null wherever the schema has to look, be it only for its words.
 */
export function plainConfig(input: LoadConfigInput, file: ConfigFile | null): LoadedConfig | null {
  try {
    const { settings } = PLAIN_SETTINGS;
    if (file !== null) refuseUnplain(file.values, settings);
    const env = readConfigEnv(input.env, settings.map(judged));
    const layers = [flagLayer(input.flags), env.layer, file === null ? new Map() : fileLayer(file, settings)];
    return merged(layers, settings, parse, env.warnings);
  } catch {
    return null;
  }
}

/** Thrown to {@link plainConfig} alone. */
class NotPlain extends Error {}

function judged(setting: PlainSetting): JudgedSetting {
  const { key, path } = setting;
  return { key, path, complaint: (value) => (isPlain(setting, value) ? null : 'is not plain') };
}

function isPlain(setting: PlainSetting, value: unknown): boolean {
  // Which of several readings of a text such a setting takes, only the schema knows.
  if (setting.kind === 'other') throw new NotPlain();
  return plainValue(setting, value) !== undefined;
}

/** Every leaf of the file is a setting, and plainly right. */
function refuseUnplain(values: unknown, settings: readonly PlainSetting[]): void {
  let known = 0;
  for (const setting of settings) {
    const value = valueAt(values, setting.path);
    if (value === undefined) continue;
    known += 1;
    if (!isPlain(setting, value)) throw new NotPlain();
  }
  const groups = new Set(settings.flatMap(({ path }) => path.map((_, index) => path.slice(0, index).join('.'))));
  if (known !== leavesOf(values, '', groups)) throw new NotPlain();
}

/** How many values there are besides `$schema`; an unknown group counts as one, as no setting is that. */
function leavesOf(value: unknown, name: string, groups: ReadonlySet<string>): number {
  if (name === '$schema' && typeof value === 'string') return 0;
  if (!groups.has(name)) return 1;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new NotPlain();
  const inner = Object.entries(value);
  return inner.reduce((sum, [key, part]) => sum + leavesOf(part, name === '' ? key : `${name}.${key}`, groups), 0);
}

function parse(tree: Tree): LoadedConfig['config'] {
  const parsed = structuredClone(PLAIN_SETTINGS.defaults) as unknown as Tree;
  for (const setting of PLAIN_SETTINGS.settings) {
    const value = valueAt(tree, setting.path);
    if (value === undefined) continue;
    const plain = plainValue(setting, value);
    if (plain === undefined) throw new NotPlain();
    put(parsed, setting.path, plain);
  }
  return toConfig(parsed as never);
}
