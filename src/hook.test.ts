import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hookChunks } from '../scripts/build/single-files.ts';
import { malformedPayload } from '../test/support/malformed-hook.ts';
import { tempTree } from './adapters/workspace/temp-tree.fixture.ts';

/** The bundle as it ships, in processes of its own. */

let dir = '';
let script = '';
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'ralph-hook-'));
  script = join(dir, 'hook.cjs');
  mkdirSync(join(dir, 'hook'));
  for (const { fileName, code } of await hookChunks()) writeFileSync(join(dir, fileName), code);
});
afterAll(() => rmSync(dir, { recursive: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Env = Readonly<Record<string, string>>;

/** @param input null leaves standard input open */
function hook(root: string, input: string | Uint8Array | null, env: Env = {}): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [script], { cwd: root, env: { HOME: `${root}/home`, ...env } });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    // It may end before it has read everything.
    child.stdin.on('error', () => {});
    if (input !== null) child.stdin.end(input);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}

const SILENT: Ended = { code: 0, out: '', err: '' };
const call = (fields: object) => JSON.stringify({ session_id: 's1', ...fields });
const bash = (command: string) => call({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } });

describe('the command hook', () => {
  test('prints one JSON object and ends with 0 when it refuses', async () => {
    const root = await tempTree({ '.git/': '' });
    const { code, out, err } = await hook(root, bash('rm -rf /'));
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  });

  test('prints nothing when the agent may go on', async () => {
    expect(await hook(await tempTree({ '.git/': '' }), bash('ls'))).toEqual(SILENT);
  });

  test('is silent where the control server of the run decides', async () => {
    const root = await tempTree({ '.git/': '' });
    expect(await hook(root, bash('rm -rf /'), { RALPH_CONTROL_URL: 'http://127.0.0.1:1' })).toEqual(SILENT);
  });

  test('ends by itself when its input never does', async () => {
    const root = await tempTree({ '.ralph/': '' });
    expect(await hook(root, null)).toEqual(SILENT);
    expect(readFileSync(`${root}/.ralph/hook-errors.log`, 'utf8')).toContain('too slow');
  });

  test.each([false, true])(
    'lets the agent go on after an input that is too large; of Claude Code: %j',
    async (claude) => {
      const root = await tempTree({ '.ralph/': '' });
      const env: Env = claude ? { CLAUDE_PROJECT_DIR: root } : {};
      expect(await hook(root, Buffer.alloc(40 * 1024 * 1024, '['), env)).toEqual(SILENT);
      expect(readFileSync(`${root}/.ralph/hook-errors.log`, 'utf8')).toContain('too large');
    },
  );

  test('of Claude Code, waits for the rest of its input, until the client ends it', async () => {
    const root = await tempTree({ '.git/': '' });
    const env = { HOME: `${root}/home`, CLAUDE_PROJECT_DIR: root };
    const [slow, silent] = [0, 1].map(() => spawn(process.execPath, [script], { cwd: root, env }));
    const input = bash('rm -rf /');
    let out = '';
    slow?.stdout.on('data', (chunk) => (out += chunk));
    slow?.stdin.write(input.slice(0, 20));
    setTimeout(() => {
      slow?.stdin.end(input.slice(20));
      silent?.kill();
    }, 300);
    const ends = [slow, silent].map((child) => new Promise((resolve) => child?.on('close', (...end) => resolve(end))));
    expect(await Promise.all(ends)).toEqual([
      [0, null],
      [null, 'SIGTERM'],
    ]);
    expect(out).toContain('deny');
  });
});

describe('the parts of the hook', () => {
  const parts = () => readdirSync(join(dir, 'hook'));
  const guard = () => join(dir, 'hook', parts().find((name) => /^pre-tool-use.*\.cjs$/.test(name)) ?? '');

  test('are left compiled by the first call that needs them', async () => {
    const root = await tempTree({ '.git/': '' });
    await hook(root, bash('ls'));
    const compiled = parts().filter((name) => name.includes(`.cjs.${process.version}-`));
    expect(compiled.map((name) => name.split('-')[0])).toEqual(['pre', 'run']);
    expect((await hook(root, bash('rm -rf /'))).out).toContain('deny');
  });

  test('let no command past a guard that is missing', async () => {
    const path = guard();
    renameSync(path, `${path}.away`);
    try {
      const root = await tempTree({ '.git/': '' });
      expect((await hook(root, bash('ls'))).code).toBe(1);
      expect(await hook(root, call({ hook_event_name: 'Stop' }))).toEqual(SILENT);
    } finally {
      renameSync(`${path}.away`, path);
    }
  });
});

