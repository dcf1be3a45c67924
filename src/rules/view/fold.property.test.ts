import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasShape, type RalphEvent } from '../../contracts/index.ts';
import { anyEvents } from './any-events.fixture.ts';
import { foldRun, type RunFold } from './fold.ts';
import { KEPT, type RunView } from './model.ts';

function folded(events: readonly RalphEvent[], fold: RunFold = foldRun('r1'), from = 1): RunView {
  for (const [i, event] of events.entries()) fold.see(event, from + i);
  return fold.view();
}

test('a fold goes on from the JSON of an earlier one as if it had seen everything itself', () => {
  fc.assert(
    fc.property(anyEvents, fc.nat({ max: 60 }), (events, cut) => {
      const first = folded(events.slice(0, cut));
      const rest = folded(
        events.slice(cut),
        foldRun('r1', JSON.parse(JSON.stringify(first))),
        1 + Math.min(cut, events.length),
      );
      expect(rest).toEqual(folded(events));
    }),
  );
});

test('the view is plain JSON', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const view = folded(events);
      expect(JSON.parse(JSON.stringify(view))).toEqual(view);
    }),
  );
});

test('what it costs and uses is the sum of its iterations', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const { iterations, costUsd, usage } = folded(events);
      expect(costUsd).toBeCloseTo(
        iterations.reduce((sum, row) => sum + (row.costUsd ?? 0), 0),
        5,
      );
      expect(usage.outputTokens).toBe(iterations.reduce((sum, row) => sum + row.usage.outputTokens, 0));
    }),
  );
});

test('without the events of agents the same iterations, stories and lists are seen', () => {
  fc.assert(
    fc.property(anyEvents, (events) => {
      const all = folded(events);
      const fold = foldRun('r1');
      for (const [i, event] of events.entries()) if (event.type !== 'agent') fold.see(event, i + 1);
      const headlines = fold.view();
      const outline = ({ iterations, stories, denials, tests, checks, notices, storyCounts, ended }: RunView) => ({
        iterations: iterations.map(({ iteration, verdict, reason, from }) => ({ iteration, verdict, reason, from })),
        stories: stories.map(({ id, state }) => ({ id, state })),
        denials,
        tests,
        checks,
        notices,
        storyCounts,
        ended,
      });
      expect(outline(headlines)).toEqual(outline(all));
    }),
  );
});

test('events that no version of ralph writes are left out by their shape', () => {
  const types = fc.constantFrom(
    'select',
    'verdict',
    'agent',
    'run-start',
    'backlog',
    'agent-end',
    'from-tomorrow',
    '__proto__',
  );
  const garbage = fc.tuple(types, fc.dictionary(fc.string(), fc.anything()), fc.anything(), fc.anything());
  fc.assert(
    fc.property(fc.array(garbage), anyEvents, (junk, events) => {
      const fold = foldRun('r1');
      const see = (value: object) => hasShape(value as RalphEvent) && fold.see(value as RalphEvent, 1);
      for (const [type, fields, ts, event] of junk) see({ ...fields, ts, type, iteration: 1, event });
      for (const odd of [[], {}]) see(odd);
      expect(folded(events, fold)).toEqual(folded(events));
    }),
  );
});

test('however many events come, only the last of each kind are kept', () => {
  const fold = foldRun('r1');
  const ts = new Date(Date.UTC(2026, 0, 1)).toISOString();
  for (let i = 0; i < 5 * KEPT; i++) {
    fold.see({ ts, run: 'r1', iteration: 0, type: 'notice', level: 'info', text: `${i} ${'x'.repeat(10_000)}` }, i);
  }
  const { count, last } = fold.view().notices;
  expect(count).toBe(5 * KEPT);
  expect(last.map(({ text }) => Number.parseInt(text, 10))).toEqual(
    Array.from({ length: KEPT }, (_, i) => 4 * KEPT + i),
  );
  expect(JSON.stringify(last).length).toBeLessThan(KEPT * 700);
});
