import type { AgentEvent, EventBody, RalphEvent } from './events.ts';
import { type BreakerState, MODES, type Overrun, VERDICTS, type WaitReason } from './model.ts';
import {
  count,
  dollars,
  type Fields,
  fits,
  listOf,
  maybe,
  nullOr,
  number,
  object,
  oneOf,
  type Shape,
  text,
  time,
  truth,
  usage,
} from './shape.ts';

const mode = oneOf(...MODES);
const breaker = oneOf(...(['closed', 'half-open', 'open'] satisfies BreakerState[]));
const wait = oneOf(...(['pause', 'approval', 'cooldown', 'limit', 'rate'] satisfies WaitReason[]));
const verdict = oneOf(...VERDICTS);
const counts = object({ total: count, done: count, blocked: count });
const limits = object({
  maxIterations: count,
  calls: count,
  maxCost: nullOr(dollars),
  maxTokens: nullOr(count),
  maxDurationMs: nullOr(count),
  storyMaxCost: nullOr(dollars),
  storyMaxAttempts: count,
});
const budget = oneOf(...(['cost', 'tokens', 'duration', 'story-cost'] satisfies Overrun['budget'][]));
const checkResult = object({
  command: text,
  ok: truth,
  exitCode: nullOr(number),
  timedOut: truth,
  durationMs: number,
  tail: text,
  tests: maybe(object({ passed: nullOr(count), failed: nullOr(count) })),
});
const row = object({
  id: text,
  title: text,
  state: text,
  priority: number,
  dependsOn: listOf(text),
  reviewCount: count,
  blocked: nullOr(text),
});

/** The fields of each event that displays read; a type missing here does not compile. */
const EVENTS: Readonly<Record<EventBody['type'], Fields>> = {
  'run-start': {
    ralph: text,
    specDir: text,
    backlog: text,
    agent: text,
    model: nullOr(text),
    isolation: text,
    branch: nullOr(text),
    ownTree: maybe(truth),
    maxIterations: count,
    stories: counts,
    pid: count,
    limits: maybe(limits),
    recentCalls: maybe(listOf(number)),
    breaker: maybe(breaker),
    isolationInstead: maybe(listOf(text)),
  },
  backlog: { whole: truth, stories: listOf(row), removed: listOf(text) },
  limits: { limits },
  estimate: { storiesLeft: count, limit: count, iterationsNeeded: count, costUsd: nullOr(dollars), enough: truth },
  baseline: { checks: listOf(checkResult) },
  recovered: { phase: text, action: text, rescue: nullOr(text), story: nullOr(text) },
  'turn-end': { next: oneOf('next', 'later'), why: nullOr(wait), until: nullOr(number), text },
  'run-end': {
    reason: text,
    exitCode: number,
    summary: text,
    detail: maybe(text),
    needs: maybe(listOf(object({ kind: text, what: text, command: nullOr(text) }))),
    stories: counts,
    costUsd: dollars,
    usage,
    durationMs: number,
  },
  wait: { why: wait, until: nullOr(number), text },
  'wait-end': { why: wait, waitedMs: number },
  circuit: { from: breaker, to: breaker, reason: text, evidence: listOf(text), fix: listOf(text) },
  budget: { overrun: object({ budget, spent: number, limit: number }), story: nullOr(text) },
  'agent-switch': { from: text, to: text, reason: text },
  steering: { request: text, text },
  select: {
    mode,
    story: text,
    title: text,
    attempt: count,
    reviewCount: count,
    used: maybe(count),
    limit: maybe(count),
  },
  checkpoint: { head: text, durationMs: number },
  'agent-start': {
    agent: text,
    model: nullOr(text),
    pid: count,
    try: count,
    window: maybe(count),
    idleTimeoutMs: maybe(number),
  },
  agent: { event: object({ type: text }) },
  'agent-end': {
    exitCode: nullOr(number),
    signal: nullOr(text),
    ok: truth,
    error: nullOr(object({ kind: text, message: text })),
    stopped: nullOr(text),
    durationMs: number,
    costUsd: nullOr(dollars),
    usage,
    turns: nullOr(count),
    added: maybe(object({ story: count, prompt: count, tools: count, hooks: count })),
    model: maybe(text),
    context: maybe(object({ tokens: count, window: count })),
  },
  transient: { try: maybe(count), retries: maybe(count), reason: text, delayMs: number, rescue: nullOr(text) },
  'check-start': { command: text },
  check: {
    result: checkResult,
    baselineRed: truth,
  },
  violation: { violation: object({ rule: text, message: text }) },
  proof: { story: text, proof: object({ outcome: text, detail: text, tests: listOf(text) }) },
  'progress-compacted': { text },
  verdict: { verdict, mode, story: text, claim: nullOr(text), reason: text, counts: text },
  commit: { commit: text, subject: text, files: count },
  rollback: { rescue: nullOr(text), files: count },
  story: { story: text, from: text, to: text, reason: text },
  question: { question: text, story: text, text },
  'false-completion': { storiesLeft: count, by: text },
  signals: { signals: object({ done: truth, completion: truth, testOnly: truth, confidence: number }) },
  'iteration-end': { durationMs: number, costUsd: nullOr(dollars) },
  denied: { tool: text, rule: text, reason: text, subject: text },
  'egress-refused': { host: text, port: count, reason: text, times: count },
  unresolved: { parts: listOf(text) },
  'test-result': {
    command: text,
    outcome: oneOf('pass', 'fail', 'error', 'no-tests', 'unknown'),
    framework: nullOr(text),
    passed: nullOr(count),
    failed: nullOr(count),
    confidence: number,
  },
  'hook-error': { hook: text, message: text },
  'stop-refused': { reasons: listOf(text) },
  'context-use': { percent: number, tokens: count, window: count },
  'tool-call': { tool: text, summary: text, refused: nullOr(text) },
  tampering: { kind: text, path: text, line: count, detail: text },
  'plugin-failed': { plugin: text, doing: text, message: text },
  'exit-condition': { name: text, reason: text },
  notice: { level: oneOf('info', 'warning', 'error'), text, fix: maybe(text), remember: maybe(truth) },
};