test('in a run, what one process saw another knows', async () => {
  const root = await tempTree({
    '.git/': '',
    '.ralph/': '',
    'a.ts': 'x',
    'ralph/prd.md': '#',
    'ralph/tasks.json': '{}',
  });
  const marker = { run: 'r1', heartbeat: new Date().toISOString(), pid: process.pid, host: hostname(), story: 'US-1' };
  writeFileSync(`${root}/.ralph-active`, JSON.stringify(marker));
  const env = { RALPH_RUN_ID: 'r1' };
  const tool = (event: string, name: string, file: string) =>
    call({ hook_event_name: event, tool_name: name, tool_input: { file_path: join(root, file) } });
  expect((await hook(root, tool('PreToolUse', 'Edit', 'ralph/prd.md'), env)).out).toContain('path/protected');
  expect((await hook(root, tool('PreToolUse', 'Edit', 'a.ts'), env)).out).toContain('path/unread');
  expect(await hook(root, tool('PostToolUse', 'Read', 'a.ts'), env)).toEqual(SILENT);
  expect(await hook(root, tool('PreToolUse', 'Edit', 'a.ts'), env)).toEqual(SILENT);
  expect(await hook(root, tool('PreToolUse', 'Edit', 'ralph/prd.md'))).toEqual(SILENT);
});

test('20 processes at once tear and lose no line', async () => {
  const root = await tempTree({ '.git/': '', '.ralph/': '', 'ralph/tasks.json': '{}' });
  const marker = { run: 'r1', heartbeat: new Date().toISOString(), pid: process.pid, host: hostname(), story: 'US-1' };
  writeFileSync(`${root}/.ralph-active`, JSON.stringify(marker));
  // So long that the log is rotated while they write, yet not twice.
  const output = Array.from({ length: 20 }, () => 'y'.repeat(390)).join('\n');
  const failing = (i: number) =>
    call({
      hook_event_name: 'PostToolUseFailure',
      tool_name: 'Bash',
      tool_input: { command: `step ${i}` },
      error: `Exit code 1\n${output}`,
    });
  const ended = await Promise.all(Array.from({ length: 20 }, (_, i) => hook(root, failing(i), { RALPH_RUN_ID: 'r1' })));
  expect(ended).toEqual(ended.map(() => SILENT));
  const log = ['failure-context.1.log', 'failure-context.log']
    .map((name) => readFileSync(`${root}/.ralph/${name}`, 'utf8'))
    .join('');
  const heads = log.match(/^=== \S+ US-1 exit=1 \$ step \d+$/gm) ?? [];
  expect(new Set(heads.map((head) => head.split(' ').at(-1))).size).toBe(20);
  expect(log.split('\n').filter((line) => line.startsWith('  '))).toHaveLength(400);
  expect(
    log.split('\n').every((line) => line === '' || line.startsWith('=== ') || line === `  ${'y'.repeat(390)}`),
  ).toBe(true);
});

/** `HOOK_FUZZ_PROCESSES=500` for a long look: each is a process. */
const PROCESSES = Number(process.env['HOOK_FUZZ_PROCESSES'] ?? 40);

test('whatever comes in, it ends with 0 and prints one object or nothing', async () => {
  const root = await tempTree({ '.git/': '', '.ralph/': '' });
  const payloads = fc.sample(malformedPayload, { numRuns: PROCESSES, seed: 7 });
  for (let i = 0; i < payloads.length; i += 4) {
    const inputs = payloads
      .slice(i, i + 4)
      .map((payload, j) => JSON.stringify(payload).slice(0, j === 0 ? -1 : undefined));
    for (const { code, out, err } of await Promise.all(inputs.map((input) => hook(root, input)))) {
      expect({ code, err }).toEqual({ code: 0, err: '' });
      if (out !== '') expect(JSON.parse(out)).toBeTypeOf('object');
    }
  }
});
