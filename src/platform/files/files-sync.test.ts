import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import { appendTextSync, claimFileSync, readTailSync, readTextSync, realPathSync, sizeSync } from './sync.ts';

let dir = '';
beforeEach(async () => {
  dir = await realpath(await tempDir());
});
afterEach(() => rm(dir, { recursive: true }));

describe('reading', () => {
  test('what is missing, a folder or a FIFO is null, and nothing waits', () => {
    execFileSync('mkfifo', [`${dir}/fifo`]);
    for (const path of [`${dir}/none`, dir, `${dir}/fifo`, 'a\0b']) {
      expect(readTextSync(path)).toBeNull();
      expect(readTailSync(path, 10)).toBeNull();
      expect(sizeSync(path)).toBeNull();
    }
  });

  test('a tail is the end of a file, or all of it', () => {
    writeFileSync(`${dir}/a`, 'one\ntwo\n');
    expect(readTailSync(`${dir}/a`, 4)).toBe('two\n');
    expect(readTailSync(`${dir}/a`, 100)).toBe('one\ntwo\n');
  });

  test('a file over the limit is not read', () => {
    writeFileSync(`${dir}/a`, '12345');
    expect(readTextSync(`${dir}/a`, 4)).toBeNull();
    expect(readTextSync(`${dir}/a`, 5)).toBe('12345');
  });
});

describe('the real path', () => {
  test('resolves links on the way to what does not exist yet', () => {
    mkdirSync(`${dir}/real`);
    symlinkSync('real', `${dir}/link`);
    expect(realPathSync(`${dir}/link/new/file`)).toBe(`${dir}/real/new/file`);
  });

  test('follows a dangling link to where a write would land', () => {
    symlinkSync('../elsewhere/x', `${dir}/dangling`);
    expect(realPathSync(`${dir}/dangling`)).toBe(`${dir.slice(0, dir.lastIndexOf('/'))}/elsewhere/x`);
  });

  test('ends for links in a circle and for endless paths', () => {
    symlinkSync('b', `${dir}/a`);
    symlinkSync('a', `${dir}/b`);
    expect(realPathSync(`${dir}/a`)).toContain(dir);
    expect(realPathSync(`${dir}/${'x/'.repeat(100_000)}`)).toContain('x/x');
  });
});

describe('appending', () => {
  test('makes the file and keeps what is there', () => {
    appendTextSync(`${dir}/log`, 'one\n');
    appendTextSync(`${dir}/log`, 'two\n');
    expect(readFileSync(`${dir}/log`, 'utf8')).toBe('one\ntwo\n');
  });

  test('closes a torn line first', () => {
    writeFileSync(`${dir}/log`, 'one\nto');
    appendTextSync(`${dir}/log`, 'three\n');
    expect(readFileSync(`${dir}/log`, 'utf8')).toBe('one\nto\nthree\n');
  });

  test('refuses a link, which may lead anywhere', () => {
    symlinkSync('target', `${dir}/log`);
    expect(() => appendTextSync(`${dir}/log`, 'x\n')).toThrow();
    expect(readTextSync(`${dir}/target`)).toBeNull();
  });

  test('refuses a FIFO instead of waiting for a reader', () => {
    execFileSync('mkfifo', [`${dir}/fifo`]);
    expect(() => appendTextSync(`${dir}/fifo`, 'x\n')).toThrow('not a plain file');
  });
});

test('a name is claimed once', () => {
  expect([claimFileSync(`${dir}/c`), claimFileSync(`${dir}/c`)]).toEqual([true, false]);
});
