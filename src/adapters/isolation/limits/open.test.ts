import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../../platform/process/run-command.ts';
import { hierarchies } from './groups.ts';
import { joinGroup } from './join.ts';
import { openLimits } from './open.ts';

const POLICY = {
  ...{ hosts: [], localPorts: [], read: [], write: [] },
  ...{ memoryBytes: 200 * 1024 ** 2, processes: 50, cpus: null },
};

async function run(command: readonly string[]) {
  const [file = '', ...args] = command;
  const { exitCode, stdout, stderr } = await runCommand(file, args, { cwd: '/' });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}

describe('joining a group', () => {
  let parent = '';
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'ralph-limits-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));

  test('writes its settings, then itself, then becomes the command with its words as they are', async () => {
    const join = joinGroup('ralph-1-', 'ralph-1-7', [
      { parent, file: 'memory.max', value: '4096' },
      { parent, file: 'none/at all', value: '1', optional: true },
      { parent, file: 'cgroup.procs', value: 'self' },
    ]);
    const { stdout } = await run([...join, 'sh', '-c', 'echo $$; printf "%s|" "$@"', 'sh', 'a b', '--', '$x']);
    const [pid, words] = stdout.split('\n');
    expect(words).toBe('a b|--|$x|');
    expect(readFileSync(`${parent}/ralph-1-7/memory.max`, 'utf8')).toBe('4096\n');
    expect(readFileSync(`${parent}/ralph-1-7/cgroup.procs`, 'utf8')).toBe(`${pid}\n`);
  });

  test('removes the empty groups of earlier sandboxes of the same run, and no others', async () => {
    for (const name of ['ralph-1-1', 'ralph-1-2', 'ralph-2-1', 'other']) mkdirSync(join(parent, name));
    writeFileSync(join(parent, 'ralph-1-2', 'in use'), '');
    await run([...joinGroup('ralph-1-', 'ralph-1-3', [{ parent, file: 'x', value: '1' }]), 'true']);
    expect(readdirSync(parent).sort()).toEqual(['other', 'ralph-1-2', 'ralph-1-3', 'ralph-2-1']);
  });

  test('that fails does not start the command', async () => {
    const command = [
      ...joinGroup('ralph-1-', 'ralph-1-1', [{ parent: `${parent}/none`, file: 'x', value: '1' }]),
      'echo',
      'hi',
    ];
    const { exitCode, stdout, stderr } = await run(command);
    expect({ exitCode, stdout }).toEqual({ exitCode: 125, stdout: '' });
    expect(stderr).toContain('ralph sandbox: its limits cannot be set');
  });
});

test('what is said to be held is, and nothing of it stays', async () => {
  const limits = await openLimits(POLICY, process.env);
  const { exitCode, stdout } = await run([...limits.join(), 'cat', '/proc/self/cgroup']);
  expect(exitCode).toBe(0);
  await limits.close();
  const parents = (await hierarchies()).map(({ parent }) => parent);
  const own = parents
    .flatMap((parent) => readdirSync(parent))
    .filter((name) => name.startsWith(`ralph-${process.pid}-`));
  expect(own).toEqual([]);
  if (process.getuid?.() === 0 && limits.held.memory) expect(stdout).toMatch(/ralph-\d+-/);
});
