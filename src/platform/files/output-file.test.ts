import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import { descriptorAt, writeOutput } from './atomic-file.ts';

let dir = '';
beforeEach(async () => {
  dir = await tempDir();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);

describe('writeOutput', () => {
  test('makes a file, and replaces one', async () => {
    await writeOutput(at('new'), 'one');
    expect(readFileSync(at('new'), 'utf8')).toBe('one');
    await writeOutput(at('new'), 'two');
    expect(readFileSync(at('new'), 'utf8')).toBe('two');
    expect(readdirSync(dir)).toEqual(['new']);
  });

  test('writes what a link leads to, there or not, and leaves the link', async () => {
    await writeFile(at('target'), 'old');
    await symlink(at('target'), at('link'));
    await symlink('nothing-yet', at('early'));
    await writeOutput(at('link'), 'text');
    await writeOutput(at('early'), 'text');
    for (const name of ['target', 'nothing-yet']) expect(readFileSync(at(name), 'utf8')).toBe('text');
    for (const name of ['link', 'early']) expect(lstatSync(at(name)).isSymbolicLink()).toBe(true);
  });

  test('writes into a pipe and leaves it there', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const [read] = await Promise.all([readFile(at('pipe'), 'utf8'), writeOutput(at('pipe'), 'text')]);
    expect(read).toBe('text');
    expect(lstatSync(at('pipe')).isFIFO()).toBe(true);
  });

  test('writes into a device, behind a link too, and leaves both', async () => {
    await symlink('/dev/null', at('null'));
    await writeOutput(at('null'), 'text');
    await writeOutput('/dev/null', 'text');
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
    expect(lstatSync(at('null')).isSymbolicLink()).toBe(true);
  });

  test('writes on into a file that is open already', async () => {
    const fd = openSync(at('open'), 'a');
    await writeOutput(`/dev/fd/${fd}`, 'one');
    await writeOutput(`/dev/fd/${fd}`, 'two');
    closeSync(fd);
    expect(readFileSync(at('open'), 'utf8')).toBe('onetwo');
  });

  test('makes no folder and writes none', async () => {
    mkdirSync(at('folder'));
    await expect(writeOutput(at('folder'), 'x')).rejects.toThrow('it is a folder');
    await expect(writeOutput(at('no/such/file'), 'x')).rejects.toThrow(`there is no folder ${at('no/such')}`);
    expect(existsSync(at('no'))).toBe(false);
  });
});

test.each([
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
  ['/dev/fd/63', 63],
  ['/proc/self/fd/4', 4],
  ['/dev/null', null],
  ['/project/dev/fd/1', null],
])('%s is open file %s', (path, number) => {
  expect(descriptorAt(path)).toBe(number);
});
