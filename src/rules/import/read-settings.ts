import { jsonValue } from '../../contracts/index.ts';
import { convertSetting, MIGRATED_SETTINGS, type MigratedSetting } from './settings-table.ts';

export interface SettingMove {
  readonly from: string;
  /** Our setting; null when nothing is taken over. */
  readonly to: string | null;
  readonly value: unknown;
  /** Why nothing is taken over, or what differs. */
  readonly note: string;
}

/**
 * Looks up settings of another loop, by their dotted names. The first value for one of our settings decides; commands
 * are collected from all files. Unknown names are left out.
 */
export function migrateSettings(found: Readonly<Record<string, unknown>>): readonly SettingMove[] {
  const moves: SettingMove[] = [];
  for (const [from, value] of Object.entries(found)) {
    const row = rowFor(from);
    if (row === undefined) continue;
    moves.push(moveOf(row, from, value, moves));
  }
  return moves;
}

export function settingsOf(moves: readonly SettingMove[]): Readonly<Record<string, unknown>> {
  const settings = new Map<string, unknown>();
  for (const { to, value } of moves) {
    if (to === null) continue;
    const before = settings.get(to);
    settings.set(to, Array.isArray(before) && Array.isArray(value) ? [...new Set([...before, ...value])] : value);
  }
  return Object.fromEntries(settings);
}

/** The table row for a name, or for the group that contains it (`hats.planner.name` is in `hats`). */
function rowFor(from: string): MigratedSetting | undefined {
  return MIGRATED_SETTINGS.find((row) => row.from === from || (row.to === null && from.startsWith(`${row.from}.`)));
}

function moveOf(row: MigratedSetting, from: string, value: unknown, moves: readonly SettingMove[]): SettingMove {
  if (row.to === null || row.convert === undefined) return { from, to: null, value, note: row.note };
  const converted = convertSetting(row.convert, value);
  if (converted === null) return { from, to: null, value, note: `${row.to} cannot be that: ${row.note}` };
  const isTaken = !Array.isArray(converted) && moves.some(({ to }) => to === row.to);
  if (isTaken) return { from, to: null, value, note: `${row.to} is already set` };
  return { from, to: row.to, value: converted, note: row.note };
}

/**
 * The assignments of a shell file, `export NAME=value` and `NAME="${NAME:-value}"` included. Nothing is ever run or
 * expanded: a value that a shell would have to compute is reported as unread.
 */
export function readAssignments(text: string): {
  readonly values: Readonly<Record<string, string>>;
  readonly unread: readonly string[];
} {
  const values = new Map<string, string>();
  const unread: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const found = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/.exec(line);
    if (!found) continue;
    const [, name = '', written = ''] = found;
    const value = readValue(written);
    if (value === null) unread.push(`line ${index + 1}: ${name}`);
    else values.set(name, value);
  }
  return { values: Object.fromEntries(values), unread };
}

/** The text that may follow a value. A comment begins with a `#` after a space: `a#b` is one word. */
const REST = String.raw`(?:\s*;\s*(?:#.*)?|\s+#.*|\s*)$`;
const QUOTED = new RegExp(`^'([^']*)'${REST}`);
const DOUBLE = new RegExp(`^"((?:[^"\\\\]|\\\\.)*)"${REST}`);
const BARE = new RegExp(`^([^\\s'";&|<>()$\`\\\\]*)${REST}`);
const DEFAULT = /^\$\{[A-Za-z_]\w*:?[-=]([^{}$`"]*)\}$/;

function readValue(written: string): string | null {
  const single = QUOTED.exec(written)?.[1];
  if (single !== undefined) return single;
  const bare = BARE.exec(written)?.[1];
  if (bare !== undefined) return bare;
  const inner = DOUBLE.exec(written)?.[1] ?? written.replace(/\s+#.*$/, '').trim();
  const fallback = DEFAULT.exec(inner)?.[1];
  if (fallback !== undefined) return fallback;
  if (DOUBLE.test(written) && !/[$`]/.test(inner.replace(/\\[$`]/g, ''))) return inner.replace(/\\(["\\$`])/g, '$1');
  return null;
}

/** Settings of a TOML file: single values and lists of texts, tables as dotted names. The rest has no use here. */
export function readToml(text: string): Readonly<Record<string, unknown>> {
  const values = new Map<string, unknown>();
  let table: string | null = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[([\w.-]+)\]\s*(?:#.*)?$/.exec(line)?.[1];
    if (header !== undefined) table = `${header}.`;
    else if (/^\s*\[/.test(line)) table = null;
    const found = /^\s*([\w-]+)\s*=\s*(.+?)\s*$/.exec(line);
    const value = found === null || table === null ? undefined : tomlValue(found[2] ?? '');
    if (found !== null && value !== undefined) values.set(`${table}${found[1]}`, value);
  }
  return Object.fromEntries(values);
}

function tomlValue(written: string): unknown {
  const text = /^(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?$/.exec(written);
  if (text) return text[2] ?? jsonValue(`"${text[1]}"`);
  // A comment begins with a `#` outside any string.
  const plain = written.replace(/^((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^"'#])*)#.*$/, '$1').trim();
  if (/^[+-]?\d[\d_]*(?:\.\d+)?$/.test(plain)) return Number(plain.replaceAll('_', ''));
  return /^(?:true|false|\[.*\])$/.test(plain) ? jsonValue(plain.replace(/,\s*\]$/, ']')) : undefined;
}

/** Nested settings by dotted names; lists are values. */
export function flatten(value: unknown, prefix = '', depth = 0): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth > 8) return {};
  const entries = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    const nested = Object.entries(flatten(each, `${prefix}${name}.`, depth + 1));
    return nested.length > 0 ? nested : [[`${prefix}${name}`, each]];
  });
  return Object.fromEntries(entries);
}
