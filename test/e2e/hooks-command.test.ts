import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../src/platform/index.ts';
import { makeProject, type Project, RALPH } from '../support/project.ts';
import { write } from '../support/says.ts';
import { listTree } from '../support/tree-listing.ts';

/** The command hook as a client starts it: one process per call, a payload on standard input, an answer or nothing. */
const HOOK = fileURLToPath(new URL('../../plugin/hook.cjs', import.meta.url));
const SILENT = { exitCode: 0, stdout: '', stderr: '' };

let project: Project;
afterEach(() => project?.remove());

interface Said {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function start(args: readonly string[], input: string | Uint8Array, env: object = {}): Promise<Said> {
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, args, {
    cwd: project.root,
    env: { PATH: process.env['PATH'], HOME: project.outside, NO_COLOR: '1', ...env },
    input,
    timeoutMs: 30_000,
  });
  return { exitCode, stdout: stdout.toString('utf8'), stderr: stderr.toString('utf8') };
}

const payload = (name: string, fields: object = {}) =>
  JSON.stringify({ session_id: 's1', hook_event_name: name, cwd: project.root, ...fields });
const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } });
const edits = (path: string) => ({ tool_name: 'Edit', tool_input: { file_path: join(project.root, path) } });
const hook = (name: string, fields: object = {}, env: object = {}) => start([HOOK], payload(name, fields), env);
const errors = () => project.read('.ralph/hook-errors.log').catch(() => '');

describe('hook.cjs outside a run', () => {
  beforeEach(async () => {
    project = await makeProject();
    await mkdir(join(project.root, '.ralph'));
  });

  test.each([
    ['SessionStart', { source: 'startup' }],
    ['UserPromptSubmit', { prompt: 'Hello.' }],
    ['PreToolUse', bash('git push origin feature && rm -rf node_modules')],
    ['PreToolUse', { tool_name: 'Edit', tool_input: { file_path: 'README.md' } }],
    ['PostToolUse', { ...bash('npm test'), tool_response: { stdout: 'Tests: 1 failed, 1 total', stderr: '' } }],
    ['PostToolUseFailure', { ...bash('npm test'), error: 'Exit code 1\nTests: 1 failed, 1 total' }],
    ['Stop', { stop_hook_active: false }],
    ['SessionEnd', { reason: 'other' }],
    ['Notification', { message: 'an event of a later version' }],
  ])('%s lets everything through that is not its business, and leaves no trace', async (name, fields) => {
    const before = await listTree(project.root);
    expect(await hook(name, fields)).toEqual(SILENT);
    expect(await listTree(project.root)).toEqual(before);
  });

  test('PreToolUse denies what destroys, and says what to do instead', async () => {
    const { exitCode, stdout } = await hook('PreToolUse', bash('cd / && rm -rf .'));
    expect(exitCode).toBe(0);
    const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput;
    expect(permissionDecision).toBe('deny');
    expect(permissionDecisionReason).toMatch(/^`rm -rf \.`: .+\. .+\. \(ralph: \S+\)$/);
  });

  test('PostToolUse tells once how full the context is', async () => {
    const transcript = join(project.outside, 'transcript.jsonl');
    const usage = { input_tokens: 5, cache_read_input_tokens: 120_000, output_tokens: 5 };
    await writeFile(transcript, `${JSON.stringify({ type: 'assistant', message: { model: 'm', usage } })}\n`);
    const fields = { ...bash('ls'), tool_response: { stdout: '' }, transcript_path: transcript };
    const first = JSON.parse((await hook('PostToolUse', fields)).stdout);
    expect(first.hookSpecificOutput.additionalContext).toContain('60 % of the context is used');
    expect(await hook('PostToolUse', fields)).toEqual(SILENT);
    expect((await hook('PostToolUse', fields, { CLAUDE_CONTEXT_WINDOW: '130000' })).stdout).toContain('92 %');
  });

  test('does nothing where a control server decides: not even its input is awaited', async () => {
    // A pipe that stays open longer than the hook may take.
    const { exitCode, stdout, timedOut } = await runCommand(
      'sh',
      ['-c', `mkfifo pipe; exec 3<>pipe; exec '${process.execPath}' '${HOOK}' <pipe`],
      {
        cwd: project.outside,
        env: { PATH: process.env['PATH'], HOME: project.outside, RALPH_CONTROL_URL: 'http://127.0.0.1:9' },
        timeoutMs: 4_000,
      },
    );
    expect({ exitCode, timedOut, said: stdout.toString('utf8') }).toEqual({ exitCode: 0, timedOut: false, said: '' });
    const there = { RALPH_CONTROL_URL: 'http://127.0.0.1:9' };
    expect(await hook('PreToolUse', bash('rm -rf /'), there)).toEqual(SILENT);
    expect(await start([RALPH, 'hooks', 'run', 'PreToolUse'], payload('PreToolUse', bash('rm -rf /')), there)).toEqual(
      SILENT,
    );
    expect(await errors()).toBe('');
  });

  test.each([
    ['nothing', ''],
    ['half an object', '{"hook_event_name":"PreToolUse","tool_input":{"command":"ls'],
    ['words', 'Error: the client has crashed'],
    ['bytes', Buffer.from([0xff, 0xfe, 0, 1, 2, 0xc3])],
  ])('%s as input lets the agent go on and leaves a line', async (_what, input) => {
    expect(await start([HOOK], input)).toEqual(SILENT);
    expect(await errors()).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \S+ .+\n$/);
  });

  test.each(['null', '[]', '"PreToolUse"', '{}', '{"hook_event_name":["PreToolUse"],"tool_input":7}'])(
    '%s as input lets the agent go on',
    async (input) => {
      expect(await start([HOOK], input)).toEqual(SILENT);
    },
  );

  test('twenty at once leave twenty whole lines', async () => {
    const broken = (n: number) => `{"n": ${n}, ${'x'.repeat(3000)}`;
    const all = await Promise.all(Array.from({ length: 20 }, (_, n) => start([HOOK], broken(n))));
    expect(all).toEqual(all.map(() => SILENT));
    const lines = (await errors()).trimEnd().split('\n');
    expect(lines).toHaveLength(20);
    for (const line of lines) expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z hook .*JSON/);
  });
});

