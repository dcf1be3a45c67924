import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../platform/index.ts';
import { judge, LONGEST_WAIT_MS, reporterSource } from './translator.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralph-reporter-'));
  await writeFile(join(dir, 'reporter.mjs'), reporterSource());
});
afterAll(() => rm(dir, { recursive: true }));

/** Plays an event to the plugin in a process of its own, which says `goes on` when it was not ended. */
async function play(event: object): Promise<{ exitCode: number | null; lines: string[] }> {
  const host = `
    const { ralph } = await import(process.argv[1]);
    await (await ralph()).event({ event: JSON.parse(process.argv[2]) });
    setTimeout(() => console.log('goes on'), 200);`;
  const args = ['--input-type=module', '-e', host, join(dir, 'reporter.mjs'), JSON.stringify(event)];
  const { exitCode, stdout } = await runCommand(process.execPath, args, { cwd: dir });
  return { exitCode, lines: stdout.toString().trim().split('\n') };
}

const retryIn = (ms: number) => ({
  type: 'session.status',
  properties: { sessionID: 'ses_1', status: { type: 'retry', attempt: 2, message: 'busy', next: Date.now() + ms } },
});

describe('the plugin', () => {
  it('tells of a retry and lets the client wait', async () => {
    const { exitCode, lines } = await play(retryIn(10_000));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      type: 'ralph.retry',
      sessionID: 'ses_1',
      attempt: 2,
      message: 'busy',
    });
    expect({ exitCode, last: lines.at(-1) }).toEqual({ exitCode: 0, last: 'goes on' });
  });

  it('ends the client where the provider wants it to wait for long', async () => {
    const { exitCode, lines } = await play(retryIn(LONGEST_WAIT_MS * 10));
    expect(JSON.parse(lines[0] ?? '').waitMs).toBeGreaterThan(LONGEST_WAIT_MS);
    expect({ exitCode, lines: lines.length }).toEqual({ exitCode: 1, lines: 1 });
  });

  it.each([
    { type: 'session.status', properties: { status: { type: 'busy' } } },
    { type: 'session.idle', properties: {} },
    { type: 'server.connected' },
  ])('is silent about %j', async (event) => {
    expect((await play(event)).lines).toEqual(['goes on']);
  });
});

const EXIT = { exitCode: 1, signal: null, stderr: '' };
const AT = Date.parse('2026-01-01T00:00:00Z');

const judged = (data: object, name = 'APIError') =>
  judge({
    exit: EXIT,
    failed: { type: 'error', timestamp: AT, error: { name, data: { message: 'no', ...data } } },
    wait: null,
    stopped: false,
    text: '',
  });

describe('judge of opencode', () => {
  it.each([
    [{ statusCode: 429 }, 'limit'],
    [{ statusCode: 529 }, 'limit'],
    [{ statusCode: 402 }, 'auth'],
    [{ statusCode: 404 }, 'model'],
    [{ statusCode: 503 }, 'network'],
    [{ statusCode: 400 }, 'api'],
    [{ isRetryable: true }, 'network'],
    [{}, 'api'],
  ])('reads the status of a refusal: %j', (data, kind) => {
    expect(judged(data).error?.kind).toBe(kind);
  });

  it('takes a code of the provider for more exact than the status', () => {
    const body = (error: object) => ({ statusCode: 429, responseBody: JSON.stringify({ error }) });
    expect(judged(body({ code: 'insufficient_quota' }))).toMatchObject({ error: { kind: 'auth' }, limit: null });
    expect(judged(body({ type: 'rate_limit_error' })).error?.kind).toBe('limit');
    expect(judged({ statusCode: 429, responseBody: 'insufficient_quota' }).error?.kind).toBe('limit');
    expect(judged(body({ code: 'constructor' })).error?.kind).toBe('limit');
  });

  it('recognises an overload in the middle of an answer, which has no status', () => {
    const responseBody = JSON.stringify({ type: 'error', error: { type: 'overloaded_error' } });
    expect(judged({ responseBody })).toMatchObject({ error: { kind: 'limit' }, limit: { kind: 'overloaded' } });
  });

  it.each([
    ['30', AT + 30_000],
    ['Thu, 01 Jan 2026 05:00:00 GMT', Date.parse('2026-01-01T05:00:00Z')],
    ['soon', null],
  ])('knows from retry-after %s when the limit ends', (after, resetsAt) => {
    const { limit } = judged({ statusCode: 429, responseHeaders: { 'retry-after': after } });
    expect(limit).toEqual({ status: 'rejected', kind: 'rate_limit', resetsAt });
  });

  it('reads the names of errors without a status', () => {
    expect(judged({}, 'ProviderAuthError').error?.kind).toBe('auth');
    expect(judged({}, 'ContextOverflowError').error?.kind).toBe('api');
    expect(judged({ statusCode: 429 }, 'SomethingElse').error?.kind).toBe('api');
  });

  it('does not believe an answer that broke off between two steps', () => {
    const exit = { exitCode: 0, signal: null, stderr: '' };
    const end = (stopped: boolean) => judge({ exit, failed: null, wait: null, stopped, text: 'I will' });
    expect(end(true).error).toBeNull();
    expect(end(false).error?.kind).toBe('crash');
  });
});
