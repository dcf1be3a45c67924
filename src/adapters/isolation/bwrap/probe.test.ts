import { expect, test } from 'vitest';
import { unfiltered } from './probe.ts';

test('that system calls are not filtered is said, with the reason', () => {
  expect(unfiltered({ filter: new Uint8Array() }, 'x64')).toEqual([]);
  expect(unfiltered({ filter: null }, 'x64')).toEqual([expect.stringContaining('none can be set')]);
  expect(unfiltered({ filter: null }, 'riscv64')).toEqual([expect.stringContaining('no filter is known for riscv64')]);
});
