import { expect, test } from 'vitest';
import { groupSettings, hierarchiesIn } from './groups.ts';

const POLICY = {
  ...{ hosts: [], localPorts: [], read: [], write: [] },
  ...{ memoryBytes: 4096, processes: 10, cpus: 1.5 },
};

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
    groupSettings([{ version, controller: 'memory', parent: '/m' }], POLICY).map(
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
  expect(groupSettings([cpu], POLICY)).toContainEqual({ parent: '/c', file: 'cpu.max', value: '150000 100000' });
  expect(groupSettings([cpu], { ...POLICY, cpus: null })).toEqual([]);
});
