import { AGENT_EVENTS, type AgentError, type AgentEvent, type StopReason } from './agent.ts';
import type { SteeringEntry } from './control.ts';
import type { CheckResult, EndReason, ExitCodeValue, PersonNeed, RedGreenProof, StoryRow, Violation } from './model.ts';
import {
  anything,
  as,
  count,
  dollars,
  fits,
  listOf,
  type Members,
  maybe,
  nullOr,
  number,
  object,
  oneOf,
  text,
  time,
  truth,
  usage,
} from './shape.ts';
import type { Signals } from './state/ledger.ts';
import type { Overrun, RunLimits } from './state/run-record.ts';

/** Version of the event log's format; a reader refuses later ones and migrates earlier ones. */
export const EVENTS_VERSION = 1;

/** Fields in every line of `events.jsonl`. */
export interface EventEnvelope {
  /** ISO 8601 with milliseconds. */
  readonly ts: string;
  readonly run: string;
  /** 0 for events outside any iteration. */
  readonly iteration: number;
}

const mode = oneOf('implement', 'review', 'review-fix');
const breaker = oneOf('closed', 'half-open', 'open');
const wait = oneOf('pause', 'cooldown', 'limit', 'rate');
const verdict = oneOf(
  'accepted',
  'advanced',
  'rejected',
  'no-progress',
  'timed-out',
  'interrupted',
  'agent-error',
  'limited',
);
const counts = object({ total: count, done: count, blocked: count });
const limits = as<RunLimits>(
  object({
    maxIterations: count,
    calls: count,
    maxCost: nullOr(dollars),
    maxTokens: nullOr(count),
    maxDurationMs: nullOr(count),
    storyMaxCost: nullOr(dollars),
    storyMaxAttempts: count,
  }),
);
const budget = oneOf('cost', 'tokens', 'duration', 'story-cost');
const checkResult = as<CheckResult>(
  object({
    command: text,
    ok: truth,
    exitCode: nullOr(number),
    timedOut: truth,
    durationMs: number,
    tail: text,
    tests: maybe(object({ passed: nullOr(count), failed: nullOr(count) })),
  }),
);
const row = as<StoryRow>(
  object({
    id: text,
    title: text,
    state: text,
    priority: number,
    dependsOn: listOf(text),
    reviewCount: count,
    blocked: nullOr(text),
  }),
);
/** Its fields depend on its own type. */
const agentEvent = as<AgentEvent>(object({ type: text }));

/**
 * Everything that happens in a run, grouped by life cycle. All that people see is derived from these. Events are not
 * fsynced and never decide anything. Fields that older logs lack are optional, or not checked.
 */
