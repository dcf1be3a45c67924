import { BACKLOG, CLAIMS, CLEAN_ROOM, JUDGES, PEOPLE } from './claims.ts';
import { AFTERWARDS, HISTORY } from './history.ts';
import { PROCESSES, PROGRAMS, SECRETS } from './processes.ts';
import type { Category, Row } from './row.ts';
import { FAILURES, GOES_BACK, LIMITS, PRECIOUS, WORK } from './work.ts';

const CATEGORIES: Readonly<Record<Category, readonly Row[]>> = {
  claims: CLAIMS,
  failures: FAILURES,
  limits: LIMITS,
  processes: PROCESSES,
  backlog: BACKLOG,
  judges: [...JUDGES, ...CLEAN_ROOM],
  history: [...HISTORY, ...GOES_BACK, ...PEOPLE],
  work: [...WORK, ...PRECIOUS],
  secrets: SECRETS,
  'afterwards: what the host does with the tree': [...AFTERWARDS, ...PROGRAMS],
};

export type CategorisedRow = Row & { readonly category: Category };

export const ROWS: readonly CategorisedRow[] = Object.entries(CATEGORIES).flatMap(([category, rows]) =>
  rows.map((row) => ({ ...row, category: category as Category })),
);
