import { ownValue, type StoryState, type Verdict } from '../../contracts/index.ts';
import { dollars, elapsed, moment, oneLine, tokens } from '../../rules/text/index.ts';
import type { Hue } from './charts.ts';
import type { BudgetUse } from './model.ts';

// A log of a later version, or one that an agent changed, may hold words that no table has.

export function hueOf(verdict: Verdict | null): Hue {
  return ownValue(VERDICT_HUE, verdict ?? '') ?? 'idle';
}

export function hueOfState(state: StoryState): Hue {
  return ownValue(STATE_HUE, state) ?? 'idle';
}

const VERDICT_HUE: Readonly<Record<Verdict, Hue>> = {
  accepted: 'good',
  advanced: 'accent',
  rejected: 'bad',
  'no-progress': 'warn',
  'timed-out': 'odd',
  'agent-error': 'odd',
  interrupted: 'idle',
  limited: 'idle',
};

const STATE_HUE: Readonly<Record<StoryState, Hue>> = {
  done: 'good',
  'done, unreviewed': 'good',
  blocked: 'warn',
  'needs review': 'accent',
  'changes requested': 'accent',
  'to do': 'idle',
};

const AMOUNT: Readonly<Record<BudgetUse['unit'], (amount: number) => string>> = {
  count: String,
  usd: money,
  tokens,
  ms: elapsed,
};

export function amount(unit: BudgetUse['unit'], value: number): string {
  return AMOUNT[unit](value);
}

/** An amount of money as tables and sentences of the report show it: `$1,234.50`; `–` when unknown. */
export function money(usd: number | null): string {
  return usd === null ? '–' : dollars(usd).replaceAll(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ',');
}

/** In a shorter time, the minutes of start and end say too little. */
const SHORT_MS = 10 * 60_000;

/** When something began and ended, with seconds where it was short. */
export function beginAndEnd(from: number, to: number): readonly [begin: string, end: string] {
  const seconds = (at: number) =>
    to - from < SHORT_MS ? `:${String(new Date(at).getSeconds()).padStart(2, '0')}` : '';
  return [`${moment(from)}${seconds(from)}`, `${moment(to)}${seconds(to)}`];
}

/** How long something took that may not have happened; `–` for null. */
export function took(ms: number | null): string {
  return ms === null || ms <= 0 ? '–' : elapsed(ms);
}

/** `42 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The beginning of a possibly long text. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** Characters with a meaning inside a line of GitHub's Markdown; a pipe would end a cell. */
const SPECIAL = /[\\`*_[\]<>#|~$&@:]|(?<=www)\.|(?<=\bGH)-(?=\d)/gi;

/** Begins a list at the start of a line. */
const LIST = /^([-+]|\d+(?=[.)]))/;

const BROKEN_UP: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '|': '&#124;',
  // GitHub links addresses even after a backslash.
  ':': '&#58;',
  // GitHub looks for mentions and issues in the finished page: only a character in between avoids notifying people.
  '@': '@&#8203;',
  '#': '\\#&#8203;',
  '-': '-&#8203;',
};

/** Text as one line of Markdown that shows it literally: no markup, links, mentions or HTML. */
export function plain(text: string, length = 160): string {
  return shortened(oneLine(text), length)
    .replace(SPECIAL, (character) => BROKEN_UP[character] ?? `\\${character}`)
    .replace(LIST, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** Text between backticks: as many of them as needed, and no pipe, which ends a cell even in code. */
export function code(text: string, length = 160): string {
  const line = shortened(oneLine(text), length).replaceAll('|', '¦');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return line === '' ? '' : `${fence}${pad}${line}${pad}${fence}`;
}
