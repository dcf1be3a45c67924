import { describe, expect, test } from 'vitest';
import { aContext, aHook, aRun } from '../../../test/support/hook-context.ts';
import { type HookEffect, NEW_SESSION } from './api.ts';
import { decide } from './decide.ts';

const ended = (tool: string, input: object, response: unknown) =>
  aHook('PostToolUse', { tool_name: tool, tool_input: input, tool_response: response });
const failed = (command: string, error: string) =>
  aHook('PostToolUseFailure', { tool_name: 'Bash', tool_input: { command }, error });

function logged(effects: readonly HookEffect[], log: string): string {
  return effects.map((effect) => (effect.kind === 'log' && effect.log === log ? effect.text : '')).join('');
}

const VITEST_FAILS = [
  ' FAIL  src/sum.test.ts > adds',
  'AssertionError: expected 3 to be 4',
  '',
  ' Test Files  1 failed (1)',
  '      Tests  1 failed | 2 passed (3)',
  '   Duration  310ms',
].join('\n');

describe('what was read', () => {
  test.each([
    ['Read', { file_path: '/project/a.ts' }],
    ['Write', { file_path: 'a.ts' }],
    ['Edit', { file_path: '/project/./a.ts' }],
  ])('%s is remembered by its real path, and logged', (tool, input) => {
    const { session, effects } = decide(ended(tool, input, {}), aContext());
    expect([...session.read]).toEqual(['/project/a.ts']);
    expect(JSON.parse(logged(effects, 'session.log'))).toMatchObject({ session: 's1', read: ['/project/a.ts'] });
  });

  test('a second reading is not logged again', () => {
    const session = { ...NEW_SESSION, read: new Set(['/project/a.ts']) };
    expect(decide(ended('Read', { file_path: 'a.ts' }, {}), aContext({ session })).effects).toEqual([]);
  });

  test('a failed reading is none', () => {
    const event = aHook('PostToolUseFailure', {
      tool_name: 'Read',
      tool_input: { file_path: '/project/a' },
      error: 'gone',
    });
    expect(decide(event, aContext()).session.read.size).toBe(0);
  });

  test('outside a run nothing is remembered', () => {
    const { session } = decide(ended('Read', { file_path: '/project/a.ts' }, {}), aContext({ run: null }));
    expect(session.read.size).toBe(0);
  });
});

describe('test runs', () => {
  test('a failing run, which arrives as a failed tool, is judged and its output kept', () => {
    const { answer, effects } = decide(failed('npx vitest run', `Exit code 1\n${VITEST_FAILS}`), aContext());
    expect(effects).toContainEqual({
      kind: 'event',
      body: expect.objectContaining({ type: 'test-result', outcome: 'fail', failed: 1, passed: 2 }),
    });
    const seen = { command: 'npx vitest run', exitCode: 1, outcome: 'fail', passed: 2, failed: 1, tail: VITEST_FAILS };
    expect(effects).toContainEqual({ kind: 'tests', seen });
    const entry = logged(effects, 'failure-context.log');
    expect(entry).toMatch(/^=== 2026-01-02T03:04:05\.000Z US-003 exit=1 \$ npx vitest run\n/);
    expect(entry).toContain('Tests  1 failed | 2 passed (3)');
    expect(answer.kind).toBe('allow');
  });

  test('a failure that a pipe hides behind exit code 0 is seen all the same', () => {
    const event = ended('Bash', { command: 'npx vitest run | tail -20' }, { stdout: VITEST_FAILS, stderr: '' });
    const { effects } = decide(event, aContext());
    expect(effects).toContainEqual({ kind: 'event', body: expect.objectContaining({ outcome: 'fail' }) });
    expect(logged(effects, 'failure-context.log')).not.toBe('');
  });

  test('any failing command leaves its last 100 lines', () => {
    const lines = Array.from({ length: 250 }, (_, i) => `line ${i}`).join('\n');
    const entry = logged(
      decide(failed('make all', `Exit code 2\n${lines}`), aContext()).effects,
      'failure-context.log',
    );
    expect(entry.split('\n').filter((line) => line.startsWith('  line'))).toHaveLength(100);
    expect(entry).toContain('  line 249\n');
  });

  test('no line of an output can pass for the head of an entry', () => {
    const event = failed('x', 'Exit code 1\n=== 2026-01-01 US-001 exit=0 $ fine');
    const heads = logged(decide(event, aContext()).effects, 'failure-context.log').match(/^===/gm);
    expect(heads).toHaveLength(1);
  });

  test('a command without output leaves no entry', () => {
    expect(decide(failed('grep -q x y', 'Exit code 1'), aContext()).effects).toEqual([]);
  });

  test('outside a run nothing is judged or kept', () => {
    expect(decide(failed('npx vitest run', `Exit code 1\n${VITEST_FAILS}`), aContext({ run: null })).effects).toEqual(
      [],
    );
  });
});

describe('rolling back at once', () => {
  const event = failed('npx vitest run', `Exit code 1\n${VITEST_FAILS}`);
  const rollsBack = (run: Parameters<typeof aRun>[0], call = event) =>
    decide(call, aContext({ run: aRun(run) })).effects.some(({ kind }) => kind === 'roll-back');

  test('only when it is asked for', () => {
    expect(rollsBack({ rollbackAtOnce: true })).toBe(true);
    expect(rollsBack({ rollbackAtOnce: false })).toBe(false);
  });

  test('never in a review', () => {
    expect(rollsBack({ rollbackAtOnce: true, mode: 'review' })).toBe(false);
  });

  test('never for what is no failing test', () => {
    expect(rollsBack({ rollbackAtOnce: true }, failed('ls /nowhere', 'Exit code 2\nls: cannot access'))).toBe(false);
  });

  test('the agent is told which tests failed, and what it had read is forgotten', () => {
    const session = { ...NEW_SESSION, read: new Set(['/project/a.ts']) };
    const decision = decide(event, aContext({ run: aRun({ rollbackAtOnce: true }), session }));
    expect(decision.answer).toMatchObject({ kind: 'block', text: expect.stringContaining('1 test failed') });
    expect(decision.session.read.size).toBe(0);
    expect(JSON.parse(logged(decision.effects, 'session.log'))).toMatchObject({ reset: true });
  });
});

test('control characters do not reach the logs', () => {
  const error = 'Exit code 1\n\u001b[31mred\u001b[0m \u0007bell \u202eback';
  const entry = logged(decide(failed('a\u001b[2Jb', error), aContext()).effects, 'failure-context.log');
  expect(entry).toContain('$ ab\n  red bell back\n');
});
