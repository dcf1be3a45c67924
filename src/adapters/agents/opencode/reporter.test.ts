import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../../platform/process/run-command.ts';
import { LONGEST_WAIT_MS, reporterSource } from './reporter.ts';

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
