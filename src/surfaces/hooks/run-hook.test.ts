import { chmodSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aContext, files } from '../../../test/support/hook-context.ts';
import { malformedPayload } from '../../../test/support/malformed-hook.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { tempTree } from '../../adapters/workspace/temp-tree.fixture.ts';
import { list, readText } from '../../platform/index.ts';
import { decide } from '../../rules/hooks/decide.ts';
import { decideLean, type ParseOptions, parseHook } from '../../rules/hooks/index.ts';
import { runHook } from './run-hook.ts';

type Env = Record<string, string>;

/** One call in a project of its own home; `{}` when the agent may go on. */
async function ask(root: string, payload: unknown, options: ParseOptions = {}, env: Env = {}) {
  const input = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const text = await runHook(options, { HOME: `${root}/home`, ...env }, root, () => Promise.resolve(input));
  return text === '' ? {} : JSON.parse(text);
}

const bash = (command: string) => ({
  hook_event_name: 'PreToolUse',
  session_id: 's',
  tool_name: 'Bash',
  tool_input: { command },
});

describe('outside a run', () => {
  test('the guard denies what destroys, in the interactive profile', async () => {
    const root = await tempTree({ '.git/': '' });
    expect(await ask(root, bash('rm -rf /'))).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
    expect(await ask(root, bash('git push origin feature'))).toEqual({});
  });

  test('the agent of a run is judged by the stricter profile even when the marker is gone', async () => {
    const root = await tempTree({ '.git/': '' });
    const answer = await ask(root, bash('git push origin feature'), {}, { RALPH_RUN_ID: 'r1' });
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test('rules of the configuration count, comments and all', async () => {
    const root = await tempTree({
      '.git/': '',
      'ralph.config.json': '{ // ours\n "guard": {"deny": ["make release*"],} }',
    });
    expect(await ask(root, bash('make release-all'))).toMatchObject({
      hookSpecificOutput: { permissionDecision: 'deny' },
    });
    expect(await ask(root, bash('make build'))).toEqual({});
  });

  test.each([
    [{ 'ralph.config.json': '{"maxIterations": "many", "guard": {"deny": ["make release*"], "allow": 3}}' }, 'deny'],
    [{ 'ralph.config.json': '{"guard": {"deny": ["make release*"]}, "timeout": "60' }, 'deny'],
    [{ 'ralph.config.json': '', '.ralph/config.json': '{}' }, undefined],
    [{ 'ralph.config.js': 'throw new Error("run by a hook")' }, undefined],
    [{ 'ralph.config.json': '[1]' }, undefined],
  ])('a broken configuration is no error of a hook, and what is right in it counts: %j', async (files, permission) => {
    const root = await tempTree({ '.git/': '', '.ralph/': '', ...files });
    const answer = await ask(root, bash('make release-all'));
    expect(answer.hookSpecificOutput?.permissionDecision).toBe(permission);
    expect(await readText(`${root}/.ralph/hook-errors.log`)).toBeNull();
  });

  test('the context monitor speaks once per threshold, across processes', async () => {
    const usage = { type: 'assistant', message: { model: 'm', usage: { input_tokens: 150_000 } } };
    const root = await tempTree({ '.ralph/': '', 'home/t.jsonl': `${JSON.stringify(usage)}\n` });
    const call = {
      hook_event_name: 'PostToolUse',
      session_id: 's',
      tool_name: 'Glob',
      transcript_path: `${root}/home/t.jsonl`,
    };
    expect(await ask(root, call)).toMatchObject({
      hookSpecificOutput: { additionalContext: expect.stringContaining('75 %') },
    });
    expect(await ask(root, call)).toEqual({});
    expect(await ask(root, { ...call, session_id: 'another' })).not.toEqual({});
  });

  test('a project that is none of ours is left without a trace', async () => {
    const root = await tempTree({ '.git/': '', 'home/t.jsonl': 'x'.repeat(700_000) });
    const call = {
      hook_event_name: 'PostToolUse',
      session_id: 's',
      tool_name: 'Glob',
      transcript_path: `${root}/home/t.jsonl`,
    };
    expect(await ask(root, call, {}, { XDG_STATE_HOME: `${root}/state` })).not.toEqual({});
    expect(await ask(root, call, {}, { XDG_STATE_HOME: `${root}/state` })).toEqual({});
    expect(await list(root)).toEqual(['.git', 'home', 'state']);
    expect(await list(`${root}/state/ralph/sessions`)).toEqual(['session.log']);
  });
});

describe('what goes wrong', () => {
  test.each(['', '{', 'null', '[]', '"x"', '\u0000'])('%j lets the agent go on', async (input) => {
    const root = await tempTree({ '.ralph/': '' });
    expect(await ask(root, input)).toEqual({});
  });

  test('what cannot be read leaves a line', async () => {
    const root = await tempTree({ '.ralph/': '' });
    await ask(root, '{"broken', { name: 'Stop' });
    expect(await readText(`${root}/.ralph/hook-errors.log`)).toMatch(/^\S+Z Stop .*JSON.*\n$/);
  });

  test('an answer counts more than its trace', async () => {
    const root = await tempTree({ '.ralph/session.log/': '' });
    writeFileSync(`${root}/t.jsonl`, 'x'.repeat(700_000));
    const call = {
      hook_event_name: 'PostToolUse',
      session_id: 's',
      tool_name: 'Glob',
      transcript_path: `${root}/t.jsonl`,
    };
    expect(await ask(root, call)).not.toEqual({});
    expect(await readText(`${root}/.ralph/hook-errors.log`)).toContain('PostToolUse');
  });

  test('where nothing can be written the guard decides all the same', async () => {
    const root = await tempTree({ '.git/': '', file: '' });
    const answer = await ask(root, bash('rm -rf /'), {}, { XDG_STATE_HOME: `${root}/file` });
    expect(answer).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test('a folder that cannot be is no reason to look long', async () => {
    const root = await tempTree({ '.git/': '' });
    expect(await ask(root, { ...bash('ls'), cwd: 'x/'.repeat(500_000) })).toEqual({});
  });

  test('not even a log that cannot be written breaks a session', async () => {
    const root = await tempTree({ '.ralph/hook-errors.log/': '' });
    chmodSync(`${root}/.ralph/hook-errors.log`, 0o500);
    expect(await ask(root, '{')).toEqual({});
  });
});

test('older calls are understood and answered in the older form', async () => {
  const root = await tempTree({ '.git/': '' });
  const { hook_event_name: _, ...call } = bash('rm -rf /');
  expect(await ask(root, call, { name: 'PreToolUse', legacy: true })).toEqual({
    decision: 'block',
    reason: expect.any(String),
    message: expect.any(String),
  });
});

const paths = files({ '/t/s1.jsonl': 'x'.repeat(700_000) });
const session = { read: new Set(['/project/a.ts']), announced: new Set([50]), refusals: 1, idle: 1 };
const CONTEXTS = [aContext({ paths, session }), aContext({ paths, session, run: null, profile: 'interactive' })];

test('what is loaded makes no difference to what is decided', async () => {
  const check = fc.asyncProperty(malformedPayload, fc.constantFrom(...CONTEXTS), async (payload, context) => {
    const event = parseHook(payload);
    expect(await decideLean(event, context)).toEqual(decide(event, context));
  });
  await fc.assert(check, { numRuns: runs(2_000) });
});
