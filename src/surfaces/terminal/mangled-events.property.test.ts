import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { isShowable, type RalphEvent } from '../../contracts/index.ts';
import { foldRun } from '../../rules/view/index.ts';
import { eventAt, smallRun } from './events.fixture.ts';
import { renderLive } from './live-line.ts';
import { advance, INITIAL_STATE } from './log-state.ts';
import { plain } from './paint.ts';
import { renderEvent } from './render-event.ts';
import { renderRunHistory, runHistory } from './run-history.ts';

const more: readonly RalphEvent[] = [
  eventAt(58, 0, { type: 'wait', why: 'limit', until: 1, text: 'at its limit' }),
  eventAt(58, 0, { type: 'circuit', from: 'closed', to: 'open', reason: 'r', evidence: ['e'], fix: ['m'] }),
  eventAt(58, 0, { type: 'budget', overrun: { budget: 'cost', spent: 1, limit: 1 }, story: null }),
  eventAt(58, 1, { type: 'transient', try: 1, reason: 'r', delayMs: 5, rescue: null }),
  eventAt(58, 1, { type: 'agent', event: { type: 'retry', attempt: 1, delayMs: 5, reason: 'r' } }),
  eventAt(58, 1, {
    type: 'agent',
    event: { type: 'limit', limit: { status: 'rejected', kind: 'five_hour', resetsAt: null } },
  }),
  eventAt(58, 1, { type: 'recovered', phase: 'planned', action: 'finished', rescue: null, story: null }),
  eventAt(58, 1, { type: 'context-use', percent: 1, tokens: 1, window: 100 }),
];

const odd = fc.constantFrom(
  null,
  undefined,
  '',
  'constructor',
  '__proto__',
  'valueOf',
  -1,
  1e308,
  [],
  [null],
  {},
  true,
);

/** An event with some of its fields, or of those within, replaced or removed. */
const mangled = fc
  .record({
    event: fc.constantFrom(...smallRun, ...more),
    changes: fc.array(fc.tuple(fc.nat({ max: 12 }), odd), { maxLength: 3 }),
    type: fc.option(fc.constantFrom('constructor', 'valueOf', 'toString', '__proto__', 'run-end', 'circuit', 'check')),
  })
  .map(({ event, changes, type }) => {
    const copy = structuredClone(event) as unknown as Record<string, unknown>;
    for (const [index, value] of changes) {
      const inner = Object.values(copy).find((field) => typeof field === 'object' && field !== null);
      const target = index > 6 && inner ? (inner as Record<string, unknown>) : copy;
      const name = Object.keys(target)[index % Math.max(1, Object.keys(target).length)];
      if (name !== undefined) target[name] = value;
    }
    return (type === null ? copy : { ...copy, type }) as unknown as RalphEvent;
  });

test('whatever stands in a log, showing it breaks nothing', () => {
  const options = { paint: plain, verbose: true, columns: 80 };
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...smallRun), mangled), { maxLength: 30 }), (events) => {
      let state = INITIAL_STATE;
      const fold = foldRun('r');
      for (const [line, event] of events.entries()) {
        for (const text of renderEvent(event, state, options)) expect(typeof text).toBe('string');
        state = advance(state, event);
        if (isShowable(event)) fold.see(event, line);
        renderLive(fold.view(), new Date(2026, 0, 1, 10, 2).getTime(), 80, plain);
      }
      renderRunHistory(runHistory('r', events), { ...options, state: 'cut-off' });
    }),
    { numRuns: runs(1000) },
  );
});

test.each(['constructor', 'valueOf', '__proto__', 'of-a-later-version'])(
  'an event of the type %s has no lines',
  (type) => {
    const event = { ...eventAt(1, 1, { type: 'baseline', checks: [] }), type } as unknown as RalphEvent;
    expect(renderEvent(event, INITIAL_STATE, { paint: plain, verbose: true, columns: 80 })).toEqual([]);
    expect(advance(INITIAL_STATE, event)).toBe(INITIAL_STATE);
  },
);
