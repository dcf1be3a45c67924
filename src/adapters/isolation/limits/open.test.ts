import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../../platform/index.ts';
import { groupSettings, hierarchiesIn, joinGroup, joinScope } from './groups.ts';
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
    const join = joinGroup('ralph-1-7', [
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

  test('that fails does not start the command', async () => {
    const command = [...joinGroup('ralph-1-1', [{ parent: `${parent}/none`, file: 'x', value: '1' }]), 'echo', 'hi'];
    const { exitCode, stdout, stderr } = await run(command);
    expect({ exitCode, stdout }).toEqual({ exitCode: 125, stdout: '' });
    expect(stderr).toContain('ralph sandbox: its limits cannot be set');
  });
});

test('what is said to be held is, and nothing of it stays', async () => {
  const limits = await openLimits(POLICY, process.env);
  const { exitCode, stdout } = await run([...limits.join().prefix, 'cat', '/proc/self/cgroup']);
  expect(exitCode).toBe(0);
  await limits.close();
  const own = (await run(['find', '/sys/fs/cgroup', '-name', `ralph-${process.pid}-*`])).stdout;
  expect(own).toBe('');
  if (process.getuid?.() === 0 && limits.held.memory) expect(stdout).toMatch(/ralph-\d+-/);
});

test('a command has the place of one that has ended, and none of one that runs', async () => {
  const limits = await openLimits(POLICY, process.env);
  const [one, two] = [limits.join(), limits.join()];
  two.leave();
  const three = limits.join();
  expect(three.prefix).toEqual(two.prefix);
  if (process.getuid?.() === 0 && limits.held.memory) expect(two.prefix).not.toEqual(one.prefix);
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

test('a group has its limits before anybody joins it', () => {
  const written = (version: 1 | 2) =>
    groupSettings([{ version, controller: 'memory', parent: '/m' }], SMALL).map(
      ({ file, value }) => `${file}=${value}`,
    );
  expect(written(1)).toEqual(['memory.limit_in_bytes=4096', 'memory.memsw.limit_in_bytes=4096', 'cgroup.procs=self']);
  expect(written(2)).toEqual([
    '../cgroup.subtree_control=+memory',
    'memory.max=4096',
    'memory.swap.max=0',
    'cgroup.procs=self',
  ]);
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