describe('ralph hooks run', () => {
  beforeEach(async () => {
    project = await makeProject();
  });
  const run = (args: readonly string[], fields: object) =>
    start([RALPH, 'hooks', 'run', ...args], JSON.stringify(fields));

  test('takes the name of the event from the command line', async () => {
    const { exitCode, stdout } = await run(['PreToolUse'], bash('rm -rf /'));
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).hookSpecificOutput).toMatchObject({ permissionDecision: 'deny' });
    expect(await run(['PostToolUse'], bash('rm -rf /'))).toEqual(SILENT);
  });

  test('--legacy answers in the older form', async () => {
    const { exitCode, stdout } = await run(['PreToolUse', '--legacy'], bash('rm -rf /'));
    expect(exitCode).toBe(0);
    const { decision, reason, message, ...rest } = JSON.parse(stdout);
    expect({ decision, rest }).toEqual({ decision: 'block', rest: {} });
    expect(reason).toContain('rm -rf /');
    expect(message).toBe(reason);
    expect(await run(['PreToolUse', '--legacy'], bash('ls'))).toEqual(SILENT);
    expect(await run(['PostToolUse', '--legacy'], { ...bash('ls'), tool_output: 'a file' })).toEqual(SILENT);
    expect(await run(['Stop', '--legacy'], { stop_reason: 'end_turn' })).toEqual(SILENT);
  });

  test('ends with 0 whatever comes in', async () => {
    expect(await start([RALPH, 'hooks', 'run', 'PreToolUse', '--legacy'], 'no JSON')).toEqual(SILENT);
    expect(await start([RALPH, 'hooks', 'run', 'NoSuchEvent'], '{}')).toEqual(SILENT);
  });
});

