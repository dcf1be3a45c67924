import type { AgentEvent } from '../../contracts/agent.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import type { Mode, Usage } from '../../contracts/model.ts';
import { oneLine } from './sanitise.ts';
import type { ShownWait } from './waiting.ts';

/** What the log remembers between events: enough for the live line and for condensed lines. */
export interface LogState {
  readonly maxIterations: number;
  readonly iteration: number;
  readonly mode: Mode | null;
  readonly story: string | null;
  /** What happens now, for the live line; null between iterations. */
  readonly doing: string | null;
  /** Epoch ms at which that began. */
  readonly since: number;
  /** What the next iteration waits for; null when nothing keeps it. */
  readonly waiting: ShownWait | null;
  /** Why the circuit breaker is open; null when it is not, or nobody was told yet. */
  readonly openedFor: string | null;
  /** Hosts whose refusal was explained already. */
  readonly refused: readonly string[];
  /** The story that this iteration blocked, or the last one did. */
  readonly blocked: string | null;
  /** Calls by tool, in the order of their first use. */
  readonly tools: Readonly<Record<string, number>>;
  /** Tokens in the model's window now. */
  readonly contextTokens: number | null;
  /** Of all agent processes of this run that ended. */
  readonly costUsd: number;
}

export const INITIAL_STATE: LogState = {
  maxIterations: 0,
  iteration: 0,
  mode: null,
  story: null,
  doing: null,
  since: 0,
  waiting: null,
  openedFor: null,
  refused: [],
  blocked: null,
  tools: {},
  contextTokens: null,
  costUsd: 0,
};

/** The state after `event`. Pure. */
export function advance(state: LogState, event: RalphEvent): LogState {
  const at = Date.parse(event.ts);
  switch (event.type) {
    case 'run-start':
      return { ...INITIAL_STATE, maxIterations: event.maxIterations, doing: 'getting ready', since: at };
    case 'wait': {
      const { why, until, text } = event;
      return { ...state, waiting: { why, until, text } };
    }
    case 'egress-refused':
      return state.refused.includes(event.host) ? state : { ...state, refused: [...state.refused, event.host] };
    case 'wait-end':
      return { ...state, waiting: null };
    case 'circuit':
      return { ...state, openedFor: event.to === 'open' ? event.reason : null };
    case 'select':
      return {
        ...state,
        waiting: null,
        blocked: null,
        iteration: event.iteration,
        mode: event.mode,
        story: event.story,
        doing: 'checkpoint',
        since: at,
        tools: {},
        contextTokens: null,
      };
    case 'agent-start':
      return { ...state, doing: 'thinking', since: at, tools: {}, contextTokens: null };
    case 'agent':
      return withAgentEvent(state, event.event);
    case 'agent-end':
      return { ...state, doing: 'settling', since: at, costUsd: state.costUsd + (event.costUsd ?? 0) };
    case 'transient':
      return { ...state, doing: 'waiting to try again', since: at };
    case 'check-start':
      return { ...state, doing: `check ${oneLine(event.command)}`, since: at };
    case 'verdict':
      return { ...state, doing: 'concluding', since: at };
    case 'story':
      return event.to === 'blocked' ? { ...state, blocked: event.story } : state;
    case 'iteration-end':
      return { ...state, doing: null };
    case 'run-end':
      return { ...state, doing: null, waiting: null };
    default:
      return state;
  }
}

function withAgentEvent(state: LogState, event: AgentEvent): LogState {
  switch (event.type) {
    case 'tool-call': {
      const name = oneLine(event.name);
      return {
        ...state,
        doing: oneLine(`${name} ${event.summary}`),
        tools: { ...state.tools, [name]: (state.tools[name] ?? 0) + 1 },
      };
    }
    case 'tool-result':
    case 'text':
      return { ...state, doing: 'thinking' };
    case 'usage':
      return event.contextTokens === null ? state : { ...state, contextTokens: event.contextTokens };
    case 'retry':
      return { ...state, doing: 'waiting for the provider' };
    default:
      return state;
  }
}

/** All tokens of a usage, cache reads included. */
export function allTokens(usage: Usage): number {
  return usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
}
