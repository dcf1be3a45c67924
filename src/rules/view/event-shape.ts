import type { AgentEvent } from '../../contracts/agent.ts';
import type { RalphEvent } from '../../contracts/events.ts';
import type { BreakerState, Mode, Verdict } from '../../contracts/model.ts';
import type { WaitReason } from '../../contracts/state.ts';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const truth: Check = (value) => typeof value === 'boolean';
const nullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const absentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value);
const object = (fields: Fields): Check => {
  const checks = Object.entries(fields);
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    checks.every(([name, check]) => check((value as Readonly<Record<string, unknown>>)[name]));
};

const mode = oneOf(...(['implement', 'review', 'review-fix'] satisfies Mode[]));
const breaker = oneOf(...(['closed', 'half-open', 'open'] satisfies BreakerState[]));
const wait = oneOf(...(['pause', 'cooldown', 'limit', 'rate'] satisfies WaitReason[]));
const verdict = oneOf(
  ...([
    'accepted',
    'advanced',
    'rejected',
    'no-progress',
    'timed-out',
    'interrupted',
    'agent-error',
    'limited',
  ] satisfies Verdict[]),
);
const usage = object({ inputTokens: number, outputTokens: number, cacheReadTokens: number, cacheWriteTokens: number });
const counts = object({ total: number, done: number, blocked: number });
const limits = object({
  maxIterations: number,
  calls: number,
  maxCost: nullOr(number),
  maxTokens: nullOr(number),
  maxDurationMs: nullOr(number),
  storyMaxCost: nullOr(number),
  storyMaxAttempts: number,
});
const row = object({
  id: text,
  title: text,
  state: text,
  priority: number,
  dependsOn: listOf(text),
  reviewCount: number,
  blocked: nullOr(text),
});

/** The fields of each event that the fold reads. A type that is not here says nothing to it. */
const EVENTS: Readonly<Partial<Record<RalphEvent['type'], Fields>>> = {
  'run-start': {
    ralph: text,
    specDir: text,
    backlog: text,
    agent: text,
    model: nullOr(text),
    isolation: text,
    branch: nullOr(text),
    maxIterations: number,
    stories: counts,
    pid: number,
    limits: absentOr(limits),
    recentCalls: absentOr(listOf(number)),
    breaker: absentOr(breaker),
  },
  backlog: { whole: truth, stories: listOf(row), removed: listOf(text) },
  limits: { limits },
  estimate: { iterationsNeeded: number, costUsd: nullOr(number), enough: truth },
  baseline: {},
  recovered: { action: text, rescue: nullOr(text) },
  'run-end': { reason: text, exitCode: number, summary: text, stories: counts },
  wait: { why: wait, until: nullOr(number), text },
  'wait-end': { why: wait, waitedMs: number },
  circuit: { from: breaker, to: breaker, reason: text, evidence: listOf(text), mend: listOf(text) },
  budget: { overrun: object({ budget: text, spent: number, limit: number }), story: nullOr(text) },
  'agent-switch': { from: text, to: text, reason: text },
  steering: { request: text, text },
  select: {
    mode,
    story: text,
    title: text,
    attempt: number,
    reviewCount: number,
    used: absentOr(number),
    limit: absentOr(number),
  },
  checkpoint: {},
  'agent-start': { agent: text, model: nullOr(text), try: number },
  'agent-end': { durationMs: number, costUsd: nullOr(number), usage, turns: nullOr(number) },
  transient: { reason: text },
  'check-start': { command: text },
  check: {
    result: object({ command: text, ok: truth, exitCode: nullOr(number), durationMs: number }),
    baselineRed: truth,
  },
  violation: { violation: object({ message: text }) },
  verdict: { verdict, mode, story: text, claim: nullOr(text), reason: text, counts: text },
  commit: { commit: text, subject: text, files: number },
  rollback: { rescue: nullOr(text) },
  story: { story: text, to: text, reason: text },
  question: { question: text, story: text, text },
  'false-completion': { storiesLeft: number, by: text },
  signals: { signals: object({ done: truth, completion: truth, testOnly: truth, confidence: number }) },
  'iteration-end': { durationMs: number, costUsd: nullOr(number) },
  denied: { tool: text, rule: text, reason: text, subject: text },
  'egress-refused': { host: text, port: number, reason: text, times: number },
  unresolved: { parts: listOf(text) },
  'test-verdict': {
    command: text,
    outcome: oneOf('pass', 'fail', 'error', 'no-tests'),
    framework: nullOr(text),
    passed: nullOr(number),
    failed: nullOr(number),
    confidence: number,
  },
  'hook-error': { hook: text, message: text },
  'stop-refused': { reasons: listOf(text) },
  'context-use': { percent: number, tokens: number, window: number },
  tampering: { kind: text, path: text, line: number, detail: text },
  'plugin-failed': { plugin: text, doing: text, message: text },
  'exit-condition': { name: text, reason: text },
  notice: { level: oneOf('info', 'warning', 'error'), text },
};

const AGENT: Readonly<Partial<Record<AgentEvent['type'], Fields>>> = {
  session: { model: nullOr(text) },
  'tool-call': { id: text, name: text, summary: text },
  'tool-result': { id: text },
  usage: { usage, contextTokens: nullOr(number), costUsd: absentOr(number) },
  text: {},
};

const envelope = object({ ts: text, iteration: number, type: text });
const typed = object({ type: text });
const eventShapes = shapesOf(EVENTS);
const agentShapes = shapesOf(AGENT);

function shapesOf(table: Readonly<Record<string, Fields>>): ReadonlyMap<string, Check> {
  return new Map(Object.entries(table).map(([type, fields]) => [type, object(fields)]));
}

/**
 * Whether an event has the shape that the fold reads. Logs lie where agents can write, and later versions of ralph
 * write them too: what does not fit is left out, so that no surface meets a value of the wrong kind.
 */
export function hasShape(event: RalphEvent): boolean {
  if (!envelope(event) || Number.isNaN(Date.parse(event.ts))) return false;
  if (event.type !== 'agent') return eventShapes.get(event.type)?.(event) ?? false;
  return typed(event.event) && (agentShapes.get(event.event.type)?.(event.event) ?? false);
}
