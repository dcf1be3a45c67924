import type { Row } from './row.ts';

/** Agents that leave something behind which the host could run, obey or believe once they have ended. */
export const AFTERWARDS: readonly Row[] = [];
