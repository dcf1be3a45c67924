import type { AgentEvent, Mode, RalphEvent } from '../../contracts/index.ts';
import { oneLine } from '../../rules/text/index.ts';
import { hasShape } from '../../rules/view/index.ts';
import type { ShownWait } from './waiting.ts';

/** What the log remembers between events: enough for the live line and for condensed lines. */
export interface LogState {
  readonly maxIterations: number;
  readonly iteration: number;
  readonly mode: Mode | null;
  readonly story: string | null;
  /** Epoch ms at which the active iteration began; null between iterations. */
  readonly iterationSince: number | null;
  /** The current activity, for the live line; null between iterations. */
  readonly doing: string | null;
  /** Epoch ms at which that began. */
  readonly since: number;
  /** Epoch ms of the next retry; null when none is planned. */
  readonly againAt: number | null;
  /** The agent's process; null while none is at work. */
  readonly agent: AgentNow | null;
  /** What the next iteration waits for; null when there is no wait, and when no process is there to wait. */
  readonly waiting: ShownWait | null;
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
  /** Calls by tool, in the order of their first use. */
  readonly tools: Readonly<Record<string, number>>;
  /** Tokens in the model's window now. */
  readonly contextTokens: number | null;
  /** Windows of models, in tokens, as far as this run reported them. */
  readonly windows: Readonly<Record<string, number>>;
  /** Of all ended agent processes of this run, US dollars. */
  readonly costUsd: number;
  /** Epoch ms of recently started agent processes, earlier runs' included. */
  readonly calls: readonly number[];
  /** How many may be started within an hour; null while unknown. */
  readonly callLimit: number | null;
}

export interface AgentNow {
  /** Name of its model, or the agent's own where that is unknown: identifies the window. */
  readonly model: string;
  /** The tool in use; null while it thinks. `what` is one safe line. */
  readonly tool: { readonly id: string; readonly name: string; readonly what: string; readonly since: number } | null;
  /** Epoch ms of its last sign of life. */
  readonly heardAt: number;
  /** Milliseconds of silence after which the loop stops it; null while unknown. */
  readonly idleTimeoutMs: number | null;
  /** US dollars that it has reported so far. */
  readonly costUsd: number;
}

export const INITIAL_STATE: LogState = {
  maxIterations: 0,
  iteration: 0,
  mode: null,
  story: null,
  iterationSince: null,
  doing: null,
  since: 0,
  againAt: null,
  agent: null,
  waiting: null,
  toldWait: null,
  openedFor: null,
  told: new Map(),
  refused: [],
  blocked: null,
  tools: {},
  contextTokens: null,
  windows: {},
  costUsd: 0,
  calls: [],
  callLimit: null,
};

