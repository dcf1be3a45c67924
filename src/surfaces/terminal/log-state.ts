import type { RalphEvent } from '../../contracts/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import { hasShape } from '../../rules/view/index.ts';
import type { ShownWait } from './waiting.ts';

/** What the log remembers between events: what it reported already, and what its condensed lines sum up. */
export interface LogState {
  readonly maxIterations: number;
  /** The wait that the log reported last; null once it is over. */
  readonly toldWait: ShownWait | null;
  /** Why the circuit breaker is open; null when it is not, or not reported yet. */
  readonly openedFor: string | null;
  /** Notices already shown, and how often; errors are shown each time. */
  readonly told: ReadonlyMap<string, number>;
  /** Hosts whose refusal was explained already. */
  readonly refused: readonly string[];
  /** The story that this iteration blocked, or the last one did. */
  readonly blocked: string | null;
  /** Calls of the agent's process by tool, in the order of their first use. */
  readonly tools: ReadonlyMap<string, number>;
  /** Refused stops of the agent's process by their reasons: each is shown once. */
  readonly stops: ReadonlyMap<string, number>;
}

export const INITIAL_STATE: LogState = {
  maxIterations: 0,
  toldWait: null,
  openedFor: null,
  told: new Map(),
  refused: [],
  blocked: null,
  tools: new Map(),
  stops: new Map(),
};

/** The state after `event`; a malformed event changes nothing. Pure. */
export function advance(state: LogState, event: RalphEvent): LogState {
  if (!hasShape(event)) return state;
  switch (event.type) {
    case 'run-start':
      return { ...INITIAL_STATE, maxIterations: event.maxIterations };
    case 'wait': {
      const { why, until, text } = event;
      return { ...state, toldWait: { why, until, text } };
    }
    case 'turn-end': {
      const { why, until, text } = event;
      return { ...state, toldWait: why === null ? null : { why, until, text } };
    }
    case 'wait-end':
      return { ...state, toldWait: null };
    case 'notice':
      return event.level === 'error' ? state : { ...state, told: onceMore(state.told, event.text) };
    case 'egress-refused':
      return state.refused.includes(event.host) ? state : { ...state, refused: [...state.refused, event.host] };
    case 'circuit':
      return { ...state, openedFor: event.to === 'open' ? event.reason : null };
    case 'select':
      return { ...state, toldWait: null, blocked: null, tools: new Map(), stops: new Map() };
    case 'agent-start':
      return { ...state, tools: new Map(), stops: new Map() };
    case 'stop-refused':
      return { ...state, stops: onceMore(state.stops, event.reasons.join('\n')) };
    case 'agent':
      return event.event.type === 'tool-call'
        ? { ...state, tools: onceMore(state.tools, oneLine(event.event.name)) }
        : state;
    case 'story':
      return event.to === 'blocked' ? { ...state, blocked: event.story } : state;
    default:
      return state;
  }
}

function onceMore(counts: ReadonlyMap<string, number>, key: string): ReadonlyMap<string, number> {
  return new Map(counts).set(key, (counts.get(key) ?? 0) + 1);
}
