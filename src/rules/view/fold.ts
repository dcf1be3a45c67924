import { type AgentEvent, NO_USAGE, type RalphEvent } from '../../contracts/index.ts';
import { addUsage, shortLine, sumDollars } from '../text/index.ts';
import { runLists } from './lists.ts';
import type { IterationView, Now, RunView } from './model.ts';
import { rowAfter, storyBoard } from './stories.ts';

/** A run, built from its events one after the other. */
export interface RunFold {
  /**
   * Takes the next event, of which only those with the shape of their type get here: `isShowable` keeps the rest out.
   * @param line its 0-based line in the log, the header being 0
   */
  see(event: RalphEvent, line: number): void;
  /** The view after the last event: the same object until the next event. */
  view(): RunView;
  /** Only the current activity: costs nothing, however long the run. */
  now(): Now;
  /** Hands over the iterations that have ended: of later views, only the cost contains them. */
  takeEnded(): readonly IterationView[];
}

const CHANGES_STORIES: ReadonlySet<RalphEvent['type']> = new Set(['backlog', 'story']);

/**
 * Folds the events of a run into its view, from the start or from the state `from`. Agent events may be left out: then
 * only tool, file, context and cost of the current process are missing.
 */
export function foldRun(run: string, from?: RunView): RunFold {
  let facts = from ? factsOf(from) : NO_FACTS;
  let now: Now = from?.now ?? NOTHING_YET;
  let lastEventAt = from?.lastEventAt ?? 0;
  let calls = from?.calls ?? [];
  let questions = from?.questions ?? [];
  const rows = new Map<number, IterationView>((from?.iterations ?? []).map((row) => [row.iteration, row]));
  let iterations: readonly IterationView[] | null = from?.iterations ?? null;
  let takenCost = (from?.costUsd ?? 0) - costOf(iterations ?? []);
  const board = storyBoard(from);
  const lists = runLists(from);
  let stories = from ? () => from.stories : null;
  let shown: RunView | null = from ?? null;

  function seeIteration(event: RalphEvent, at: number, line: number): void {
    const before = rows.get(event.iteration);
    const row = rowAfter(before, event, at, line);
    if (row === undefined) return;
    // The window that it is a share of was reported by another event.
    const percent = now.iteration === event.iteration ? (now.context?.percent ?? 0) : 0;
    const after = percent > (row.contextPercent ?? 0) ? { ...row, contextPercent: percent } : row;
    rows.set(event.iteration, after);
    iterations = null;
    // What the agent says and does in between changes nothing in a story's display.
    if (after.costUsd !== before?.costUsd || event.type !== 'agent') stories = null;
  }

  return {
    see(event, line) {
      const at = Date.parse(event.ts);
      lastEventAt = at;
      shown = null;
      // The wait that the last turn left is over.
      if (isTakenUp(facts, event)) now = { ...now, waiting: null };
      now = nowAfter(now, event, at, rows.get(event.iteration));
      calls = callsSeen(calls, event, at);
      if (event.iteration > 0) seeIteration(event, at, line);
      if (event.type === 'agent') return;
      facts = factsAfter(facts, event, at);
      lists.see(event, at);
      board.see(event);
      if (CHANGES_STORIES.has(event.type)) stories = null;
      if (event.type === 'question' && !questions.some(({ id }) => id === event.question)) {
        questions = [...questions, { id: event.question, story: event.story, text: event.text, at }];
      }
    },
    view() {
      if (shown !== null) return shown;
      iterations ??= [...rows.values()].sort((one, other) => one.iteration - other.iteration);
      const table = stories ?? board.view(iterations);
      stories = table;
      shown = {
        run,
        ...facts,
        lastEventAt,
        now,
        calls,
        // Few of those who look at a run look at each of its stories.
        get stories() {
          return table();
        },
        storyCounts: board.counts(),
        iterations,
        costUsd: sumDollars([takenCost, costOf(iterations)]),
        usage: iterations.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE),
        ...lists.view(),
        questions,
      };
      return shown;
    },
    now: () => now,
    takeEnded() {
      const ended = [...rows.values()].filter(({ endedAt }) => endedAt !== null);
      for (const { iteration } of ended) rows.delete(iteration);
      takenCost += costOf(ended);
      iterations = null;
      stories = null;
      shown = null;
      return ended;
    },
  };
}

