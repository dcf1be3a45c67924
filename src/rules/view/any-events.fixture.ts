import fc from 'fast-check';
import type { EventBody, RalphEvent } from '../../contracts/index.ts';

const text = fc.string({ maxLength: 12 });
const number = fc.nat({ max: 5_000 });
const cost = fc.option(fc.double({ min: 0, max: 3, noNaN: true }));
const story = fc.constantFrom('US-001', 'US-002', 'US-003');
const usage = fc.record({
  inputTokens: number,
  outputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
});
const counts = fc.record({ total: number, done: number, blocked: number });
const limits = fc.record({
  maxIterations: number,
  calls: number,
  maxCost: cost,
  maxTokens: fc.option(number),
  maxDurationMs: fc.option(number),
  storyMaxCost: cost,
  storyMaxAttempts: number,
});
const row = fc.record({
  id: story,
  title: text,
  state: fc.constantFrom('done', 'done, unreviewed', 'blocked', 'needs review', 'changes requested', 'to do'),
  priority: number,
  dependsOn: fc.array(story, { maxLength: 2 }),
  reviewCount: number,
  blocked: fc.option(text),
});
const mode = fc.constantFrom('implement', 'review', 'review-fix');
const verdict = fc.constantFrom('accepted', 'advanced', 'rejected', 'interrupted', 'limited', 'agent-error');
const breaker = fc.constantFrom('closed', 'half-open', 'open');
const of = <T extends string>(type: T, fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record({ type: fc.constant(type), ...fields });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const agent = fc.oneof(
  of('session', { model: fc.option(fc.constantFrom('claude-opus-5', 'small')) }),
  of('text', { text }),
  of('tool-call', { id: fc.constantFrom('a', 'b'), name: fc.constantFrom('Read', 'Bash'), summary: text }),
  of('tool-result', { id: fc.constantFrom('a', 'b'), ok: fc.boolean(), summary: text }),
  of('usage', {
    usage,
    contextTokens: fc.option(number),
    costUsd: optional(fc.double({ min: 0, max: 3, noNaN: true })),
  }),
);

const body = fc.oneof(
  of('run-start', {
    ralph: text,
    specDir: text,
    backlog: text,
    agent: text,
    model: fc.option(text),
    isolation: text,
    branch: fc.option(text),
    maxIterations: number,
    stories: counts,
    pid: number,
    limits: optional(limits),
    recentCalls: optional(fc.array(number, { maxLength: 3 })),
    breaker: optional(breaker),
  }),
  of('backlog', {
    whole: fc.boolean(),
    stories: fc.uniqueArray(row, { selector: ({ id }) => id }),
    removed: fc.array(story, { maxLength: 1 }),
  }),
  of('limits', { limits }),
  of('estimate', { storiesLeft: number, iterationsNeeded: number, limit: number, costUsd: cost, enough: fc.boolean() }),
  of('wait', { why: fc.constantFrom('pause', 'rate'), until: fc.option(number), text }),
  of('wait-end', { why: fc.constantFrom('pause', 'rate'), waitedMs: number }),
  of('turn-end', {
    next: fc.constantFrom('next', 'later'),
    why: fc.option(fc.constantFrom('pause', 'limit')),
    until: fc.option(number),
    text,
  }),
  of('circuit', { from: breaker, to: breaker, reason: text, evidence: fc.array(text), fix: fc.array(text) }),
  of('select', {
    mode,
    story,
    title: text,
    attempt: number,
    reviewCount: number,
    used: optional(number),
    limit: optional(number),
  }),
  of('checkpoint', { head: text, tree: text, durationMs: number }),
  of('agent-start', { agent: text, model: fc.option(text), pid: number, try: number }),
  of('agent', { event: agent }),
  of('agent-end', {
    exitCode: fc.option(number),
    signal: fc.constant(null),
    ok: fc.boolean(),
    error: fc.constant(null),
    stopped: fc.constant(null),
    durationMs: number,
    costUsd: cost,
    usage,
    turns: fc.option(number),
    added: fc.record({ story: number, prompt: number, tools: number, hooks: number }),
  }),
  of('check-start', { command: text }),
  of('check', {
    result: fc.record({
      command: text,
      ok: fc.boolean(),
      exitCode: fc.option(number),
      timedOut: fc.constant(false),
      durationMs: number,
      tail: text,
    }),
    baselineRed: fc.boolean(),
  }),
  of('verdict', { verdict, mode, story, claim: fc.option(text), reason: text, counts: text }),
  of('commit', { commit: text, subject: text, files: number }),
  of('rollback', { rescue: fc.option(text), files: number }),
  of('story', { story, from: text, to: fc.constantFrom('approved', 'needs_review', 'blocked', 'done'), reason: text }),
  of('question', { question: fc.constantFrom('Q1', 'Q2'), story, text }),
  of('denied', { tool: text, rule: text, reason: text, subject: text }),
  of('context-use', { percent: number, tokens: number, window: number }),
  of('iteration-end', { durationMs: number, costUsd: cost }),
  of('steering', { request: text, text }),
  of('notice', { level: fc.constantFrom('info', 'warning'), text }),
  of('false-completion', { storiesLeft: number, by: text }),
  of('run-end', {
    reason: fc.constant('complete'),
    exitCode: number,
    summary: text,
    stories: counts,
    costUsd: number,
    usage,
    durationMs: number,
  }),
);

/** Events in any order, of a few iterations beside one another; times go forward, and now and then back. */
export const anyEvents: fc.Arbitrary<readonly RalphEvent[]> = fc
  .array(fc.tuple(body, fc.integer({ min: 0, max: 3 }), fc.integer({ min: -60_000, max: 2_000_000 })), {
    maxLength: 60,
  })
  .map((parts) => {
    let at = Date.UTC(2026, 0, 1);
    return parts.map(([fields, iteration, step]) => {
      at += step;
      return { ts: new Date(at).toISOString(), run: 'r1', iteration, ...(fields as unknown as EventBody) };
    });
  });
