import { randomUUID } from 'node:crypto';

/** Tells one submission of a stream from the next. */
export function submissionName(): string {
  return randomUUID();
}
