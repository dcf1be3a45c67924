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

/** US dollars; `-` when the agent does not say. */
export function dollars(usd: number | null): string {
  if (usd === null) return '-';
  return usd > 0 && usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
}

/** US dollars added up, in millionths: ten times 0.1 is 1, and spends a budget of 1. */
export function sumDollars(amounts: readonly number[]): number {
  const sum = amounts.reduce((all, one) => all + one, 0);
  return Math.round(sum * 1e6) / 1e6;
}

/** A count of tokens: `950`, `12.3k`, `1.2M`. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 999_950 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

function two(part: number): string {
  return String(part).padStart(2, '0');
}