function costOf(iterations: readonly IterationView[]): number {
  return sumDollars(iterations.map(({ costUsd }) => costUsd ?? 0));
}

/** A start event names all counted starts up to then, including those of a resumed run before it was cut off. */
function callsSeen(calls: readonly number[], event: RalphEvent, at: number): readonly number[] {
  if (event.type === 'run-start' && event.recentCalls) return callsAfter([], at, event.recentCalls);
  return callsAfter(calls, at, event.type === 'agent-start' ? [at] : []);
}

function factsOf(view: RunView): Facts {
  return Object.fromEntries(Object.keys(NO_FACTS).map((name) => [name, view[name as keyof Facts]])) as unknown as Facts;
}

const HOUR = 3_600_000;

/** Starts of agent processes within an hour before `at`, sorted; possibly with new ones added. All epoch ms. */
function callsAfter(calls: readonly number[], at: number, added: readonly number[]): readonly number[] {
  const oldest = calls[0];
  if (oldest === undefined || oldest > at - HOUR) {
    if (added.length === 0) return calls;
    // Mostly one, and the latest.
    if (added.length === 1 && at > (calls.at(-1) ?? 0) && added[0] === at) return [...calls, at];
  }
  const all = [...new Set([...calls, ...added])].sort((one, other) => one - other);
  return all.filter((call) => call > at - HOUR);
}

/** How full the model's window is, in tokens alone: a share only if the window's size is known. */
function contextOf(tokens: number, window: number | null): NonNullable<Now['context']> {
  return { tokens, window, percent: window === null || window <= 0 ? null : Math.floor((100 * tokens) / window) };
}

/** Before the first event. */
const NOTHING_YET: Now = {
  phase: 'starting',
  since: 0,
  iteration: 0,
  mode: null,
  story: null,
  title: null,
  agent: null,
  model: null,
  agentSince: null,
  idleTimeoutMs: null,
  retry: null,
  tool: null,
  file: null,
  check: null,
  waiting: null,
  window: null,
  context: null,
  costUsd: 0,
};

/**
 * The current activity after an event. While iterations run in parallel, it shows the one selected last.
 * @param row the row of the event's iteration before the event
 */
function nowAfter(before: Now, event: RalphEvent, at: number, row: IterationView | undefined): Now {
  const now = isOfAnother(before, event) ? takeUp(before, row) : before;
  if (now === null) return before;
  const phase = (name: Now['phase'], more: Partial<Now> = {}): Now => ({ ...now, ...more, phase: name, since: at });
  switch (event.type) {
    case 'run-start':
      return { ...NOTHING_YET, since: at, iteration: now.iteration };
    case 'baseline':
      return phase('starting', { check: null });
    case 'select': {
      const { iteration, mode, story, title } = event;
      return { ...NOTHING_YET, phase: 'checkpoint', since: at, iteration, mode, story, title };
    }
    case 'agent-start': {
      const { agent, model, window, idleTimeoutMs = null } = event;
      const known = { model: model ?? now.model, window: window ?? now.window, idleTimeoutMs };
      return phase('agent', { ...IDLE, agent, ...known, agentSince: at, context: null });
    }
    case 'agent':
      return withAgentEvent(now, event.event, at);
    case 'context-use': {
      const { tokens, window, percent } = event;
      return { ...now, window, context: { tokens, window, percent } };
    }
    case 'agent-end':
      return phase('settling', IDLE);
    case 'transient':
      return phase('retrying', { retry: { at: at + event.delayMs } });
    case 'check-start':
      // The baseline checks run in parallel with the first agent.
      if (event.iteration === 0 && now.story !== null) return now;
      return phase(event.iteration === 0 ? 'baseline' : 'check', { check: shortLine(event.command) });
    case 'check':
      if (event.iteration === 0 && now.story !== null) return now;
      // A Stop hook runs checks while its agent is alive.
      return phase(event.iteration === 0 ? 'baseline' : now.agentSince === null ? 'settling' : 'agent', {
        check: null,
      });
    case 'verdict':
      return phase('concluding');
    case 'iteration-end':
      return { ...NOTHING_YET, phase: 'between', since: at, iteration: now.iteration };
    case 'wait': {
      const { why, until, text } = event;
      return phase('waiting', { waiting: { why, until, text } });
    }
    case 'wait-end':
      return phase('between', { waiting: null });
    case 'turn-end': {
      const { next, why, until, text } = event;
      const waiting = next === 'later' && why !== null ? { why, until, text } : null;
      return { ...NOTHING_YET, phase: 'between', since: at, iteration: now.iteration, waiting };
    }
    case 'run-end':
      return { ...NOTHING_YET, phase: 'ended', since: at, iteration: now.iteration };
    default:
      return now;
  }
}

