import type { RalphEvent } from '../../contracts/events.ts';
import { hasShape } from '../../rules/view/event-shape.ts';
import { AGENT_LINES } from './lines/agent.ts';
import { GATE_LINES } from './lines/gate.ts';
import { ITERATION_LINES } from './lines/iteration.ts';
import { type EventType, type Lines, type Page, pageFor, type RenderOptions } from './lines/page.ts';
import { RUN_LINES } from './lines/run.ts';
import { SESSION_LINES } from './lines/session.ts';
import type { LogState } from './log-state.ts';

export type { RenderOptions } from './lines/page.ts';

const LINES: Lines<EventType> = {
  ...RUN_LINES,
  ...GATE_LINES,
  ...ITERATION_LINES,
  ...AGENT_LINES,
  ...SESSION_LINES,
};

/**
 * The lasting lines that an event adds to the log of a run; none for one that this version does not know, or that is
 * not what it says. Pure.
 * @param state before the event
 */
export function renderEvent(event: RalphEvent, state: LogState, options: RenderOptions): readonly string[] {
  if (!hasShape(event)) return [];
  // The table gives each kind its own function; that kind and function belong together is beyond the type checker.
  const lines = LINES[event.type] as (event: RalphEvent, page: Page) => readonly string[];
  return lines(event, pageFor(state, options));
}
