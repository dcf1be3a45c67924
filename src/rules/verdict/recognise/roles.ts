/** What a simple command does, as far as tests go. */
export type Role =
  /** Runs tests. `framework` null: with one that its output will tell. */
  | { readonly kind: 'test'; readonly framework: string | null }
  /** A program or script of the project: only its output can tell. */
  | { readonly kind: 'maybe' }
  /** Runs no tests, whatever it prints. */
  | { readonly kind: 'none' };

export const NO_TEST: Role = { kind: 'none' };
export const MAYBE: Role = { kind: 'maybe' };
export const SOME_TEST: Role = { kind: 'test', framework: null };

export function testOf(framework: string): Role {
  return { kind: 'test', framework };
}