/** No process is running. */
const IDLE = { agentSince: null, retry: null, tool: null, file: null, check: null, costUsd: 0 } as const;

function isOfAnother(now: Now, event: RalphEvent): boolean {
  return event.iteration > 0 && event.iteration !== now.iteration && event.type !== 'select';
}

/** Switches to a running iteration after the displayed one has ended; null while that one continues. */
function takeUp(now: Now, row: IterationView | undefined): Now | null {
  if (now.story !== null || row === undefined || row.endedAt !== null) return null;
  const { iteration, mode, story, title, agent, model } = row;
  const agentSince = row.earlier === null ? null : now.since;
  const phase = agentSince === null ? 'settling' : 'agent';
  return { ...NOTHING_YET, phase, since: now.since, iteration, mode, story, title, agent, model, agentSince };
}

function withAgentEvent(now: Now, event: AgentEvent, at: number): Now {
  switch (event.type) {
    case 'session':
      return { ...now, retry: null, model: now.model ?? event.model, window: event.window ?? now.window };
    case 'tool-call': {
      const { id } = event;
      const name = shortLine(event.name, 80);
      const what = shortLine(event.summary);
      return { ...now, retry: null, tool: { id, name, what, since: at }, file: fileOfTool(name, what) ?? now.file };
    }
    case 'tool-result':
      // Of several at once the last one called is shown until it has ended.
      return { ...now, retry: null, tool: now.tool?.id === event.id ? null : now.tool };
    case 'text':
      return { ...now, retry: null, tool: null };
    case 'retry':
      return { ...now, tool: null, retry: { at: event.delayMs === null ? null : at + event.delayMs } };
    case 'usage': {
      const { contextTokens, costUsd } = event;
      const context = contextTokens === null ? now.context : contextOf(contextTokens, now.window);
      return { ...now, context, costUsd: costUsd ?? now.costUsd };
    }
    default:
      return now;
  }
}

/** Tools that read or write one file, by the names that agents use. */
const FILE_TOOL =
  /^(read|write|edit|create|patch|update|multi_?edit|notebook_?edit|apply_?patch|str_?replace|view|replace|insert)/i;

/**
 * The file of a tool call; null when the call concerns something else, or this is unknown.
 * @param what its summary: for such tools the path, possibly with more text after it
 */
function fileOfTool(name: string, what: string): string | null {
  if (!FILE_TOOL.test(name) || what === '' || what.startsWith('{') || what.startsWith('[')) return null;
  return what;
}

/** The parts of the view that seldom change and are independent. */
type Facts = Pick<RunView, keyof typeof NO_FACTS>;