/** The state after `event`; a malformed event changes nothing. Pure. */
export function advance(state: LogState, event: RalphEvent): LogState {
  if (!hasShape(event)) return state;
  const at = Date.parse(event.ts);
  switch (event.type) {
    case 'run-start':
      return {
        ...INITIAL_STATE,
        maxIterations: event.maxIterations,
        calls: event.recentCalls ?? [],
        callLimit: event.limits?.calls ?? null,
        doing: 'getting ready',
        since: at,
      };
    case 'baseline':
      return { ...state, doing: 'getting ready', since: at };
    case 'limits':
      return { ...state, callLimit: event.limits.calls };
    case 'wait': {
      const { why, until, text } = event;
      return { ...state, waiting: { why, until, text }, toldWait: { why, until, text } };
    }
    case 'notice':
      return event.level === 'error'
        ? state
        : { ...state, told: new Map(state.told).set(event.text, (state.told.get(event.text) ?? 0) + 1) };
    case 'egress-refused':
      return state.refused.includes(event.host) ? state : { ...state, refused: [...state.refused, event.host] };
    case 'wait-end':
      return { ...state, waiting: null, toldWait: null };
    case 'circuit':
      return { ...state, openedFor: event.to === 'open' ? event.reason : null };
    case 'select':
      return {
        ...state,
        waiting: null,
        toldWait: null,
        blocked: null,
        iteration: event.iteration,
        mode: event.mode,
        story: oneLine(event.story),
        iterationSince: at,
        doing: 'checkpoint',
        since: at,
        agent: null,
        tools: {},
        contextTokens: null,
      };
    case 'agent-start':
      return {
        ...state,
        doing: 'thinking',
        since: at,
        againAt: null,
        agent: {
          model: event.model ?? event.agent,
          tool: null,
          heardAt: at,
          idleTimeoutMs: event.idleTimeoutMs ?? null,
          costUsd: 0,
        },
        windows: withWindow(state.windows, event.model ?? event.agent, event.window),
        tools: {},
        contextTokens: null,
        calls: [...state.calls.filter((call) => call > at - HOUR), at],
      };
    case 'agent':
      return withAgentEvent(state, event.event, at);
    case 'context-use': {
      const windows = state.agent ? withWindow(state.windows, state.agent.model, event.window) : state.windows;
      return { ...state, contextTokens: event.tokens, windows };
    }
    case 'agent-end':
      return { ...state, doing: 'settling', since: at, agent: null, costUsd: state.costUsd + (event.costUsd ?? 0) };
    case 'transient':
      return { ...state, doing: 'waiting to try again', since: at, againAt: at + event.delayMs };
    case 'check-start':
      if (event.iteration === 0 && state.iterationSince !== null) return state;
      return { ...state, doing: `check ${oneLine(event.command)}`, since: at };
    case 'check':
      if (event.iteration === 0 && state.iterationSince !== null) return state;
      return afterCheck(state, event.iteration, at);
    case 'verdict':
      return { ...state, doing: 'concluding', since: at };
    case 'story':
      return event.to === 'blocked' ? { ...state, blocked: event.story } : state;
    case 'iteration-end':
      return { ...state, ...IDLE };
    case 'turn-end': {
      const { why, until, text } = event;
      return { ...state, ...IDLE, waiting: null, toldWait: why === null ? null : { why, until, text } };
    }
    case 'run-end':
      return { ...state, ...IDLE, waiting: null };
    default:
      return state;
  }
}

/** Between iterations. */
const IDLE = { iterationSince: null, doing: null, agent: null, againAt: null } as const;

function withWindow(windows: LogState['windows'], model: string, window: number | undefined): LogState['windows'] {
  return window === undefined ? windows : { ...windows, [model]: window };
}

/** The window in which agent processes are counted. */
export const HOUR = 3_600_000;

/** A hook may run checks while its agent waits for the answer. */
function afterCheck(state: LogState, iteration: number, at: number): LogState {
  if (state.doing === null) return state;
  if (state.agent !== null) return { ...state, doing: 'thinking', agent: { ...state.agent, heardAt: at } };
  return { ...state, doing: iteration === 0 ? 'getting ready' : 'settling', since: at };
}

function withAgentEvent(state: LogState, event: AgentEvent, at: number): LogState {
  if (state.agent === null) return state;
  const agent = { ...state.agent, heardAt: at };
  const awake = { ...state, againAt: null };
  switch (event.type) {
    case 'session':
      // The client's own name for it, e.g. with the size of the window appended.
      return {
        ...awake,
        agent: { ...agent, model: event.model ?? agent.model },
        windows: withWindow(state.windows, event.model ?? agent.model, event.window),
      };
    case 'tool-call': {
      const name = oneLine(event.name);
      const tool = { id: event.id, name, what: oneLine(event.summary), since: at };
      const before = Object.hasOwn(state.tools, name) ? (state.tools[name] ?? 0) : 0;
      const tools = { ...state.tools, [name]: before + 1 };
      return { ...awake, doing: oneLine(`${name} ${event.summary}`), agent: { ...agent, tool }, tools };
    }
    case 'tool-result':
      // Of several at once the last one called is shown until it has ended.
      return agent.tool !== null && agent.tool.id !== event.id
        ? { ...awake, agent }
        : { ...awake, doing: 'thinking', agent: { ...agent, tool: null } };
    case 'text':
      return { ...awake, doing: 'thinking', agent: { ...agent, tool: null } };
    case 'usage':
      return {
        ...state,
        contextTokens: event.contextTokens ?? state.contextTokens,
        agent: { ...agent, costUsd: event.costUsd ?? agent.costUsd },
      };
    case 'retry':
      return {
        ...state,
        doing: 'waiting for the provider',
        againAt: event.delayMs === null ? null : at + event.delayMs,
        agent: { ...agent, tool: null },
      };
    default:
      return { ...state, agent };
  }
}
