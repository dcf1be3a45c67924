import type { Now } from './model.ts';

type Context = NonNullable<Now['context']>;

/** How full the model's window is, by tokens alone: a share only of a window that somebody told of. */
export function contextOf(tokens: number, window: number | null): Context {
  return { tokens, window, percent: window === null || window <= 0 ? null : Math.floor((100 * tokens) / window) };
}