const NO_FACTS = {
  startedAt: null,
  starts: 0,
  version: null,
  specDir: null,
  backlog: null,
  agent: null,
  model: null,
  isolation: null,
  branch: null,
  pid: null,
  lonePrompt: false,
  maxIterations: 0,
  used: 0,
  limits: null,
  estimate: null,
  breaker: { state: 'closed', reason: '', evidence: [], fix: [] },
  waitedMs: 0,
  betweenSince: null,
  betweenMs: 0,
  exit: { falseCompletions: 0, stopRefusals: 0, signals: null, condition: null },
  ended: null,
} satisfies Partial<RunView>;

/** The facts after an event; the same object when it changed none. */
function factsAfter(before: Facts, event: RalphEvent, at: number): Facts {
  const facts = isTakenUp(before, event) ? takenUp(before, at) : before;
  switch (event.type) {
    case 'run-start':
      return started(facts, event, at);
    case 'limits':
      return { ...facts, limits: event.limits, maxIterations: event.limits.maxIterations };
    case 'estimate': {
      const { iterationsNeeded: iterations, costUsd, enough } = event;
      return { ...facts, estimate: { iterations, costUsd, enough } };
    }
    case 'select':
      return { ...facts, used: event.used ?? facts.used, maxIterations: event.limit ?? facts.maxIterations };
    case 'verdict':
      // Counted as in the ledger: an iteration that ended for reasons outside the story is free.
      return event.verdict === 'interrupted' || event.verdict === 'limited'
        ? facts
        : { ...facts, used: facts.used + 1 };
    case 'circuit': {
      const { to: state, reason, evidence, fix } = event;
      return { ...facts, breaker: { state, reason, evidence, fix } };
    }
    case 'wait-end':
      return { ...facts, waitedMs: facts.waitedMs + event.waitedMs };
    case 'turn-end':
      // A turn that could do nothing except report that does not change the time between turns.
      return { ...facts, betweenSince: facts.betweenSince ?? at };
    case 'run-end': {
      const { reason, exitCode, summary, needs = [] } = event;
      return { ...facts, ended: { at, reason, exitCode, summary, needs } };
    }
    default: {
      const exit = exitAfter(facts.exit, event);
      return exit === facts.exit ? facts : { ...facts, exit };
    }
  }
}

/** Whether this event ends the time between two turns: any except `turn-end` does. */
function isTakenUp({ betweenSince }: Pick<Facts, 'betweenSince'>, event: RalphEvent): boolean {
  return betweenSince !== null && event.type !== 'turn-end';
}

function takenUp(facts: Facts, at: number): Facts {
  const { betweenSince, betweenMs } = facts;
  return { ...facts, betweenSince: null, betweenMs: betweenMs + Math.max(0, at - (betweenSince ?? at)) };
}

/** A resumed run has several starts: it began with the first, and is no longer over once it started again. */
function started(facts: Facts, start: Extract<RalphEvent, { type: 'run-start' }>, at: number): Facts {
  const { ralph: version, specDir, backlog, agent, model, isolation, branch, pid, maxIterations } = start;
  return {
    ...facts,
    ...{ version, specDir, backlog, agent, model, isolation, branch, pid, maxIterations },
    startedAt: facts.startedAt ?? at,
    starts: facts.starts + 1,
    lonePrompt: start.lonePrompt === true,
    limits: start.limits ?? facts.limits,
    breaker:
      start.breaker === undefined || start.breaker === facts.breaker.state
        ? facts.breaker
        : { state: start.breaker, reason: '', evidence: [], fix: [] },
    ended: null,
  };
}

function exitAfter(exit: RunView['exit'], event: RalphEvent): RunView['exit'] {
  switch (event.type) {
    case 'false-completion':
      return { ...exit, falseCompletions: exit.falseCompletions + 1 };
    case 'stop-refused':
      return { ...exit, stopRefusals: exit.stopRefusals + 1 };
    case 'signals': {
      const { done, completion, testOnly, confidence } = event.signals;
      return { ...exit, signals: { done, completion, testOnly, confidence } };
    }
    case 'exit-condition':
      return { ...exit, condition: event.reason === '' ? event.name : `${event.name}: ${event.reason}` };
    default:
      return exit;
  }
}
