import { readFileSync } from 'node:fs';
import type { GuardRule } from '../../src/rules/guard/api.ts';
import { categories } from '../../src/rules/guard/dangers/index.ts';

const BEGIN = '<!-- rules: written by scripts/docs-guard.ts -->';
const END = '<!-- /rules -->';

/** The page with the tables of the guard's rules made anew from the rules; the rest is written by hand. */
export function withRules(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`the page has no place for the rules: ${BEGIN} … ${END}`);
  const tables = categories.map(categoryTable).join('\n\n');
  return `${page.slice(0, begin + BEGIN.length)}\n${tables}\n${page.slice(end)}`;
}

function categoryTable({ title, rules }: (typeof categories)[number]): string {
  return [
    `### ${title}`,
    '',
    '| rule | holds | because | instead | refused, for example |',
    SEPARATOR,
    ...Object.entries(rules).map(row),
  ].join('\n');
}

const EXAMPLES: readonly { readonly cmd: string; readonly label: string; readonly category: string }[] = readFileSync(
  new URL('../../src/rules/guard/dangers/examples.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const SEPARATOR = '| --- | --- | --- | --- | --- |';

/** Calls of ralph in a page are held against its commands, and a rule may refuse one that does not exist. */
const CALLS_RALPH = /^ralph /;

function row([id, { profiles, reason, alternative }]: [string, GuardRule]): string {
  const example =
    EXAMPLES.find(({ cmd, label, category }) => category === id && label === 'block' && !CALLS_RALPH.test(cmd))?.cmd ??
    '';
  const cells = [code(id), profiles?.join(', ') ?? 'always', prose(reason), prose(alternative), code(example)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Text that is no Markdown: what looks like a tag or emphasis stays as it is. */
function prose(text: string): string {
  return text.replace(/[<*]/g, (sign) => (sign === '<' ? '&lt;' : `\\${sign}`));
}

/** Code in one line of a table, in a fence longer than any run of backticks in it. */
export function code(text: string): string {
  const line = text.replace(/\s*\n\s*/g, ' ⏎ ');
  const longest = (line.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = '`'.repeat(longest + 1);
  const space = longest > 0 ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}
