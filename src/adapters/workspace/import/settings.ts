import { RalphError } from '../../../contracts/index.ts';
import { readInside } from '../../../platform/index.ts';
import { NEW_CONFIG_FILE, withSetting } from '../config/config-edit.ts';
import { configIn, configText, findConfigFile } from '../config/config-file.ts';

/** A hook of another loop in Claude Code's settings. */
export interface OldHook {
  /** The settings file, relative to the project. */
  readonly file: string;
  /** Line of the command, 1-based. */
  readonly line: number;
  readonly event: string;
  readonly command: string;
}

const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];
const OLD = /(?:^|[/\s"'])(?:\.agents\/ralph|scripts\/ralph|\.ralph|\.chief|\.ralph-tui)\/[^\s"']*/;
const MOST_BYTES = 1024 * 1024;

/** Finds hooks that point into another loop's folder. Changes nothing: the file belongs to the user. */
export async function findOldHooks(base: string): Promise<readonly OldHook[]> {
  const found = await Promise.all(
    SETTINGS.map(async (file) => {
      const { bytes } = await readInside(base, file, MOST_BYTES);
      return bytes === null ? [] : hooksIn(file, bytes.toString('utf8'));
    }),
  );
  return found.flat();
}

function hooksIn(file: string, text: string): readonly OldHook[] {
  const hooks = record(record(parsed(text))['hooks']);
  return Object.entries(hooks).flatMap(([event, value]) =>
    commandsIn(value)
      .filter((command) => OLD.test(command))
      .map((command) => ({ file, line: lineOf(text, command), event, command })),
  );
}

/** Every command below an event: some settings have a text there, most have nested lists. */
function commandsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return depth < 2 ? [value] : [];
  if (depth > 6) return [];
  if (Array.isArray(value)) return value.flatMap((each) => commandsIn(each, depth + 1));
  const { command, hooks } = record(value);
  return [
    ...(typeof command === 'string' ? [command] : []),
    ...(hooks === undefined ? [] : commandsIn(hooks, depth + 1)),
  ];
}

function lineOf(text: string, command: string): number {
  const at = text.indexOf(JSON.stringify(command));
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** The configuration of a project with settings of another loop added; nothing is written yet. */
interface ImportedSettings {
  /** Relative to the root. */
  readonly file: string;
  /** Null when nothing changes. */
  readonly text: string | null;
  readonly taken: Readonly<Record<string, unknown>>;
  /** Why settings were left out. */
  readonly left: readonly string[];
}

/** Adds settings that the configuration file does not contain yet. */
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
