import { configJsonSchema, settings } from '../../src/adapters/workspace/config/settings.ts';
import { loadConfig } from '../../src/adapters/workspace/index.ts';

const BEGIN = '<!-- settings: written by scripts/docs-config.ts -->';
const END = '<!-- /settings -->';

/** The page with its table of settings made anew from the schema; the rest is written by hand. */
export async function withSettings(page: string): Promise<string> {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for the table: ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${await settingsTable()}\n${page.slice(end)}`;
}

async function settingsTable(): Promise<string> {
  // A folder that does not exist has no configuration file: what is left are the defaults.
  const { sources } = await loadConfig({ root: '/nowhere', env: {}, flags: {}, onUntrusted: 'given' });
  const rows = settings().map(({ key, path, description }) => ({
    name: code(key),
    standard: written(sources[key]?.value),
    meaning: `${description}${valuesOf(path)}`,
  }));
  // Agents have settings of the same name: one line for all of them.
  const meanings = [...new Set(rows.map(({ meaning }) => meaning))];
  return meanings
    .map((meaning) => {
      const alike = rows.filter((row) => row.meaning === meaning);
      const [standard, ...others] = new Set(alike.map((row) => row.standard));
      const shown = others.length > 0 || !standard ? '' : ` (${standard})`;
      return `- ${alike.map(({ name }) => name).join(', ')}${shown}: ${meaning.replaceAll('<', '&lt;')}`;
    })
    .join('\n');
}

/** The environment variable of a setting; a test holds it against what the program reads. */
export function variableOf(path: readonly string[]): string {
  return `RALPH_${path.join('_')}`
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toUpperCase();
}

interface JsonSchema {
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

/** The words that a setting takes, where these are few; else the description and the default say what it takes. */
function valuesOf(path: readonly string[]): string {
  const found = path.reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], configJsonSchema());
  if (found === undefined) throw new Error(`the JSON Schema has no setting ${path.join('.')}`);
  const words = found.enum ?? found.anyOf?.flatMap((kind) => kind.enum ?? []) ?? [];
  return words.length > 0 ? ` One of ${words.map(code).join(', ')}.` : '';
}

/** A default as people write it; empty where nothing is set. */
function written(value: unknown): string {
  if (value === null || value === undefined) return '';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function code(text: string): string {
  return `\`${text}\``;
}
