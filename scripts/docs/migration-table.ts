import { MIGRATED_SETTINGS } from '../../src/rules/import/settings-table.ts';
import {
  MIGRATED_COMMANDS,
  MIGRATED_EXIT_CODES,
  MIGRATED_FILES,
  MIGRATED_FLAGS,
  MIGRATED_HOOKS,
  MIGRATED_VARIABLES,
  type Migrated,
} from './migration-rows.ts';

const BEGIN = '<!-- migration: written by scripts/docs-migration.ts -->';
const END = '<!-- /migration -->';

/** Everything that is known of other loops, by kind, in the order of the page. */
export function migrationRows(): readonly (readonly [kind: string, row: Migrated])[] {
  const settings = MIGRATED_SETTINGS.map(({ in: file, from, to, note }) => ({
    from: `${from} in ${file}`,
    to: to ?? '',
    note,
  }));
  const kinds: readonly (readonly [string, readonly Migrated[]])[] = [
    ['file', MIGRATED_FILES],
    ['command', MIGRATED_COMMANDS],
    ['flag', MIGRATED_FLAGS],
    ['variable', MIGRATED_VARIABLES],
    ['setting', settings],
    ['exit code', MIGRATED_EXIT_CODES],
    ['hook', MIGRATED_HOOKS],
  ];
  return kinds.flatMap(([kind, rows]) => rows.map((row) => [kind, row] as const));
}

/** The page with its table made anew from what `ralph import` goes by; the rest is written by hand. */
export function withMigration(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for the table: ${BEGIN} … ${END}`);
  const rows = migrationRows().map(([kind, { from, to, note }]) =>
    line(kind, code(from), to === '' ? '–' : code(to), note),
  );
  const table = ['| | there | here | what differs |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return `${page.slice(0, begin + BEGIN.length)}\n${table}\n${page.slice(end)}`;
}

function line(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('<', '&lt;')).join(' | ')} |`;
}

/** Names as they are typed; words of ours (`a Stop hook that …`, `the same`, `1: another loop runs`) stay words. */
function code(text: string): string {
  const place = /^(.+) in (.+)$/.exec(text);
  if (place?.[1] && place[2]) return `${code(place[1])} in ${/[./]/.test(place[2]) ? code(place[2]) : place[2]}`;
  const exit = /^([\d, ]+): (.*)$/.exec(text);
  if (exit?.[1]) return `${code(exit[1])}: ${exit[2]}`;
  if (/^an? |^the same$|^Codebase Patterns$/.test(text)) return text;
  return text
    .split(', ')
    .map((name) => `\`${name}\``)
    .join(', ');
}
