/** Context windows in tokens by the model's name; the first that matches. Used until a run has seen the real figure. */
const WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/\[1m\]$/, 1_000_000],
  [/^claude-(opus|sonnet)-5/, 1_000_000],
];

const USUAL_WINDOW = 200_000;

/** The window to reckon with when nothing better is known than the model's name. */
export function windowOfModel(model: string): number {
  return WINDOWS.find(([pattern]) => pattern.test(model))?.[1] ?? USUAL_WINDOW;
}
