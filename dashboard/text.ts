import * as format from '../src/surfaces/terminal/format.ts';
import { oneLine, safeLines } from '../src/surfaces/terminal/sanitise.ts';

export { clockTime, counted, elapsed, moment, stopwatch } from '../src/surfaces/terminal/format.ts';

/** What a log tells beyond this is a mistake. */
const MOST = 1e12;

/** US dollars; `-` when nobody told, `–` where it cannot be. */
export function dollars(usd: number | null): string {
  return usd === null || isPlausible(usd) ? format.dollars(usd) : '–';
}

/** A count of tokens; `–` where it cannot be. */
export function tokens(count: number): string {
  return isPlausible(count) ? format.tokens(count) : '–';
}

/** Whether a number can be a cost, a count or a duration. */
export function isPlausible(value: number): boolean {
  return Math.abs(value) < MOST;
}

/** More marks on one letter than any script needs: a browser draws them over everything around. */
const PILED = /(\p{M}{6})\p{M}+/gu;

/** One line of what an agent or a file said: no controls, nothing that reorders or paints over what is around it. */
export function said(text: string): string {
  return oneLine(text).replace(PILED, '$1');
}

/** The same of several lines: their breaks and indentation stay. */
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
