import { describe, expect, test } from 'vitest';
import { aContext, aHook, files } from '../../../test/support/hook-context.ts';
import type { HookContext } from './api.ts';
import { decide } from './decide.ts';

const PATH = '/t/s1.jsonl';
const event = aHook('PostToolUse', { tool_name: 'Glob', transcript_path: PATH });

const row = (tokens: number, more: object = {}, model = 'model-x') =>
  JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    message: { model, usage: { input_tokens: tokens - 3, cache_read_input_tokens: 2, output_tokens: 1 } },
    ...more,
  });

function watch(transcript: string, parts: Partial<HookContext> = {}) {
  return decide(event, aContext({ paths: files({ [PATH]: transcript }), ...parts }));
}

/** Percentage that was announced; null when nothing was said. */
function announced(transcript: string, parts: Partial<HookContext> = {}): number | null {
  const { answer } = watch(transcript, parts);
  return answer.kind === 'context' ? Number(/(\d+) %/.exec(answer.text)?.[1]) : null;
}

describe('how full the context is', () => {
  test('the last record of use counts, all kinds of tokens together', () => {
    expect(announced([row(10_000), row(150_000), '{"type":"user"}', ''].join('\n'))).toBe(75);
  });

  test('rows of subagents and of the client itself do not count', () => {
    const others = [row(190_000, { isSidechain: true }), row(190_000, {}, '<synthetic>')];
    expect(announced([row(120_000), ...others].join('\n'))).toBe(60);
  });

  test('after a compaction its own figure counts', () => {
    const boundary = '{"type":"system","subtype":"compact_boundary","compactMetadata":{"postTokens":20000}}';
    expect(announced([row(190_000), boundary].join('\n'))).toBeNull();
  });

  test('a broken row is passed over', () => {
    expect(announced([row(120_000), '{"usage": broken'].join('\n'))).toBe(60);
  });

  test('without any record the size of the file has to do', () => {
    const transcript = 'x'.repeat(480_000);
    expect(announced(transcript)).toBe(60);
    expect(announced(transcript, { window: { env: null, seen: {}, divisor: 3 } })).toBe(80);
  });

  test('a record behind a very long row is found', () => {
    expect(announced(`${row(120_000)}\n${'y'.repeat(400_000)}`)).toBe(60);
  });

  test('without a transcript there is nothing to say', () => {
    expect(decide(event, aContext()).answer.kind).toBe('allow');
  });
});

describe('the window', () => {
  test('a set one goes before a seen one, and that before the table', () => {
    const transcript = row(100_000, {}, 'claude-opus-5-5');
    expect(announced(transcript)).toBeNull();
    expect(announced(transcript, { window: { env: null, seen: { 'claude-opus-5-5': 150_000 } } })).toBe(66);
    expect(announced(transcript, { window: { env: 110_000, seen: { 'claude-opus-5-5': 150_000 } } })).toBe(90);
  });

  test('a model called like a member of every object has no window of its own', () => {
    expect(announced(row(100_000, {}, 'constructor'))).toBe(50);
  });
});

describe('the messages', () => {
  const say = (tokens: number, session?: HookContext['session']) => watch(row(tokens), session ? { session } : {});

  test('each threshold is announced once; those passed on the way up are skipped', () => {
    const first = say(164_000);
    expect(first.answer).toMatchObject({ kind: 'context', text: expect.stringContaining('warning') });
    expect([...first.session.announced]).toEqual([50, 60, 70, 80]);
    expect(say(170_000, first.session).answer.kind).toBe('allow');
    expect(say(181_000, first.session).answer).toMatchObject({ text: expect.stringContaining('critical') });
  });

  test('they are armed again once the use falls under half', () => {
    const low = say(30_000, say(164_000).session);
    expect(low.session.announced.size).toBe(0);
    expect(say(104_000, low.session).answer).toMatchObject({ text: expect.stringContaining('notice') });
  });

  test('a subagent hears nothing: its context is its own', () => {
    const inside = aHook('PostToolUse', { tool_name: 'Glob', transcript_path: PATH, agent_id: 'a1' });
    expect(decide(inside, aContext({ paths: files({ [PATH]: row(164_000) }) })).answer.kind).toBe('allow');
  });

  test('an event is recorded', () => {
    expect(say(164_000).effects).toContainEqual({
      kind: 'event',
      body: { type: 'context-use', percent: 82, tokens: 164_000, window: 200_000 },
    });
  });

  test('outside a run it speaks too, but not of stories', () => {
    const { answer } = watch(row(190_000), { run: null });
    expect(answer).toMatchObject({ kind: 'context', text: expect.not.stringContaining('stor') });
  });
});
