import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testConfig, testTask } from '../../../../test/support/agent-task.ts';
import { type AgentEvent, describeError } from '../../../contracts/index.ts';
import { systemClock } from '../../../platform/index.ts';
import { noIsolation } from '../../isolation/choose.ts';
import { startAgent } from '../start.ts';
import { command } from './adapter.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralph-command-'));
});
afterEach(() => rm(dir, { recursive: true }));

const configFor = (run: string | null) => testConfig({ command: { run } });

async function play(run: string, rest: { prompt?: string; model?: string } = {}) {
  const events: AgentEvent[] = [];
  const task = testTask({ cwd: dir, tempDir: dir, config: configFor(run), ...rest });
  const { result } = await startAgent(command, task, {
    isolation: noIsolation(),
    clock: systemClock,
    timeoutMs: 300_000,
    idleTimeoutMs: 30_000,
    signal: new AbortController().signal,
    onEvent: (event) => events.push(event),
    onOutput: () => {},
  });
  return { events, result };
}

describe('the agent command', () => {
  it('gives the prompt on standard input and in a private file, and the model in a variable', async () => {
    const prompt = 'Line one\n$HOME `id` "quoted"\n';
    const { events, result } = await play(
      'cat > in.txt; cp "$RALPH_PROMPT_FILE" copy.txt; echo "with $RALPH_MODEL"; echo done',
      { prompt, model: 'small' },
    );
    expect(result).toMatchObject({ ok: true, text: 'with small\ndone', error: null });
    expect(events).toEqual([
      { type: 'text', text: 'with small' },
      { type: 'text', text: 'done' },
    ]);
    expect(await readFile(join(dir, 'in.txt'), 'utf8')).toBe(prompt);
    expect(await readFile(join(dir, 'copy.txt'), 'utf8')).toBe(prompt);
    expect((await stat(join(dir, 'prompt.md'))).mode & 0o777).toBe(0o600);
  });

  it('takes a command that says nothing for an empty answer', async () => {
    expect((await play('cat > /dev/null')).result).toMatchObject({ ok: false, error: { kind: 'empty' } });
  });

  it('explains a failure with the last line of standard error', async () => {
    const { result } = await play('echo half; echo first >&2; echo "no more room" >&2; exit 4');
    expect(result).toMatchObject({ ok: false, exitCode: 4, text: 'half', error: { kind: 'crash' } });
    expect(result.error?.message).toContain('no more room');
  });

  it('tells a program that is not there from one that fails', async () => {
    expect((await play('no-such-program-here')).result.error?.kind).toBe('unavailable');
  });

  it('does not start without a command', async () => {
    const task = testTask({ cwd: dir, tempDir: dir, config: configFor(null) });
    const error: unknown = await command.command(task).catch((e: unknown) => e);
    expect(error).toMatchObject({ exitCode: 2 });
    expect(describeError(error)).toContain('set command.run');
  });
});

describe('detecting it', () => {
  it.each([
    ['sh -c true'],
    ['FOO=1 BAR=2 sh script'],
    ['/bin/sh'],
    ['"$HOME/agent" --yes'],
    ['cd sub && ./agent'],
    ['(echo a; echo b)'],
  ])('accepts %s', async (run) => {
    expect(await command.detect(configFor(run))).toMatchObject({ ok: true, fix: '' });
  });

  it('names the program that the shell does not know', async () => {
    const found = await command.detect(configFor('no-such-program-here --yes'));
    expect(found).toMatchObject({ ok: false, version: null });
    expect(found.detail).toContain('no-such-program-here');
    expect(found.fix).toContain('command.run');
  });

  it('says what to set when there is no command', async () => {
    const found = await command.detect(configFor(null));
    expect(found).toMatchObject({ ok: false, detail: 'command.run is not set' });
    expect(found.fix).toContain('set command.run');
  });
});
