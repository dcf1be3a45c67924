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

/** Names are enough to switch a rule on or off; `ralph guard explain` says why a command is refused. */
function categoryTable({ title, rules }: (typeof categories)[number]): string {
  const names = Object.entries(rules).map(([id, { profiles }]) => `\`${id}\`${profiles ? '¹' : ''}`);
  return `**${title}**: ${names.join(' · ')}`;
}
