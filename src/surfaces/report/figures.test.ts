import { expect, test } from 'vitest';
import type { Mode } from '../../contracts/index.ts';
import type { AgentEnd } from '../../rules/judge/agent-end.ts';
import { QUIET } from '../../rules/judge/verdict.fixture.ts';
import { decideVerdict } from '../../rules/judge/verdict.ts';
import { causeOf, hasFailed } from './figures.ts';

const red = { command: 'npm test', ok: false, exitCode: 1, timedOut: false, durationMs: 1, tail: '' };
const finding = { kind: 'skip', path: 'a.test.js', line: 1, detail: 'a test is skipped', severity: 'high' } as const;

test('every way to come to nothing that the loop knows has a cause of its own', () => {
  const causes = new Set<string>();
  for (const mode of ['implement', 'review', 'review-fix'] satisfies Mode[])
    for (const agent of ['ok', 'timed-out', 'error'] satisfies AgentEnd[])
      for (const claim of [null, { kind: 'ready', source: 'words' } as const])
        for (const bits of Array.from({ length: 64 }, (_, i) => (bit: number) => (i & (1 << bit)) !== 0)) {
          const { verdict, reason } = decideVerdict({
            ...QUIET,
            mode,
            claim,
            agent,
            changedOutsideLog: bits(0),
            changedSinceStoryStart: bits(1),
            skipReview: bits(2),
            checks: { regressions: bits(3) ? [red] : [], ownFailures: bits(4) ? [red] : [] },
            reviewTouchedCode: bits(5) && mode === 'review',
            tampering: bits(5) && mode !== 'review' ? [finding] : [],
          });
          if (!hasFailed(verdict)) continue;
          const cause = causeOf(verdict, reason);
          expect(cause, reason).not.toBe(verdict);
          causes.add(cause);
        }
  expect(causes.size).toBe(9);
});

test('a reason that nobody foresaw goes by its verdict', () => {
  expect(causeOf('rejected', 'for a new reason')).toBe('rejected');
});
