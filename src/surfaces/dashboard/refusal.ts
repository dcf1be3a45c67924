import { RalphError } from '../../contracts/errors.ts';
import type { Refusal } from './api.ts';

export type RefusedStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503;

/** A request that is answered with a refusal. */
export class Refused extends Error {
  readonly status: RefusedStatus;
  readonly refusal: Refusal;
  /** Seconds after which it may be tried again. */
  readonly retryAfter: number | null;
  /** The methods that the address takes. */
  readonly allow: string | null;
  constructor(
    status: RefusedStatus,
    error: string,
    more: { mend?: readonly string[]; retryAfter?: number; allow?: string } = {},
  ) {
    super(error);
    this.status = status;
    this.refusal = more.mend === undefined ? { error } : { error, mend: more.mend };
    this.retryAfter = more.retryAfter ?? null;
    this.allow = more.allow ?? null;
  }
}

/** What went wrong, as an answer: errors for people say how to mend them, others are bugs. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof RalphError)) {
    return new Refused(500, `a bug in ralph: ${error instanceof Error ? error.message : String(error)}`);
  }
  const { what, why, mend } = error.facts;
  return new Refused(409, why ? `${what}: ${why}` : what, mend === undefined ? {} : { mend });
}