const EVENTS = {
  // run
  'run-start': {
    version: as<number>(anything),
    ralph: text,
    resumed: as<boolean>(anything),
    specDir: text,
    backlog: text,
    agent: text,
    model: nullOr(text),
    isolation: text,
    /**
     * Better isolation backends that were not used, and why: `container: podman is not installed`. Absent in older
     * logs.
     */
    isolationInstead: maybe(listOf(text)),
    branch: nullOr(text),
    /** The run has a separate work tree, not the checkout of the repository. Absent in older logs. */
    ownTree: maybe(truth),
    maxIterations: count,
    stories: counts,
    pid: count,
    /** At the start of the run. */
    limits: maybe(limits),
    /**
     * Epoch ms of agent processes started within the last hour, including this run's own before an interruption: they
     * count for `calls`.
     */
    recentCalls: maybe(listOf(number)),
    breaker: maybe(breaker),
    /** There is no backlog: `stories` counts the one pseudo story of a prompt. */
    lonePrompt: maybe(as<true>(anything)),
  },
  /** The backlog as people see it: complete at the start, later only the rows that changed. Absent in older logs. */
  backlog: {
    whole: truth,
    stories: listOf(row),
    /** Ids that were removed. */
    removed: listOf(text),
  },
  /** The limits of the run after a person changed them. */
  limits: { limits },
  estimate: { storiesLeft: count, iterationsNeeded: count, limit: count, costUsd: nullOr(dollars), enough: truth },
  baseline: { checks: listOf(checkResult) },
  recovered: {
    phase: text,
    action: as<'finished' | 'rolled-back' | 'settled' | 'nothing' | 'stopped'>(text),
    rescue: nullOr(text),
    story: nullOr(text),
  },
  /** A turn is over and leaves the run open: the next one, here or elsewhere, follows at once or later. */
  'turn-end': {
    next: oneOf('next', 'later'),
    /** Epoch ms before which no turn is taken; null: at once, or when a person allows it. */
    until: nullOr(number),
    why: nullOr(wait),
    /** One sentence; empty for `next`. */
    text,
  },
  'run-end': {
    reason: as<EndReason>(text),
    exitCode: as<ExitCodeValue>(number),
    summary: text,
    /** One sentence in addition to the reason, as the run printed it. */
    detail: maybe(text),
    stories: counts,
    costUsd: dollars,
    usage,
    durationMs: number,
    /** What a person has to do or to know now, most urgent first; absent when there is nothing, and in older logs. */
    needs: maybe(as<readonly PersonNeed[]>(listOf(object({ kind: text, what: text, command: nullOr(text) })))),
    /** There is no backlog: `stories` counts the one pseudo story of a prompt. */
    lonePrompt: maybe(as<true>(anything)),
  },
  // gate
  /** The gate is closed for now. `until`: epoch ms, null until a person ends the wait. */
  wait: { why: wait, until: nullOr(number), text },
  'wait-end': { why: wait, waitedMs: number },
  /** The breaker changed its state. */
  circuit: {
    from: breaker,
    to: breaker,
    reason: text,
    /** The evidence for the change, one line each. */
    evidence: listOf(text),
    mend: listOf(text),
  },
  budget: { overrun: as<Overrun>(object({ budget, spent: number, limit: number })), story: nullOr(text) },
  /** Another agent from the list takes over, or the first one is back. */
  'agent-switch': { from: text, to: text, reason: text },
  /** A person's instruction from outside took effect. */
  steering: { request: as<SteeringEntry['kind']>(text), text },
  // iteration
  select: {
    mode,
    story: text,
    title: text,
    attempt: count,
    reviewCount: count,
    /** Iterations of the run that counted against its limit before this one; absent in older logs. */
    used: maybe(count),
    /** The current limit. */
    limit: maybe(count),
  },
  checkpoint: { head: text, tree: as<string>(anything), durationMs: number },
  'agent-start': {
    agent: text,
    model: nullOr(text),
    pid: count,
    try: count,
    /** Tokens that the model's window holds; absent where it is unknown, and in older logs. */
    window: maybe(count),
    /** Milliseconds of silence after which the loop stops the agent; absent in older logs. */
    idleTimeoutMs: maybe(number),
  },
  agent: { event: agentEvent },
  'agent-end': {
    exitCode: nullOr(number),
    signal: nullOr(text),
    ok: truth,
    error: as<AgentError | null>(nullOr(object({ kind: text, message: text }))),
    stopped: as<StopReason | null>(nullOr(text)),
    durationMs: number,
    costUsd: nullOr(dollars),
    usage,
    turns: nullOr(count),
  },
  transient: {
    try: as<number>(maybe(count)),
    /** How many tries follow the first; absent in older logs. */
    retries: maybe(count),
    reason: text,
    delayMs: number,
    rescue: nullOr(text),
  },
  'check-start': { command: text },
  check: { result: checkResult, baselineRed: truth },
  violation: { violation: as<Violation>(object({ rule: text, message: text })) },
  /** Whether the story's tests fail without its code; only with `proof: "red-green"`. */
  proof: { story: text, proof: as<RedGreenProof>(object({ outcome: text, detail: text, tests: listOf(text) })) },
  /** What compacting removed from the progress log: from here on it exists only here and in git. */
  'progress-compacted': { text },
  verdict: {
    verdict,
    mode,
    story: text,
    claim: nullOr(text),
    reason: text,
    counts: as<'good' | 'bad' | 'ignored'>(text),
    attempts: as<number>(anything),
  },
  commit: { commit: text, subject: text, files: count, agentCommits: as<string | null>(anything) },
  rollback: { rescue: nullOr(text), files: count },
  story: { story: text, from: text, to: text, reason: text },
  /** The story waits for a person's answer. */
  question: { question: text, story: text, text },
  /** The agent said that all work is done when it is not. */
  'false-completion': { storiesLeft: count, by: text },
  signals: { signals: as<Signals>(object({ done: truth, completion: truth, testOnly: truth, confidence: number })) },
  'iteration-end': { durationMs: number, costUsd: nullOr(dollars) },
  // inside the agent's session
  /** A hook refused what the agent wanted to do. */
  denied: {
    tool: text,
    /** Id of the rule, e.g. `git/push` or `path/protected`. */
    rule: text,
    reason: text,
    /** The command or path, shortened. */
    subject: text,
  },
  /** A program inside the isolation tried to reach a forbidden host; `times`: attempts since the last such event. */
  'egress-refused': { host: text, port: count, reason: text, times: count },
  /** Parts of a command that the guard could not resolve and let through. */
  unresolved: { parts: listOf(text) },
  /** A hook of the agent's client reported a test run and its output: the agent's own claim, which decides nothing. */
  'test-verdict': {
    command: text,
    outcome: oneOf('pass', 'fail', 'error', 'no-tests'),
    framework: nullOr(text),
    passed: nullOr(count),
    failed: nullOr(count),
    confidence: number,
    /** No hook call announced the tool use that this one ended: no client behaves like that. */
    unannounced: maybe(as<true>(anything)),
  },
  /** A hook could not decide and let the agent continue. */
  'hook-error': { hook: text, message: text },
  'stop-refused': { refusal: as<number>(anything), reasons: listOf(text) },
  'context-use': { percent: number, tokens: count, window: count },
  'tool-call': { tool: text, summary: text, refused: nullOr(text) },
  /** Weakened tests in the iteration's diff. */
  tampering: { kind: text, path: text, line: count, detail: text },
  /** A plugin is left out from here on: it threw, hung or died. */
  'plugin-failed': { plugin: text, doing: text, message: text },
  /** An exit condition, a plugin's or a built-in one, is met: the run ends after this iteration. */
  'exit-condition': { name: text, reason: text },
  // anything else worth a line
  notice: {
    level: oneOf('info', 'warning', 'error'),
    text,
    mend: maybe(text),
    /** A person has to know this: it is repeated at the end of the run. */
    remember: maybe(as<true>(truth)),
  },
};

