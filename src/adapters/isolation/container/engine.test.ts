import { expect, test } from 'vitest';
import { parseLimits, ulimitFlags } from './engine.ts';

const TABLE = `Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max processes             62000                unlimited            processes
Max open files            1024                 20000                files
Max pending signals       62000                62000                signals
`;

test('a container gets the hard limits of this process, up to what is sensible', () => {
  expect(parseLimits(TABLE)).toEqual(['nproc=32768:32768', 'nofile=20000:20000']);
});

test('a table of another form sets nothing', () => {
  expect(parseLimits('')).toEqual([]);
  expect(parseLimits('Max processes ? ?')).toEqual([]);
});

test('Docker starts containers with the limits of its daemon', async () => {
  expect(await ulimitFlags('docker')).toEqual(['--ulimit', 'core=0:0']);
});
