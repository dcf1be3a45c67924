import { hasShape, type RalphEvent } from '../../contracts/index.ts';
import { AGENT_LINES } from './lines/agent.ts';
import { GATE_LINES } from './lines/gate.ts';
import { ITERATION_LINES } from './lines/iteration.ts';
import { type Lines, type Page, pageFor, type RenderOptions } from './lines/page.ts';
import { RUN_LINES, SESSION_LINES } from './lines/run.ts';
import { advance, INITIAL_STATE, type LogState } from './log-state.ts';

export type { RenderOptions } from './lines/page.ts';

const LINES: Lines = {
  ...RUN_LINES,
  ...GATE_LINES,
  ...ITERATION_LINES,
  ...AGENT_LINES,
  ...SESSION_LINES,
};

/**
 * The lasting lines that an event adds to the log of a run; none for an unknown or malformed one. Pure.
 * @param state before the event
 */
export function renderEvent(event: RalphEvent, state: LogState, options: RenderOptions): readonly string[] {
  if (!hasShape(event)) return [];
  // The table gives each kind its own function; the type checker cannot see that kind and function belong together.
  const lines = LINES[event.type] as (event: RalphEvent, page: Page) => readonly string[];
  return lines(event, pageFor(state, options));
}

/** One iteration as the run showed it. Pure. @param events of the run, or of the iteration alone */
export function renderIteration(
  events: readonly RalphEvent[],
  iteration: number,
  options: RenderOptions,
): readonly string[] {
  const lines: string[] = [];
  let state = INITIAL_STATE;
  for (const event of events) {
    if (event.iteration === iteration) lines.push(...renderEvent(event, state, options));
    state = advance(state, event);
  }
  // The blank line that separates iterations in a log is not needed here.
  return lines[0] === '' ? lines.slice(1) : lines;
}