describe('ralph hooks status', () => {
  const LOCAL = '.claude/settings.local.json';
  const status = (env: object = {}) => start([RALPH, 'hooks', 'status'], '', env);
  beforeEach(async () => {
    project = await makeProject();
  });

  test('tells what is installed where', async () => {
    expect(await status()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/not installed\n.*\n +not installed/),
    });
    await start([RALPH, 'hooks', 'install', '--user'], '');
    const { stdout } = await status();
    expect(stdout).toMatch(/project .*settings\.local\.json\n +not installed\nuser .*settings\.json\n +installed/);
  });

  test('names string-form entries, which silence every hook of a file, and how to fix them; install does', async () => {
    const settings = '{\n  "hooks": {\n    "Stop": [\n      "notify.sh"\n    ]\n  }\n}\n';
    await project.write(LOCAL, settings);
    const { exitCode, stdout } = await status();
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`${LOCAL}:4: the hook "notify.sh" is written as a string`);
    expect(stdout).toContain('fix: write {"hooks":[{"type":"command","command":"notify.sh"}]} instead');
    expect(await project.read(LOCAL)).toBe(settings);

    expect((await start([RALPH, 'doctor'], '')).stdout).toContain(`${LOCAL}:4`);

    expect(await start([RALPH, 'hooks', 'install'], '')).toMatchObject({ exitCode: 0 });
    const { Stop } = JSON.parse(await project.read(LOCAL)).hooks;
    expect(Stop[0]).toEqual({ hooks: [{ type: 'command', command: 'notify.sh' }] });
    expect(await status()).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\n +installed/) });
  });

  test('names file and line of broken JSON, and nothing is written over it', async () => {
    const broken = '{\n  "model": "opus",\n  "hooks": {,}\n}\n';
    await project.write(LOCAL, broken);
    const { exitCode, stdout } = await status();
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`${LOCAL}:3: `);
    expect(stdout).toContain('fix: ');
    for (const command of ['install', 'uninstall']) {
      const { exitCode, stderr } = await start([RALPH, 'hooks', command], '');
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`${LOCAL}:3`);
    }
    expect(await project.read(LOCAL)).toBe(broken);
  });
});

