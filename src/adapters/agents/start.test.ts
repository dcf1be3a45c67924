import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testConfig, testTask } from '../../../test/support/agent-task.ts';
import { livingOf, markedProcesses } from '../../../test/support/processes.ts';
import { type AgentEvent, FileProblemsError, type StopReason, UnavailableError } from '../../contracts/index.ts';
import { systemClock } from '../../platform/index.ts';
import { noIsolation } from '../isolation/choose.ts';
import type { AgentAdapter } from './port.ts';
import { scripted } from './scripted/adapter.ts';
import { startAgent } from './start.ts';

type StartOptions = Parameters<typeof startAgent>[2];

let dir = '';
let marker = '';
const work = () => join(dir, 'work');

beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralph-start-')));
  await mkdir(work());
  marker = `test-${process.pid}-${Math.random().toString(36).slice(2)}`;
});
afterEach(async () => {
  expect(await markedProcesses(marker), 'processes left behind').toEqual([]);
  await rm(dir, { recursive: true, force: true });
});

/** Starts an adapter's agent; `events` and `bytes` hold what came of it. */
async function start(adapter: AgentAdapter, overrides: Partial<StartOptions> = {}, config = testConfig()) {
  const events: AgentEvent[] = [];
  let bytes = 0;
  const run = await startAgent(adapter, testTask({ cwd: work(), tempDir: dir, run: marker, config }), {
    isolation: noIsolation(),
    clock: systemClock,
    timeoutMs: 60_000,
    idleTimeoutMs: 60_000,
    signal: new AbortController().signal,
    ...overrides,
    onEvent: (event) => {
      events.push(event);
      overrides.onEvent?.(event);
    },
    onOutput: (chunk) => {
      bytes += chunk.length;
    },
  });
  return { run, events, bytes: () => bytes };
}

/** Starts the scripted agent with these actions. */
async function play(actions: string, overrides: Partial<StartOptions> = {}) {
  const scenario = join(dir, 'scenario.yaml');
  await writeFile(scenario, `version: 1\nsteps:\n  - do:\n${actions.replace(/^/gm, '      ')}\n`);
  return start(scripted, overrides, testConfig({ scripted: { scenario } }));
}

/** An adapter for any shell command that prints what it likes. */
function shellAgent(command: string): AgentAdapter {
  return {
    ...scripted,
    command: async (task) => ({
      file: 'sh',
      args: ['-c', command],
      cwd: task.cwd,
      env: { ...task.env },
      stdin: task.prompt,
    }),
  };
}

/** Plays actions and stops the agent as soon as it has said `text`. */
async function stopAt(text: string, actions: string, reason: StopReason, graceMs = 60_000) {
  const stop = new AbortController();
  const onEvent = (event: AgentEvent) => {
    if (event.type === 'text' && event.text === text) stop.abort(reason);
  };
  return (await play(actions, { signal: stop.signal, onEvent, graceMs })).run;
}