const AGENT: Readonly<Record<AgentEvent['type'], Fields>> = {
  session: { model: nullOr(text), window: maybe(count) },
  'tool-call': { id: text, name: text, summary: text },
  'tool-result': { id: text, ok: truth, summary: text },
  usage: { usage, contextTokens: nullOr(count), costUsd: maybe(dollars) },
  text: { text },
  limit: { limit: object({ status: text, kind: text, resetsAt: nullOr(number) }) },
  retry: { attempt: count, of: maybe(count), delayMs: nullOr(number), reason: text },
  notice: { text },
};

/** The types of events, in the order of a run's life. */
export const EVENT_TYPES = Object.keys(EVENTS) as [EventBody['type'], ...EventBody['type'][]];

const envelope = object({ ts: time, iteration: count, type: text });
const byType = (table: Readonly<Record<string, Fields>>): ReadonlyMap<string, Shape> =>
  new Map(Object.entries(table).map(([type, fields]) => [type, object(fields)]));
const eventShapes = byType(EVENTS);
const agentShapes = byType(AGENT);

/**
 * Whether an event has the shape that displays read. Logs are in a place where agents can write, and later versions of
 * ralph also write them: an event that does not match is left out, so that no display meets a value of the wrong kind.
 */
export function hasShape(event: RalphEvent): boolean {
  return judged(event) === 'fits';
}

/**
 * Whether the content of a line may be shown: an event whose values are of the kinds that its type has, and which is
 * not nested deeper than any event. For a type that only a later version knows, the other fields may be anything.
 */
export function isShowable(value: object): value is RalphEvent {
  return judged(value) !== 'wrong' && isShallow(value, MOST_LEVELS);
}

/** Deeper values break code that walks them recursively. */
const MOST_LEVELS = 16;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return levels > 0 && Object.values(value).every((part) => isShallow(part, levels - 1));
}

function judged(value: object): 'fits' | 'unknown' | 'wrong' {
  if (!fits(envelope, value)) return 'wrong';
  const event = value as unknown as RalphEvent;
  const own = compared(eventShapes, event);
  return event.type === 'agent' && own === 'fits' ? compared(agentShapes, event.event) : own;
}

function compared(shapes: ReadonlyMap<string, Shape>, value: { readonly type: string }) {
  const shape = shapes.get(value.type);
  if (shape === undefined) return 'unknown';
  return fits(shape, value) ? 'fits' : 'wrong';
}
