import type { RunView } from '../../src/rules/view/model.ts';

/** Agent starts within the hour before a moment. */
export function callsWithin(view: RunView, moment: number): number {
  return view.calls.filter((call) => call > moment - 3_600_000 && call <= moment).length;
}
