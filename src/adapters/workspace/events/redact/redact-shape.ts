/** A pattern, and what stands in place of what it matches. */
export interface Shape {
  readonly pattern: RegExp;
  readonly replace: string;
}
