import type { Machine } from './machine.ts';
import { isMet, line, type Row } from './rows.ts';

/** A file of results: where and when, and every row of one run. */
export interface Results {
  readonly version: 1;
  /** ISO 8601, UTC. */
  readonly date: string;
  /** The commit that was measured; `+` behind it: with changes that are in no commit. */
  readonly commit: string;
  readonly machine: Machine;
  /** Benchmarks that ran, and those of them that broke off. */
  readonly ran: readonly string[];
  readonly failed: readonly string[];
  readonly rows: readonly Row[];
}

/** The table at the end of a run, and how many targets were met. */
export function table({ rows, failed }: Results): string {
  const judged = rows.map(isMet).filter((met) => met !== null);
  const missed = judged.filter((met) => !met).length;
  const summary = `${judged.length - missed} of ${judged.length} targets met, ${missed} missed`;
  const broken = failed.length === 0 ? '' : `; broke off: ${failed.join(', ')}`;
  return [...rows.map(line), '', summary + broken].join('\n');
}

/** What changed between two runs, row by row: ratios where both have one, since they say more than milliseconds. */
export function compare(now: Results, then: Results): string {
  const before = new Map(then.rows.map((row) => [key(row), row]));
  const after = new Set(now.rows.map(key));
  const lines = now.rows.map((row) => {
    const old = before.get(key(row));
    return `${key(row).padEnd(68)} ${old === undefined ? 'new' : change(old, row)}`;
  });
  const gone = then.rows.filter((row) => now.ran.includes(row.benchmark) && !after.has(key(row)));
  return [...lines, ...gone.map((row) => `${key(row).padEnd(68)} gone`)].join('\n');
}

function key({ benchmark, name }: Row): string {
  return `${benchmark}: ${name}`;
}

function change(old: Row, row: Row): string {
  const isRatio = old.ratio !== undefined && row.ratio !== undefined;
  const from = isRatio ? old.ratio : old.value;
  const to = isRatio ? row.ratio : row.value;
  if (from === undefined || from === null || to === undefined || to === null) return 'not measured in both';
  const percent = from === 0 ? '' : ` (${to >= from ? '+' : ''}${Math.round((to / from - 1) * 100)} %)`;
  return `${from.toLocaleString('en')} → ${to.toLocaleString('en')} ${isRatio ? '×' : row.unit}${percent}`;
}
