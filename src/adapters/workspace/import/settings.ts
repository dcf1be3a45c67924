import { RalphError } from '../../../contracts/errors.ts';
import { NEW_CONFIG_FILE, withSetting } from '../config/config-edit.ts';
import { configIn, configText, findConfigFile } from '../config/config-file.ts';

/** The configuration of a project with settings of another loop in it; nothing is written yet. */
export interface ImportedSettings {
  /** Relative to the root. */
  readonly file: string;
  /** null when nothing changes. */
  readonly text: string | null;
  readonly taken: Readonly<Record<string, unknown>>;
  /** Why settings were left out. */
  readonly left: readonly string[];
}

/** Adds settings where the configuration file does not say anything about them. */
export async function addSettings(
  root: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<ImportedSettings> {
  const file = (await findConfigFile(root)) ?? NEW_CONFIG_FILE;
  if (!file.endsWith('.json')) {
    const names = Object.keys(settings);
    return {
      file,
      text: null,
      taken: {},
      left: names.map((name) => `${name}: ${file} is code, set it there yourself`),
    };
  }
  const before = (await findConfigFile(root)) === null ? null : await configText(root, file);
  let text = before;
  const taken: [string, unknown][] = [];
  const left: string[] = [];
  for (const [key, value] of Object.entries(settings)) {
    if (text !== null && isSet(configIn(file, text).values, key)) {
      left.push(`${key}: ${file} says something else already`);
      continue;
    }
    try {
      text = withSetting({ file, text, key }, typeof value === 'string' ? value : JSON.stringify(value)).text;
      taken.push([key, value]);
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      left.push(`${key}: ${error.facts.what}`);
    }
  }
  return { file, text: taken.length > 0 ? text : null, taken: Object.fromEntries(taken), left };
}

function isSet(values: unknown, key: string): boolean {
  let at: unknown = values;
  for (const part of key.split('.')) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, part)) return false;
    at = (at as Readonly<Record<string, unknown>>)[part];
  }
  return true;
}
