import { describe, expect, test } from 'vitest';
import type { EndReason } from '../contracts/index.ts';
import { aStory } from '../rules/backlog/story.fixture.ts';
import { aLine } from '../rules/safeguards/ledger.fixture.ts';
import { decide, exitCodeOf, isUntilReached } from './decide.ts';

const asked = { only: null, until: null, once: false, turn: false, resetCircuit: false, limits: {} };

function reasonAfter(change: Partial<Parameters<typeof decide>[0]>): EndReason | null {
  return decide({ line: aLine({}), request: asked, stories: [aStory('US-001')], ...change });
}

describe('after an iteration the run', () => {
  test('goes on while nothing ends it', () => {
    expect(reasonAfter({})).toBeNull();
  });

  test('ends as on a signal when somebody else than the loop stopped the agent', () => {
    const stoppedBy = (agentStopped: 'interrupted' | 'terminated') => aLine({ verdict: 'interrupted', agentStopped });
    expect(reasonAfter({ line: stoppedBy('interrupted') })).toBe('interrupted');
    expect(reasonAfter({ line: stoppedBy('terminated'), request: { ...asked, once: true } })).toBe('terminated');
  });

  test('goes on after what a provider refused, even with --once: the gate decides', () => {
    const limited = { verdict: 'limited' as const, error: { kind: 'limit' as const, message: '' } };
    expect(reasonAfter({ line: aLine(limited), request: { ...asked, once: true } })).toBeNull();
  });

  test('ends after one iteration with --once, blocked where nothing else is left', () => {
    const request = { ...asked, once: true };
    expect(reasonAfter({ request })).toBe('once');
    const stuck = aStory('US-001', { blocked: 'no key' });
    expect(reasonAfter({ request, stories: [stuck, aStory('US-002', { dependsOn: ['US-001'] })] })).toBe('blocked');
    expect(reasonAfter({ request, stories: [stuck, aStory('US-002')] })).toBe('once');
    expect(reasonAfter({ request: { ...request, only: 'US-001' }, stories: [stuck, aStory('US-002')] })).toBe(
      'blocked',
    );
  });

  test.each([
    ['rejected', 'failure'],
    ['no-progress', 'failure'],
    ['timed-out', 'failure'],
    ['agent-error', 'failure'],
    ['accepted', null],
    ['advanced', null],
    ['limited', null],
  ] as const)('with --stop-on-failure ends after %s: %s', (verdict, reason) => {
    const request = { ...asked, stopOnFailure: true };
    expect(reasonAfter({ line: aLine({ verdict }), request })).toBe(reason);
    expect(reasonAfter({ line: aLine({ verdict }) })).toBeNull();
  });

  test('ends when the agent was stopped because a budget of the run is spent', () => {
    const overrun = { budget: 'cost' as const, spent: 4.99, limit: 5 };
    expect(reasonAfter({ line: aLine({ verdict: 'interrupted', overrun }) })).toBe('budget');
    const ofStory = { ...overrun, budget: 'story-cost' as const };
    expect(reasonAfter({ line: aLine({ verdict: 'interrupted', overrun: ofStory }) })).toBeNull();
  });

  test('ends with --until once that story is done, or will never be', () => {
    const request = { ...asked, until: 'US-001' };
    expect(reasonAfter({ request })).toBeNull();
    expect(reasonAfter({ request, stories: [aStory('US-001', { passes: true, reviewStatus: 'approved' })] })).toBe(
      'until',
    );
    expect(reasonAfter({ request, stories: [aStory('US-001', { blocked: 'no key' })] })).toBe('until');
  });

  test('counts a story that waits for its review as work, with --once', () => {
    const request = { ...asked, once: true };
    const inReview = aStory('US-001', { reviewStatus: 'needs_review', passes: true });
    expect(reasonAfter({ request, stories: [inReview] })).toBe('once');
  });

  test('looks for the story of --until by its id', () => {
    expect(isUntilReached({ until: 'US-002' }, [aStory('US-001', { blocked: 'no key' }), aStory('US-002')])).toBe(
      false,
    );
    expect(isUntilReached({ until: null }, [aStory('US-001', { blocked: 'no key' })])).toBe(false);
  });

  test('ends with --once', () => {
    expect(reasonAfter({ request: { ...asked, once: true } })).toBe('once');
  });
});

test.each([
  ['complete', false, 0],
  ['once', true, 0],
  ['once', false, 1],
  ['iterations', true, 0],
  ['iterations', false, 1],
  ['condition', true, 0],
  ['condition', false, 1],
  ['until', true, 0],
  ['until', false, 1],
  ['blocked', false, 6],
  ['circuit', false, 3],
  ['budget', false, 5],
  ['stopped', false, 1],
  ['stopped', true, 0],
  ['limit', false, 5],
  ['unavailable', false, 7],
  ['interrupted', false, 130],
  ['terminated', false, 143],
  ['error', false, 2],
] as const)('%s (what was asked for done: %s) exits with %i', (reason, done, code) => {
  expect(exitCodeOf(reason, done)).toBe(code);
});