export type EventBody = Members<typeof EVENTS>;

export type RalphEvent = EventEnvelope & EventBody;

/** Takes events as they happen. Must not throw: an observer cannot stop the loop. */
export type EventSink = (event: RalphEvent) => void;

/** The types of events, in the order of a run's life. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventBody['type'], ...EventBody['type'][]];

const envelope = object({ ts: time, iteration: count, type: text });
const shapes = new Map(Object.entries(EVENTS).map(([type, fields]) => [type, object(fields)]));
const agentShapes = new Map(Object.entries(AGENT_EVENTS).map(([type, fields]) => [type, object(fields)]));

/**
 * Whether a value has the shape of its type of event. Logs are in a place where agents can write, and later versions of
 * ralph also write them.
 * @returns unknown for a type that only a later version knows: its other fields may be anything
 */
export function shapeOfEvent(value: object): 'fits' | 'unknown' | 'wrong' {
  if (!fits(envelope, value)) return 'wrong';
  const shape = shapes.get(value.type);
  if (shape === undefined) return 'unknown';
  if (!fits(shape, value)) return 'wrong';
  if (!('event' in value) || value.type !== 'agent') return 'fits';
  const agentShape = agentShapes.get((value.event as AgentEvent).type);
  return agentShape === undefined ? 'unknown' : fits(agentShape, value.event) ? 'fits' : 'wrong';
}
