import { expect, test } from 'vitest';
import { makeTempDir, remove } from './files.ts';
import { freeBytes, ignoresCase, notWritable } from './folder-facts.ts';

test('tells what a folder is like', async () => {
  const folder = await makeTempDir('ralph-facts-');
  try {
    expect(await freeBytes(folder)).toBeGreaterThan(0);
    expect(await freeBytes(`${folder}/missing`)).toBeNull();
    expect(await notWritable(`${folder}/not/yet`)).toBeNull();
    expect(await notWritable('/dev/null/x')).toEqual({ path: '/dev/null', why: 'file' });
    if (process.platform === 'linux') expect(await ignoresCase(folder)).toBe(false);
  } finally {
    await remove(folder);
  }
});
