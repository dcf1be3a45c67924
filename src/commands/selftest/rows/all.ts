import { BACKLOG, CLAIMS, CLEAN_ROOM, JUDGES, PEOPLE } from './claims.ts';
import { AFTERWARDS, HISTORY } from './history.ts';
import { PROCESSES, PROGRAMS, SECRETS } from './processes.ts';
import { type Category, firstOnSum, onSum, type Row, type Rows } from './row.ts';
import { FAILURES, GOES_BACK, LIMITS, PRECIOUS, WORK } from './work.ts';

const CATEGORIES: Readonly<Record<Category, Rows>> = {
  claims: CLAIMS,
  failures: FAILURES,
  limits: LIMITS,
  processes: PROCESSES,
  backlog: BACKLOG,
  judges: { ...JUDGES, ...CLEAN_ROOM },
  history: { ...HISTORY, ...GOES_BACK, ...PEOPLE },
  work: { ...WORK, ...PRECIOUS },
  secrets: SECRETS,
  'afterwards: what the host does with the tree': { ...AFTERWARDS, ...PROGRAMS },
};

/** The battery, in display order. */
export const ROWS: readonly Row[] = Object.entries(CATEGORIES).flatMap(([category, rows]) =>
  Object.entries(rows).map(([name, { onSum: actions, firstOnSum: first, steps = [], ...row }]) => ({
    ...row,
    name,
    category: category as Category,
    steps: [...steps, ...(actions ? [onSum(actions)] : []), ...(first ? [firstOnSum(first)] : [])],
  })),
);
