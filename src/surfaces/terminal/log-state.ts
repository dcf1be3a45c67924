import { type AgentErrorKind, type AgentEvent, hasShape, type RalphEvent } from '../../contracts/index.ts';
import { oneLine } from '../../rules/text/index.ts';
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
  /** Output of the last set-up of the clean room that failed: each check that it stopped has it. */
  readonly setUpTail: string | null;
  /** The story of this iteration; null outside of one. */
  readonly story: string | null;
  /** The story that this iteration blocked, or the last one did. */
  readonly blocked: string | null;
  /** Calls of the agent's process by tool, in the order of their first use. */
  readonly tools: ReadonlyMap<string, number>;
  /** What hooks, tools and limits refused the agent's process, and how often: each is shown once. */
  readonly repeats: ReadonlyMap<string, number>;
  /** Messages that told the agent why it may not stop yet. */
  readonly stops: ReadonlySet<string>;
  /** The last message of the agent's process; empty while it has none. */
  readonly said: string;
  /** The last test run that the agent reported, and how many. */
  readonly tests: { readonly last: TestResult; readonly runs: number } | null;
  /** How the agent's process failed; null when it did not. */
  readonly error: AgentErrorKind | null;
}

const NEW_PROCESS = {
  tools: new Map<string, number>(),
  repeats: new Map<string, number>(),
  stops: new Set<string>(),
  said: '',
  tests: null,
  error: null,
} as const;

export const INITIAL_STATE: LogState = {
  maxIterations: 0,
  toldWait: null,
  openedFor: null,
  told: new Map(),
  refused: [],
  setUpTail: null,
  story: null,
  blocked: null,
  ...NEW_PROCESS,
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
      return { ...state, toldWait: null, story: event.story, blocked: null, ...NEW_PROCESS };
    case 'agent-start':
      return { ...state, ...NEW_PROCESS };
    case 'agent-end':
      return { ...state, error: event.error?.kind ?? null };
    case 'iteration-end':
      return { ...state, story: null };
    case 'check':
      return event.result.notSetUp === undefined ? state : { ...state, setUpTail: event.result.tail };
    case 'stop-refused':
      return { ...repeated(state, event), stops: new Set([...state.stops, ...event.reasons]) };
    case 'denied':
      return repeated(state, event);
    case 'tool-call':
      return event.refused === null ? state : repeated(state, event);
    case 'test-result':
      return { ...state, tests: { last: event, runs: (state.tests?.runs ?? 0) + 1 } };
    case 'agent':
      return afterAgent(state, event.event);
    case 'story':
      return event.to === 'blocked' ? { ...state, blocked: event.story } : state;
    default:
      return state;
  }
}

function afterAgent(state: LogState, event: AgentEvent): LogState {
  if (event.type === 'tool-call') return { ...state, tools: onceMore(state.tools, oneLine(event.name)) };
  if (event.type !== 'text') return state;
  const said = lastWords(event.text);
  return said === '' ? state : { ...state, said };
}

/** The first paragraph of a message, as one line; what only machines read in it is left out. */
function lastWords(text: string): string {
  const [prose = ''] = text.split('---RALPH_STATUS---');
  const [first = ''] = prose.replaceAll('**', '').trim().split('\n\n');
  return oneLine(first.replace(/^(?:#+|[>*-]) /, ''));
}

/** What is told once for each process of an agent, however often it happens, in a few words. */
export function refusalKey(event: Refusal): string {
  if (event.type === 'denied') return oneLine(`${event.tool} ${event.subject}`);
  if (event.type === 'stop-refused') return oneLine(`stopping: ${event.reasons[0] ?? ''}`);
  return oneLine(`${event.tool}: ${event.refused ?? ''}`);
}

type Refusal = Extract<RalphEvent, { type: 'denied' | 'stop-refused' | 'tool-call' }>;
type TestResult = Extract<RalphEvent, { type: 'test-result' }>;

function repeated(state: LogState, event: Refusal): LogState {
  return { ...state, repeats: onceMore(state.repeats, refusalKey(event)) };
}

function onceMore(counts: ReadonlyMap<string, number>, key: string): ReadonlyMap<string, number> {
  return new Map(counts).set(key, (counts.get(key) ?? 0) + 1);
}
