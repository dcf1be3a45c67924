import type { RunState } from '../../contracts/catalogue.ts';
import type { EndReason } from '../../contracts/model.ts';
import type { RunView } from './model.ts';

/** Ends that wait for a person. */
const AFTER_END: Readonly<Partial<Record<EndReason, string>>> = {
  budget: 'a budget is spent; a new run needs another one',
  unavailable: 'its agent cannot be started; `ralph doctor` says why',
  error: 'it failed; see how it ended',
};

/**
 * What a person has to do for a run, as a short sentence; null when nothing. As its log tells it: what was said after
 * its end is not in there.
 */
export function needsOf(view: Pick<RunView, 'stories' | 'breaker' | 'ended' | 'now'>, state: RunState): string | null {
  const blocked = view.stories.flatMap((story) => story.blocked ?? []);
  const questions = blocked.flatMap((why) => /^question (Q\d{1,9}): /.exec(why)?.[1] ?? []);
  if (questions.length > 0) return `answer ${listed(questions)}`;
  if (state === 'paused' || (state === 'between' && view.now.waiting?.why === 'pause'))
    return 'paused; it waits to be resumed';
  if (state === 'cut-off') return 'cut off; `ralph run` picks it up';
  if (view.breaker.state === 'open') return 'the circuit breaker is open; see why, then reset it';
  if (state !== 'ended') return null;
  // A live run goes on with the other stories.
  if (blocked.length > 0) return blocked.length === 1 ? '1 story is blocked' : `${blocked.length} stories are blocked`;
  return (view.ended && AFTER_END[view.ended.reason]) ?? null;
}

const MOST_NAMED = 3;

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  return more > 0 ? `${names.slice(0, MOST_NAMED).join(', ')} and ${more} more` : names.join(', ');
}
