import type { AddedTokens, Usage } from '../../contracts/index.ts';

/** A duration for people, in at most two units: `31ms`, `2.1s`, `45s`, `3m 05s`, `2h 07m`. */
export function elapsed(ms: number): string {
  if (ms < 999.5) return `${Math.round(Math.max(0, ms))}ms`;
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

/** US dollars; `-` when the agent does not report it. */
export function dollars(usd: number | null): string {
  if (usd === null) return '-';
  return usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
}

/** US dollars added up, in millionths: ten times 0.1 is 1, and spends a budget of 1. */
export function sumDollars(amounts: readonly number[]): number {
  const sum = amounts.reduce((all, one) => all + one, 0);
  return Math.round(sum * 1e6) / 1e6;
}

/** The sum of all known costs in US dollars; null when none is known. */
export function sumCosts(costs: readonly (number | null)[]): number | null {
  const known = costs.filter((cost) => cost !== null);
  return known.length === 0 ? null : sumDollars(known);
}

/** A count of tokens: `950`, `12.3k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

/** A clock that counts up: `0:07`, `12:30`, `1:02:03`. */
export function stopwatch(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** A clock that counts down, rounded up to whole seconds: `00:00:17`, `02:30:00`, `6d 04:00:00`. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const days = Math.floor(seconds / 86_400);
  const parts = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  return `${days > 0 ? `${days}d ` : ''}${parts.map(two).join(':')}`;
}

/** `1 story`, `2 stories`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A moment in the user's time zone, to the minute: `2026-01-31 08:05`. */
export function moment(epochMs: number): string {
  const date = new Date(epochMs);
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** A moment as wall-clock time; with the date if that differs from the date of `now`. */
export function clockTime(epochMs: number, now: number): string {
  const date = new Date(epochMs);
  if (date.toDateString() !== new Date(now).toDateString()) return moment(epochMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
  };
}

/** What the loop itself adds to a context: everything but the story. */
export function addedTokens({ prompt, tools, hooks }: AddedTokens): number {
  return prompt + tools + hooks;
}

/** Sum of the known values of two costs in US dollars; null when neither is known. */
export function addCost(one: number | null, other: number | null): number | null {
  return one === null && other === null ? null : (one ?? 0) + (other ?? 0);
}

/** Tokens of all kinds, cache reads included. */
export function allTokens({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage): number {
  return inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;
}