/** As in a sandbox that the control server cannot be reached from: the agent's client has command hooks alone. */
describe('hook.cjs inside a run without a control server', () => {
  const call = (n: number | string) => `../outside/calls/${n}.json`;

  /** Plays `actions` in a live run, in which `$(hook N)` puts what call N was answered into `outside/answers/N`. */
  async function inRun(calls: readonly string[], actions: readonly object[]): Promise<readonly unknown[]> {
    await mkdir(join(project.outside, 'calls'));
    await mkdir(join(project.outside, 'answers'));
    await Promise.all(calls.map((text, n) => writeFile(join(project.root, call(n)), text)));
    await writeFile(
      project.scenario,
      JSON.stringify({ version: 1, steps: [{ do: [...actions, { say: 'That is all.' }] }] }),
    );
    await project.run(['--once']);
    const answers = calls.map(async (_, n) => {
      const text = await readFile(join(project.outside, 'answers', String(n)), 'utf8');
      return text === '' ? null : JSON.parse(text);
    });
    return Promise.all(answers);
  }

  const ask = (...calls: readonly (number | string)[]): object => ({
    run: { command: calls.map((n) => asked(n)).join(' && '), expect: 'ok' },
  });
  const asked = (n: number | string) =>
    `env -u RALPH_CONTROL_URL -u RALPH_CONTROL_TOKEN '${process.execPath}' '${HOOK}' < ${call(n)} > ../outside/answers/${n}`;

  test('decides by the run’s rules, and remembers what was read', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }] });
    const failing = 'Exit code 1\nTAP version 13\nnot ok 1 - adds\n1..1\n# tests 1\n# pass 0\n# fail 1';
    const calls = [
      payload('UserPromptSubmit', { prompt: 'a secret word' }),
      payload('PreToolUse', edits('README.md')),
      payload('PostToolUse', { tool_name: 'Read', tool_input: { file_path: join(project.root, 'README.md') } }),
      payload('PreToolUse', edits('README.md')),
      payload('PreToolUse', edits('ralph/prd.md')),
      payload('PreToolUse', bash('git push origin feature')),
      payload('PostToolUseFailure', { ...bash('node --test'), error: failing }),
      payload('Stop'),
      payload('Stop'),
      payload('SessionEnd', { reason: 'other' }),
    ];
    const answers = await inRun(calls, [
      ask(0, 1, 2, 3, 4, 5, 6),
      { story: { set: { passes: true } } },
      ask(7),
      { story: { set: { passes: false } } },
      ask(8, 9),
    ]);
    const reason = (n: number) =>
      (answers[n] as { hookSpecificOutput: { permissionDecisionReason: string } } | null)?.hookSpecificOutput
        .permissionDecisionReason;
    expect(answers[0]).toBeNull();
    expect(reason(1)).toContain('Read README.md first');
    expect([answers[2], answers[3]]).toEqual([null, null]);
    expect(reason(4)).toContain('ralph/prd.md');
    expect(reason(5)).toContain('request_merge');
    expect(answers[6]).toBeNull();
    expect(answers[7]).toMatchObject({ decision: 'block', reason: expect.stringMatching(/US-001.*passes/s) });
    expect([answers[8], answers[9]]).toEqual([null, null]);
    expect(await project.read('.ralph/activity.log')).toMatch(/^\S+Z prompt length=13\n$/);
    expect(await project.read('.ralph/failure-context.log')).toMatch(/^=== \S+Z US-001 exit=1 \$ node --test\n {2}TAP/);
    expect(await project.read('.ralph/sessions.log')).toMatch(/^ended:US-001:\d+:other$/m);
  });

  test('twenty at once on the same logs: no line is torn, none is lost', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }] });
    const output = Array.from({ length: 120 }, (_, n) => `line ${n} ${'-'.repeat(60)}`).join('\n');
    const kinds = [
      (n: number) => payload('UserPromptSubmit', { prompt: 'x'.repeat(n), session_id: `s${n}` }),
      (n: number) => payload('PostToolUse', { tool_name: 'Read', tool_input: { file_path: `/tmp/read-${n}` } }),
      (n: number) => payload('PostToolUseFailure', { ...bash(`build ${n}`), error: `Exit code 1\n${output}` }),
      (n: number) => payload('SessionEnd', { reason: `end ${n}`, session_id: `s${n}` }),
    ];
    const calls = Array.from({ length: 20 }, (_, n) => kinds[n % 4]?.(n) ?? '');
    const together = calls.map((_, n) => `{ ${asked(n)}; } &`).join(' ');
    const answers = await inRun(calls, [{ run: { command: `${together} wait`, expect: 'ok' } }, write('x.txt', 'x')]);
    expect(answers).toEqual(calls.map(() => null));

    const linesOf = async (log: string) => (await project.read(`.ralph/${log}`)).trimEnd().split('\n');
    const activity = await linesOf('activity.log');
    expect(activity.map((line) => Number(/^\S+Z prompt length=(\d+)$/.exec(line)?.[1])).sort((a, b) => a - b)).toEqual([
      0, 4, 8, 12, 16,
    ]);
    const read = (await linesOf('session.log')).flatMap((line) => JSON.parse(line).read);
    expect(read.sort()).toEqual([1, 13, 17, 5, 9].map((n) => `/tmp/read-${n}`));
    const failures = await linesOf('failure-context.log');
    expect(failures.filter((line) => /^=== \S+Z US-001 exit=1 \$ build \d+$/.test(line))).toHaveLength(5);
    // Each entry stands in one piece: its head, then the last hundred lines in order.
    expect(failures).toHaveLength(5 * 101);
    failures.forEach((line, at) => {
      if (at % 101 > 0) expect(line).toBe(`  line ${(at % 101) + 19} ${'-'.repeat(60)}`);
    });
    const ended = (await linesOf('sessions.log')).filter((line) => line.startsWith('ended:'));
    expect(ended.map((line) => line.replace(/:\d+:/, '::')).sort()).toEqual(
      ['11', '15', '19', '3', '7'].map((n) => `ended:US-001::end ${n}`),
    );
  });
});
