import { dollars as formatDollars, tokens as formatTokens, oneLine, safeLines } from '../src/rules/text/index.ts';

export { clockTime, counted, elapsed, moment, stopwatch } from '../src/rules/text/index.ts';

/** A larger value in a log is a mistake. */
const MOST = 1e12;

/** US dollars; `-` when unknown, `–` when implausible. */
export function dollars(usd: number | null): string {
  return usd === null || isPlausible(usd) ? formatDollars(usd) : '–';
}

/** A count of tokens; `–` when implausible. */
export function tokens(count: number): string {
  return isPlausible(count) ? formatTokens(count) : '–';
}

/** Whether a number can be a cost, a count or a duration. */
export function isPlausible(value: number): boolean {
  return Math.abs(value) < MOST;
}

/** More marks on one letter than any script needs: a browser draws them over everything around. */
const PILED = /(\p{M}{6})\p{M}+/gu;

/** One line from an agent or a file: no controls, nothing that reorders or paints over the text around it. */
export function said(text: string): string {
  return oneLine(text).replace(PILED, '$1');
}

/** The same for several lines: breaks and indentation stay. */
export function saidLines(text: string): string {
  return safeLines(text).join('\n').replace(PILED, '$1');
}

/** How long ago something was, coarsely: `now`, `5 min ago`, `3 h ago`, `2 d ago`. */
export function ago(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}
