import { oneLine } from '../../terminal/sanitise.ts';
import { shortened } from '../words.ts';

/** Whatever means something inside a line of GitHub's Markdown; a pipe would end a cell. */
const SPECIAL = /[\\`*_[\]<>#|~$&@:]|(?<=www)\.|(?<=\bGH)-(?=\d)/gi;

/** What begins a list, where the line begins with it. */
const LIST = /^([-+]|\d+(?=[.)]))/;

const BROKEN_UP: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '|': '&#124;',
  // Addresses become links behind every backslash.
  ':': '&#58;',
  // Mentions and issues are looked for in the finished page: only a character between keeps people from being called.
  '@': '@&#8203;',
  '#': '\\#&#8203;',
  '-': '-&#8203;',
};

/** Text as one line of Markdown that shows it as it is: no markup, links, mentions or HTML come of it. */
export function plain(text: string, length = 160): string {
  return shortened(oneLine(text), length)
    .replace(SPECIAL, (character) => BROKEN_UP[character] ?? `\\${character}`)
    .replace(LIST, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** Text between backticks: as many of them as it takes, and no pipe, which ends a cell even in code. */
export function code(text: string, length = 160): string {
  const line = shortened(oneLine(text), length).replaceAll('|', '¦');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return line === '' ? '' : `${fence}${pad}${line}${pad}${fence}`;
}
