import fc from 'fast-check';
import {
  type AgentError,
  type LedgerIteration,
  type LedgerLine,
  NO_USAGE,
  type Verdict,
} from '../../contracts/index.ts';
import { aCircuitReset, aLine, anAnswer, aReset } from './ledger.fixture.ts';

const COUNTS: Readonly<Record<Verdict, LedgerIteration['counts']>> = {
  accepted: 'good',
  advanced: 'good',
  rejected: 'bad',
  'no-progress': 'bad',
  'timed-out': 'bad',
  'agent-error': 'bad',
  interrupted: 'ignored',
  limited: 'ignored',
};

/** Verdicts in which bad ones are frequent: the safeguards are about them. */
const verdicts = fc.constantFrom<Verdict>(
  'accepted',
  'rejected',
  'rejected',
  'no-progress',
  'agent-error',
  'agent-error',
  'timed-out',
  'interrupted',
  'limited',
);

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 3 });

/** Errors that are normalised already, so that a model can compare them as they are. */
const errors = fc.constantFrom<AgentError>(
  { kind: 'crash', message: 'it broke' },
  { kind: 'crash', message: 'it broke differently' },
  { kind: 'api', message: 'bad request' },
);

/** An iteration as the loop could have written it; `gap` is the idle time before it. */
const iterations = fc.record({
  verdict: verdicts,
  run: fc.constantFrom('r1', 'r2'),
  story: fc.constantFrom('A', 'B', 'C'),
  mode: fc.constantFrom('implement' as const, 'review' as const),
  agent: fc.constantFrom('one', 'two'),
  error: fc.option(errors, { nil: null }),
  blocks: fc.integer({ min: 0, max: 4 }).map((die) => die === 0),
  gap: fc.integer({ min: 0, max: 900_000 }),
  durationMs: fc.integer({ min: 0, max: 600_000 }),
  cents: fc.option(fc.integer({ min: 0, max: 300 }), { nil: null }),
  tokens: fc.integer({ min: 0, max: 50 }),
  outputChars: optional(fc.integer({ min: 0, max: 100 })),
  calls: optional(fc.integer({ min: 0, max: 3 })),
  limit: fc.option(fc.integer({ min: -900_000, max: 3_600_000 }), { nil: null }),
});

type Drawn = typeof iterations extends fc.Arbitrary<infer T> ? T : never;

/** Whole ledgers: iterations in the order of time, and among them what people decided. */
export const anyLedger: fc.Arbitrary<readonly LedgerLine[]> = fc
  .array(
    fc.oneof(
      { weight: 12, arbitrary: iterations },
      { weight: 1, arbitrary: fc.constantFrom<LedgerLine>(aCircuitReset(), aReset('A'), aReset('B'), anAnswer('Q1')) },
    ),
    { maxLength: 40 },
  )
  .map((items) => {
    let clock = 1_000_000_000;
    return items.map((item, index) => {
      if ('kind' in item) return item;
      clock += item.gap;
      const line = lineFrom(item, clock, index + 1);
      clock += item.durationMs;
      return line;
    });
  });

function lineFrom(drawn: Drawn, startedAt: number, iteration: number): LedgerIteration {
  const { verdict, run, story, mode, agent, durationMs, tokens, cents, outputChars } = drawn;
  const counts = COUNTS[verdict];
  const isFailure = verdict === 'agent-error' || verdict === 'limited';
  return aLine({
    ...{ verdict, counts, run, story, mode, agent, startedAt, durationMs, iteration },
    reason: verdict,
    blocked: drawn.blocks && counts === 'bad' ? 'spent' : null,
    error: isFailure ? errorFrom(drawn) : null,
    costUsd: cents === null ? null : cents / 100,
    usage: { ...NO_USAGE, inputTokens: tokens, cacheReadTokens: tokens },
    ...(outputChars === undefined ? {} : { outputChars }),
    ...(drawn.calls === undefined
      ? {}
      : { calls: Array.from({ length: drawn.calls }, (_, n) => startedAt + Math.floor((n * durationMs) / 3)) }),
    ...(verdict === 'limited' && drawn.limit !== null
      ? { limit: { status: 'rejected' as const, kind: 'five_hour', resetsAt: startedAt + durationMs + drawn.limit } }
      : {}),
  });
}

/** A limited iteration says so without a provider's event, or names what only a person fixes. */
function errorFrom({ verdict, error, tokens }: Drawn): AgentError | null {
  if (verdict !== 'limited') return error;
  if (tokens % 5 === 0) return { kind: 'network', message: 'connection refused' };
  return tokens % 7 === 0 ? { kind: 'auth', message: 'not logged in' } : { kind: 'limit', message: 'limit reached' };
}
