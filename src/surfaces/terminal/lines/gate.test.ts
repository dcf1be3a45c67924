import { describe, expect, test } from 'vitest';
import type { EventBody } from '../../../contracts/index.ts';
import { eventAt } from '../events.fixture.ts';
import { advance, INITIAL_STATE } from '../log-state.ts';
import { plain } from '../paint.ts';
import { renderEvent } from '../render-event.ts';

/** The lines of events that follow each other. */
function render(...bodies: readonly EventBody[]): string {
  const lines: string[] = [];
  let state = INITIAL_STATE;
  for (const [second, body] of bodies.entries()) {
    const event = eventAt(second, 3, body);
    lines.push(...renderEvent(event, state, { paint: plain, verbose: false, columns: 100 }));
    state = advance(state, event);
  }
  return lines.join('\n');
}

const until = new Date(2026, 0, 1, 10, 0, 18).getTime();
const clock = new Date(until).toTimeString().slice(0, 8);

describe('a closed gate', () => {
  test('a wait says how long, what for, and how to end it', () => {
    expect(render({ type: 'wait', why: 'limit', until, text: 'claude is at its limit' })).toBe(
      [`  waits     18s, until ${clock}: claude is at its limit`, '            Ctrl-C ends the run'].join('\n'),
    );
  });

  test('a turn that cannot begin tells what it waits for once, until that is over or another wait', () => {
    const pause = { why: 'pause', until: null, text: 'paused; resume it with: ralph resume' } as const;
    const turn = { type: 'turn-end', next: 'later', ...pause } as const;
    const wait = { type: 'wait', ...pause } as const;
    expect(render(turn, turn)).toBe('  waits     paused; resume it with: ralph resume');
    expect(render(wait, turn, turn)).toBe(render(wait));
    expect(render(wait, turn, { type: 'wait-end', why: 'pause', waitedMs: 0 }, turn)).toMatch(
      /waits[\s\S]*waited.*\n.*waits/,
    );
    expect(render(turn, { ...turn, why: 'limit', until, text: 'at its limit' })).toMatch(/paused[\s\S]*at its limit/);
  });

  test('what Ctrl-C does is said where there is only one run', () => {
    const event = eventAt(0, 3, { type: 'wait', why: 'pause', until: null, text: 'paused' });
    const options = { paint: plain, verbose: false, columns: 100, oneOfMany: true };
    expect(renderEvent(event, INITIAL_STATE, options)).toEqual(['  waits     paused']);
  });

  test('the end of a wait says how long it took', () => {
    expect(render({ type: 'wait-end', why: 'rate', waitedMs: 61_000 })).toBe(
      '  waited    until 10:00:00, 1m 01s (calls per hour)',
    );
  });

  test.each([
    [
      { budget: 'cost', spent: 5.031, limit: 5 },
      null,
      '$5.03 of the run spent, the limit is $5.00; --max-cost sets it',
    ],
    [
      { budget: 'tokens', spent: 1_204_000, limit: 1_000_000 },
      null,
      '1.2M tokens of the run spent, the limit is 1.0M tokens; --max-tokens sets it',
    ],
    [
      { budget: 'duration', spent: 7_260_000, limit: 7_200_000 },
      null,
      '2h 01m of the run spent, the limit is 2h 00m; --max-duration sets it',
    ],
    [
      { budget: 'story-cost', spent: 2.1, limit: 2 },
      'US-003',
      '$2.10 of US-003 spent, the limit is $2.00; --story-max-cost sets it',
    ],
  ] as const)('a spent budget %o names amount, limit and flag', (overrun, story, text) => {
    expect(render({ type: 'budget', overrun, story })).toBe(`  budget    ${text}`);
  });

  test('who takes over is told with the reason', () => {
    expect(render({ type: 'agent-switch', from: 'claude', to: 'codex', reason: 'claude is at its limit' })).toBe(
      '  agent     codex takes over from claude: claude is at its limit',
    );
  });

  test('what a person said is told in one line, however long it is', () => {
    const lines = render({ type: 'steering', request: 'note', text: `carried: ${'word\n'.repeat(500)}` });
    expect(lines).toMatch(/^ {2}steered {3}carried: word word .*…$/);
    expect(lines).toHaveLength(100);
  });
});

describe('the circuit breaker', () => {
  const circuit = (to: 'closed' | 'half-open' | 'open', from: 'closed' | 'half-open' | 'open' = 'closed') =>
    ({
      type: 'circuit',
      from,
      to,
      reason: '3 iterations in a row made no progress',
      evidence: ['iteration 2 (US-001, implement): rejected – npm test failed'],
      fix: ['`ralph log 2` shows what it did', '`ralph circuit reset`'],
    }) as const;

  test('half-open is a warning in one line', () => {
    expect(render(circuit('half-open'))).toBe(
      '  warning   3 iterations in a row made no progress; the run stops if that continues',
    );
  });

  test('open says what it concluded that from and what to do', () => {
    expect(render(circuit('open'))).toMatchInlineSnapshot(`
      "  breaker   open: 3 iterations in a row made no progress
                  iteration 2 (US-001, implement): rejected – npm test failed
                  fix: \`ralph log 2\` shows what it did
                       \`ralph circuit reset\`"
    `);
  });

  test('what opened a moment ago is not told again when the gate finds it open', () => {
    expect(render(circuit('open'), circuit('open', 'open'))).toBe(render(circuit('open')));
  });

  test('one that an earlier run left open is told of', () => {
    expect(render(circuit('open', 'open'))).toContain('iteration 2');
  });

  test('closing it is good news, and all that is said', () => {
    expect(render(circuit('closed', 'half-open'))).toBe('  breaker   closed again');
  });

  test('a story that was blocked only starts the count again: not worth a line', () => {
    const blocked = { type: 'story', story: 'US-001', from: 'null', to: 'blocked', reason: 'spent' } as const;
    expect(render(blocked, circuit('closed', 'half-open'))).toBe(render(blocked));
  });
});
