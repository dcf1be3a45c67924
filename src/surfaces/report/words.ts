import type { StoryState, Verdict } from '../../contracts/model.ts';
import { dollars, elapsed, tokens } from '../terminal/format.ts';
import type { Hue } from './html/charts.ts';
import type { BudgetUse, Outcome } from './model.ts';

/** Of a log of a later version, or one that an agent wrote into, there may be words that no table has. */
export function lookUp<V>(table: Readonly<Record<string, V>>, key: string): V | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** How a verdict looks. */
export function hueOf(verdict: Verdict | null): Hue {
  return lookUp(VERDICT_HUE, verdict ?? '') ?? 'idle';
}

/** How the state of a story looks. */
export function hueOfState(state: StoryState): Hue {
  return lookUp(STATE_HUE, state) ?? 'idle';
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

export const TONE_HUE: Readonly<Record<Outcome['tone'], Hue>> = { good: 'good', warn: 'warn', bad: 'bad' };

const AMOUNT: Readonly<Record<BudgetUse['unit'], (amount: number) => string>> = {
  count: String,
  usd: dollars,
  tokens,
  ms: elapsed,
};

/** An amount with its unit. */
export function amount(unit: BudgetUse['unit'], value: number): string {
  return AMOUNT[unit](value);
}

/** `42 %`. */
export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The beginning of a text that may be long. */
export function shortened(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}

/** What was left out of a list, for the line below it; null when nothing was. */
export function leftOut(shown: number, total: number, what: string): string | null {
  return shown >= total ? null : `${total - shown} more ${what} are left out here; \`--format json\` has all of them.`;
}
