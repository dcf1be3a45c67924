/** Stands where a secret was. Its brackets keep it from being read as part of another secret. */
export const REDACTED = '[redacted]';

/** A pattern, and what stands in place of what it matches. */
export interface Shape {
  readonly pattern: RegExp;
  readonly replace: string;
}
