import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../../platform/index.ts';
import { groupDoors, groupSettings, hierarchiesIn, JOIN, joinScope, makeGroup } from './groups.ts';
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

/** A command that goes through the doors of a group first. */
const joined = (doors: readonly string[], ...command: readonly string[]) => [
  '/bin/sh',
  '-c',
  `${JOIN}; exec "$@"`,
  'ralph-limits',
  ...doors,
  '--',
  ...command,
];

describe('a group', () => {
  let parent = '';
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'ralph-limits-'));
  });
  afterEach(() => rmSync(parent, { recursive: true }));
  const memory = (version: 1 | 2, at = parent) => [{ version, controller: 'memory', parent: at }] as const;

  test('gets its settings, then the shell that made it; optional ones may fail', async () => {
    mkdirSync(`${parent}/ralph-1-7/memory.memsw.limit_in_bytes`, { recursive: true });
    const { exitCode } = await run(['/bin/sh', ...makeGroup('ralph-1-7', memory(1), POLICY)]);
    expect(exitCode).toBe(0);
    const written = (file: string) => readFileSync(`${parent}/ralph-1-7/${file}`, 'utf8');
    expect(written('memory.limit_in_bytes')).toBe(`${POLICY.memoryBytes}\n`);
    expect(written('tasks')).toBe('0\n');
  });

  test('that cannot be made is no group', async () => {
    const made = await run(['/bin/sh', ...makeGroup('ralph-1-1', memory(1, `${parent}/none`), POLICY)]);
    expect(made.exitCode).toBe(125);
    expect(made.stderr).toContain('ralph sandbox: its limits cannot be set');
  });

  test('is joined by a command with its words as they are', async () => {
    const { stdout } = await run(joined([`${parent}/one`, `${parent}/two`], 'printf', '%s|', 'a b', '--', '$x'));
    expect(stdout).toBe('a b|--|$x|');
    for (const door of ['one', 'two']) expect(readFileSync(`${parent}/${door}`, 'utf8')).toBe('0\n');
  });

  test('that cannot be joined does not start the command', async () => {
    const { exitCode, stdout, stderr } = await run(joined([`${parent}/none/tasks`], 'echo', 'hi'));
    expect({ exitCode, stdout }).toEqual({ exitCode: 125, stdout: '' });
    expect(stderr).toContain('ralph sandbox: its limits cannot be set');
  });

  test('is joined once where several controllers share it', () => {
    const pids = { version: 2, controller: 'pids', parent } as const;
    expect(groupDoors([...memory(2), pids], 'g')).toEqual([`${parent}/g/cgroup.procs`]);
  });
});

test('what is said to be held is, and nothing of it stays', async () => {
  const limits = await openLimits(POLICY, process.env);
  const { prefix, doors } = await limits.join();
  const { exitCode, stdout } = await run([...prefix, ...joined(doors, 'cat', '/proc/self/cgroup')]);
  expect(exitCode).toBe(0);
  await limits.close();
  const own = (await run(['find', '/sys/fs/cgroup', '-name', `ralph-${process.pid}-*`])).stdout;
  expect(own).toBe('');
  if (process.getuid?.() === 0 && limits.held.memory) expect(stdout).toMatch(/ralph-\d+-/);
});

test('a command has the place of one that has ended, and none of one that runs', async () => {
  const limits = await openLimits(POLICY, process.env);
  const [one, two] = [await limits.join(), await limits.join()];
  two.leave();
  const three = await limits.join();
  expect(three.doors).toEqual(two.doors);
  if (process.getuid?.() === 0 && limits.held.memory) expect(two.doors).not.toEqual(one.doors);
  await limits.close();
});

const SMALL = { ...POLICY, memoryBytes: 4096, processes: 10, cpus: 1.5 };

const V1 = `cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup /sys/fs/cgroup/pids cgroup rw,relatime,pids 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0`;

test('in version 1 every controller has a tree of its own', () => {
  expect(hierarchiesIn(V1, '4:memory:/a/b\n8:pids:/\n1:cpu,cpuacct:/c\n0::/')).toEqual([
    { version: 1, controller: 'memory', mount: '/sys/fs/cgroup/memory', group: '/a/b' },
    { version: 1, controller: 'pids', mount: '/sys/fs/cgroup/pids', group: '/' },
    { version: 1, controller: 'cpu', mount: '/sys/fs/cgroup/cpu,cpuacct', group: '/c' },
  ]);
});

test('in version 2 all have one, and groups are made at its root', () => {
  const found = hierarchiesIn('cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0', '0::/user.slice/session-2.scope');
  expect(found.map(({ version, controller, mount, group }) => [version, controller, mount, group])).toEqual([
    [2, 'memory', '/sys/fs/cgroup', ''],
    [2, 'pids', '/sys/fs/cgroup', ''],
    [2, 'cpu', '/sys/fs/cgroup', ''],
  ]);
});

test('without control groups there is nothing to limit by', () => {
  expect(hierarchiesIn('proc /proc proc rw 0 0', '')).toEqual([]);
});

test('a group has the limits of its version', () => {
  const written = (version: 1 | 2) =>
    groupSettings([{ version, controller: 'memory', parent: '/m' }], SMALL).map(
      ({ file, value }) => `${file}=${value}`,
    );
  expect(written(1)).toEqual(['memory.limit_in_bytes=4096', 'memory.memsw.limit_in_bytes=4096']);
  expect(written(2)).toEqual(['../cgroup.subtree_control=+memory', 'memory.max=4096', 'memory.swap.max=0']);
});

test('processors are a share of time, and none is no limit', () => {
  const cpu = { version: 2, controller: 'cpu', parent: '/c' } as const;
  expect(groupSettings([cpu], SMALL)).toContainEqual({ parent: '/c', file: 'cpu.max', value: '150000 100000' });
  expect(groupSettings([cpu], { ...SMALL, cpus: null })).toEqual([]);
});

test("the user's systemd is reached by its own address, which what runs in the scope does not get", () => {
  const env = { XDG_RUNTIME_DIR: '/run/user/1000', HOME: '/home/una' };
  const command = joinScope(SMALL, '/usr/bin/systemd-run', env).join(' ');
  expect(command).toBe(
    '/usr/bin/env XDG_RUNTIME_DIR=/run/user/1000 /usr/bin/systemd-run --user --scope --quiet --collect ' +
      '-p MemoryMax=4096 -p MemorySwapMax=0 -p TasksMax=10 -p CPUQuota=150% -- ' +
      '/usr/bin/env -u XDG_RUNTIME_DIR -u DBUS_SESSION_BUS_ADDRESS',
  );
});
