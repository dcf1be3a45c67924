import { AFTERWARDS } from './afterwards.ts';
import { BACKLOG } from './backlog.ts';
import { CLAIMS } from './claims.ts';
import { CLEAN_ROOM } from './clean-room.ts';
import { FAILURES } from './failures.ts';
import { GOES_BACK } from './goes-back.ts';
import { HISTORY } from './history.ts';
import { JUDGES } from './judges.ts';
import { LIMITS } from './limits.ts';
import { PEOPLE } from './people.ts';
import { PRECIOUS } from './precious.ts';
import { PROCESSES } from './processes.ts';
import { PROGRAMS } from './programs.ts';
import type { Category, Row } from './row.ts';
import { SECRETS } from './secrets.ts';
import { WORK } from './work.ts';

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

/** A row with what it is about. */
export type CategorisedRow = Row & { readonly category: Category };

/** The battery, in the order in which it is shown. */
export const ROWS: readonly CategorisedRow[] = Object.entries(CATEGORIES).flatMap(([category, rows]) =>
  rows.map((row) => ({ ...row, category: category as Category })),
);
