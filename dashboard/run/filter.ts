import type { Mode } from '../../src/contracts/model.ts';
import type { IterationView } from '../../src/rules/view/model.ts';

/** Which iterations are shown; empty texts let everything through. */
export interface IterationFilter {
  readonly result: 'all' | 'good' | 'bad';
  readonly mode: Mode | '';
  /** In ids and titles of stories, verdicts, reasons and commit subjects. */
  readonly text: string;
}

export const EVERY_ITERATION: IterationFilter = { result: 'all', mode: '', text: '' };

/** The iterations that a filter lets through, the latest first. */
export function chosenIterations(
  iterations: readonly IterationView[],
  filter: IterationFilter,
): readonly IterationView[] {
  const text = filter.text.trim().toLowerCase();
  return iterations
    .filter((one) => hasResult(one, filter.result))
    .filter((one) => filter.mode === '' || one.mode === filter.mode)
    .filter((one) => text === '' || searched(one).toLowerCase().includes(text))
    .toReversed();
}

/** Whether an iteration came out as asked; one under way only counts as `all`. */
export function hasResult(one: IterationView, result: IterationFilter['result']): boolean {
  if (result === 'all') return true;
  const good = one.verdict === 'accepted' || one.verdict === 'advanced';
  return one.verdict !== null && good === (result === 'good');
}

function searched(one: IterationView): string {
  return [`#${one.iteration}`, one.story, one.title, one.verdict, one.reason, one.commit?.subject].join(' ');
}