describe('startAgent', () => {
  it('hands over events in order, then the result', async () => {
    const pids: number[] = [];
    const { run, events } = await play('- say: working\n- write: { path: src/a.txt, content: hello }\n- say: done', {
      onStart: (pid) => pids.push(pid),
    });
    expect(run).toMatchObject({
      stopped: null,
      result: { ok: true, exitCode: 0, text: 'working\n\ndone', error: null },
    });
    expect(events.map((event) => event.type)).toEqual(['session', 'text', 'tool-call', 'tool-result', 'text']);
    expect(await readFile(join(work(), 'src/a.txt'), 'utf8')).toBe('hello');
    expect(pids).toEqual([run.pid]);
    expect(run.endedAt).toBeGreaterThanOrEqual(run.startedAt);
  });

  it('gives the prompt on standard input and the run in the environment', async () => {
    const { run } = await start(
      shellAgent(`cat >prompt.txt; echo "$RALPH_RUN_ID $RALPH_STORY_ID $RALPH_MODE" >env.txt`),
    );
    expect(run.result.error).toMatchObject({ kind: 'empty' });
    expect(await readFile(join(work(), 'prompt.txt'), 'utf8')).toBe('Implement US-001.');
    expect(await readFile(join(work(), 'env.txt'), 'utf8')).toBe(`${marker} US-001 implement\n`);
  });

  it('does not trip over an agent that never reads its prompt', async () => {
    const { run } = await start(shellAgent('exec <&-; exit 0'));
    expect(run.result.exitCode).toBe(0);
  });

  it('says unavailable when the program is not there', async () => {
    const missing: AgentAdapter = {
      ...scripted,
      command: async (task) => ({ file: 'no-such-agent', args: [], cwd: task.cwd, env: { ...task.env }, stdin: '' }),
    };
    const { run } = await start(missing);
    expect(run).toMatchObject({
      pid: null,
      stopped: null,
      result: { ok: false, exitCode: null, error: { kind: 'unavailable' } },
    });
    expect(run.result.error?.message).toContain('no-such-agent');
  });

  it.each([
    [
      'an agent that refuses',
      new UnavailableError({ what: 'It does not run here', why: 'because', fix: ['log in', 'use another'] }),
      'It does not run here (fix: log in; or use another)',
    ],
    [
      'a file that was broken since',
      new FileProblemsError({ what: 'The file cannot be used', where: 'x.yaml' }, [
        { severity: 'error', rule: 'yaml', file: 'x.yaml', line: 3, message: 'no step', fix: 'add one' },
      ]),
      'The file cannot be used: x.yaml:3: no step (fix: add one)',
    ],
  ])('says unavailable, and in one line how to fix it, for %s', async (_name, error, message) => {
    const refusing: AgentAdapter = { ...scripted, command: () => Promise.reject(error) };
    const { run } = await start(refusing);
    expect(run).toMatchObject({ pid: null, stopped: null, result: { ok: false, exitCode: null } });
    expect(run.result.error).toEqual({ kind: 'unavailable', message });
  });

  it('leaves a bug of an adapter a bug', async () => {
    const broken: AgentAdapter = { ...scripted, command: () => Promise.reject(new TypeError('undefined')) };
    await expect(start(broken)).rejects.toThrow(TypeError);
  });

  it('starts nothing when it is already to stop', async () => {
    const { run, events } = await play('- say: hello', { signal: AbortSignal.abort('terminated') });
    expect(run).toMatchObject({ pid: null, stopped: 'terminated', result: { ok: false } });
    expect(events).toEqual([]);
  });

  it.each([
    ['an exit code', 'crash: { exit: 7 }', { exitCode: 7, signal: null }, 'exited with 7'],
    ['a signal', 'crash: { signal: SIGKILL }', { exitCode: null, signal: 'SIGKILL' }, 'was ended by SIGKILL'],
  ])('reports a crash with %s', async (_name, action, exit, message) => {
    const { run } = await play(`- say: hello\n- ${action}`);
    expect(run).toMatchObject({ stopped: null, result: { ...exit, ok: false, error: { kind: 'crash' } } });
    expect(run.result.error?.message).toContain(message);
  });

  it('tells with a crash what the agent said last on standard error', async () => {
    const { run } = await start(shellAgent('echo first >&2; echo "cannot find my home" >&2; exit 1'));
    expect(run.result.error?.message).toContain('cannot find my home');
  });

  it('stops an agent that hangs silently at the idle timeout', async () => {
    const { run, events } = await start(shellAgent(`echo '{"type":"text","text":"hello"}'; sleep 600`), {
      idleTimeoutMs: 3_000,
    });
    expect(run).toMatchObject({ stopped: 'idle-timeout', result: { ok: false } });
    expect(run.endedAt - run.startedAt).toBeGreaterThanOrEqual(3_000);
    expect(events).toEqual([{ type: 'text', text: 'hello' }]);
  });

  it('takes any output for a sign of life, and stops at the timeout all the same', async () => {
    const { run } = await start(shellAgent('while :; do echo . >&2; sleep 0.1; done'), {
      idleTimeoutMs: 3_000,
      timeoutMs: 5_000,
    });
    expect(run.stopped).toBe('timeout');
    expect(run.endedAt - run.startedAt).toBeGreaterThanOrEqual(5_000);
  });

  it('stops with the reason of the abort', async () => {
    const run = await stopAt('hello', '- say: hello\n- hang: true', 'budget');
    expect(run).toMatchObject({ stopped: 'budget', result: { ok: false, signal: 'SIGTERM' } });
  });

  it('kills an agent that ignores TERM, after the grace', async () => {
    const run = await stopAt('deaf', '- ignore-term: true\n- say: deaf\n- hang: true', 'interrupted', 400);
    expect(run).toMatchObject({ stopped: 'interrupted', result: { signal: 'SIGKILL', exitCode: null } });
  });

  it('sweeps background children after a normal end, detached ones too', async () => {
    const { run } = await play(
      `- background: { run: "echo $$ >>pids; exec sleep 600" }
- background: { run: "echo $$ >>pids; exec sleep 600", detached: true }
- run: until [ "$(wc -l <pids)" = 2 ]; do sleep 0.05; done
- say: done`,
    );
    expect(run.result.ok).toBe(true);
    const pids = (await readFile(join(work(), 'pids'), 'utf8')).trim().split('\n').map(Number);
    expect(pids).toHaveLength(2);
    expect(await livingOf(pids)).toEqual([]);
  });

  it('is not held up by a child that keeps the output open', async () => {
    const { run } = await start(shellAgent(`echo '{"type":"result","text":"done"}'; sleep 600 & exit 0`));
    expect(run.result).toMatchObject({ exitCode: 0, text: 'done' });
  });

  it('survives a flood of noise with flat memory and few notices', async () => {
    const before = process.memoryUsage().rss;
    let peak = before;
    const watchdog = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss);
    }, 20);
    const { run, events, bytes } = await play('- flood: { bytes: 120000000 }\n- say: still here');
    clearInterval(watchdog);
    expect(run.result).toMatchObject({ ok: true, text: 'still here' });
    expect(bytes()).toBeGreaterThan(120_000_000);
    expect(events.filter((event) => event.type === 'notice')).toHaveLength(4);
    expect(peak - before).toBeLessThan(100_000_000);
  });

  it('drops a line of 100 MB with a notice and reads on', async () => {
    const { run, events } = await play('- flood: { bytes: 104857600, lines: false }\n- say: still here');
    expect(run.result).toMatchObject({ ok: true, text: 'still here' });
    expect(events).toContainEqual({ type: 'notice', text: 'a line of 104857600 bytes of output was dropped' });
  });
});
