import type { RalphEvent } from '../../contracts/events.ts';
import { advance, INITIAL_STATE } from '../terminal/log-state.ts';
import { plain } from '../terminal/paint.ts';
import { renderEvent } from '../terminal/render-event.ts';

/** An iteration as text, with everything its agent did, as `ralph log ITERATION` prints it. Pure. */
export function transcriptOf(events: readonly RalphEvent[], iteration: number): readonly string[] {
  const options = { paint: plain, verbose: true, columns: Number.POSITIVE_INFINITY };
  const lines: string[] = [];
  let state = INITIAL_STATE;
  for (const event of events) {
    if (event.iteration !== iteration) continue;
    lines.push(...renderEvent(event, state, options));
    state = advance(state, event);
  }
  return lines[0] === '' ? lines.slice(1) : lines;
}
