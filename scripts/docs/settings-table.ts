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
  const rows = settings().map(({ key, path, description }) => {
    const cells = [code(key), code(variableOf(path)), valuesOf(path), written(sources[key]?.value), description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| setting | variable | values | default | |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}

/** The environment variable of a setting; a test holds it against what the program reads. */
export function variableOf(path: readonly string[]): string {
  return `RALPH_${path.join('_')}`
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toUpperCase();
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}

function valuesOf(path: readonly string[]): string {
  const found = path.reduce<JsonSchema | undefined>((at, name) => at?.properties?.[name], configJsonSchema());
  if (found === undefined) throw new Error(`the JSON Schema has no setting ${path.join('.')}`);
  return describe(found);
}

function describe(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((value) => code(value)).join(', ');
  if (schema.anyOf) {
    const kinds = schema.anyOf.filter(({ type }) => type !== 'null');
    return kinds.map(describe).join(' or ');
  }
  // Text with units or a number of seconds.
  if (Array.isArray(schema.type)) return 'duration';
  if (schema.type === 'array') return `list of ${describe(schema.items ?? {})}s`;
  if (schema.type === 'integer') return schema.minimum === undefined ? 'number' : `number from ${schema.minimum}`;
  if (schema.type === 'boolean') return '`true`, `false`';
  return 'text';
}

/** A default as people write it; a dash where nothing is set. */
function written(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

function code(text: string): string {
  return `\`${text}\``;
}
