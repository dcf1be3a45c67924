import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyLedger } from './any-ledger.fixture.ts';
import { attemptsOf, estimate, everWorkedOn, iterationsUsed, lastFailure, lastViolations } from './attempts.ts';
import { recentCalls, spentBy, storyCost } from './budgets.ts';
import { livedMs } from './gate.ts';
import { acceptedSteps } from './lost-work.ts';
import { questionsOf } from './questions.ts';
import { routeAgent } from './routing.ts';

test('a ledger that was asked before each line comes to the same as one that is asked once', () => {
  fc.assert(
    fc.property(anyLedger, fc.nat(), (lines, now) => {
      const [{ run, story } = { run: 'r', story: 's' }] = lines.filter((line) => line.kind === 'iteration');
      const agents = [...new Set(lines.flatMap((line) => (line.kind === 'iteration' ? [line.agent] : []))), 'other'];
      const limits = { onUsageLimit: null, maxWaitMs: 60_000 };
      const all = (ledger: typeof lines) => [
        attemptsOf(ledger, story),
        everWorkedOn(ledger, story),
        lastFailure(ledger, story),
        lastViolations(ledger, story),
        storyCost(ledger, story),
        iterationsUsed(ledger, run),
        spentBy(ledger, run),
        recentCalls(ledger, now),
        livedMs({ run, waiting: null }, ledger, null),
        acceptedSteps(ledger),
        questionsOf(ledger),
        estimate({ storiesLeft: 1, ledger, skipReview: false }),
        routeAgent({ ledger, run, now, agents, ...limits }),
      ];
      const grown: (typeof lines)[number][] = [];
      for (const line of lines) {
        grown.push(line);
        expect(all(grown)).toEqual(all([...grown]));
      }
      // A list that was changed otherwise is looked at again.
      grown.pop();
      expect(all(grown)).toEqual(all([...grown]));
    }),
    { numRuns: 50 },
  );
});
