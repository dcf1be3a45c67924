import { expect, test } from 'vitest';
import { ulimitFlags } from './engine.ts';

const TABLE = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max processes             62000                unlimited            processes
Max open files            1024                 20000                files
Max pending signals       62000                62000                signals
`;

const CORE = ['--ulimit', 'core=0:0'];

test('a container gets the hard limits of this process, up to what is sensible', async () => {
  const limits = ['--ulimit', 'nproc=32768:32768', '--ulimit', 'nofile=20000:20000'];
  expect(await ulimitFlags('podman', async () => TABLE)).toEqual([...CORE, ...limits]);
});

test('a table of another form sets nothing', async () => {
  for (const table of ['', 'Max processes ? ?', null]) {
    expect(await ulimitFlags('podman', async () => table)).toEqual(CORE);
  }
});

test('Docker starts containers with the limits of its daemon', async () => {
  expect(await ulimitFlags('docker')).toEqual(CORE);
});
