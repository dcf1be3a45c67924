import { UsageError } from './errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Node's timers fire at once for more than 2^31-1 ms, so no longer value may reach one. */
const LONGEST_MS = 24 * 86_400_000;

/** The accepted forms, for help texts and errors. */
export const DURATION_FORMS = "'90s', '15m', '1h30m', '2h' or a plain number of seconds";

/**
 * Milliseconds of a duration as people write it: `90s`, `15m`, `1h30m`, `1.5h`, `250ms`; a plain number is seconds.
 * @throws UsageError naming the accepted forms.
 */
export function parseDuration(input: string | number): number {
  const ms = typeof input === 'number' ? input * 1000 : toMilliseconds(input.trim().toLowerCase());
  if (ms === null || !Number.isFinite(ms) || ms < 0) {
    throw new UsageError({ what: `'${input}' is not a duration`, fix: [`write ${DURATION_FORMS}`] });
  }
  if (ms > LONGEST_MS) {
    throw new UsageError({ what: `'${input}' is too long for a duration`, fix: ['write at most 24d'] });
  }
  return Math.round(ms);
}

/** The shortest exact form that {@link parseDuration} reads back: 5400000 → `1h30m`. */
export function formatDuration(ms: number): string {
  let rest = Math.round(ms);
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = UNIT_MS[unit] as number;
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}

function toMilliseconds(text: string): number | null {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(text)) return null;
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    total += Number(count) * (UNIT_MS[unit as string] as number);
  }
  return total;
}
