import { BACKLOG } from './backlog.ts';
import { CLAIMS } from './claims.ts';
import { FAILURES } from './failures.ts';
import { HISTORY } from './history.ts';
import { JUDGES } from './judges.ts';
import { LIMITS } from './limits.ts';
import { PROCESSES } from './processes.ts';
import type { Row } from './row.ts';

/** The battery, in the order in which it is shown. */
export const ROWS: readonly Row[] = [
  ...CLAIMS,
  ...FAILURES,
  ...LIMITS,
  ...PROCESSES,
  ...BACKLOG,
  ...JUDGES,
  ...HISTORY,
];
