import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempDir } from '../built.fixture.ts';
import { readBelow, removeTree, writeBelow } from './folder.ts';

let dir: string;
beforeEach(async () => {
  dir = await tempDir();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('removing a folder', () => {
  test('takes links away and leaves what they lead to', async () => {
    mkdirSync(join(dir, 'precious'));
    writeFileSync(join(dir, 'precious', 'a'), 'a');
    mkdirSync(join(dir, 'top', 'b'), { recursive: true });
    symlinkSync(join(dir, 'precious'), join(dir, 'top', 'b', 'link'));
    symlinkSync('..', join(dir, 'top', 'up'));
    expect(await removeTree(join(dir, 'top'))).toBe(true);
    expect(await removeTree(join(dir, 'top'))).toBe(true);
    expect(await removeTree(join(dir, 'top', 'below'))).toBe(true);
    expect(readFileSync(join(dir, 'precious', 'a'), 'utf8')).toBe('a');
    symlinkSync('precious', join(dir, 'link'));
    expect(await removeTree(join(dir, 'link'))).toBe(true);
    expect(existsSync(join(dir, 'precious', 'a'))).toBe(true);
  });

  test('that is deeper than any path can name, without permissions, or full of anything', async () => {
    const deep = `
      const fs = require('node:fs');
      fs.mkdirSync('top');
      process.chdir('top');
      for (let i = 0; i < 60; i += 1) {
        fs.mkdirSync('n'.repeat(200));
        fs.writeFileSync('file', '');
        process.chdir('n'.repeat(200));
      }`;
    execFileSync(process.execPath, ['-e', deep], { cwd: dir });
    mkdirSync(join(dir, 'top', 'locked', 'in'), { recursive: true });
    for (const name of ['locked/in/file', '-rf', '\n']) writeFileSync(join(dir, 'top', name), '');
    execFileSync('mkfifo', [join(dir, 'top', 'fifo')]);
    execFileSync('sh', ['-ec', 'd="$(printf "\\377")"; mkdir "$d"; touch "$d/$d" "$d$d"'], { cwd: join(dir, 'top') });
    chmodSync(join(dir, 'top', 'locked', 'in'), 0o500);
    chmodSync(join(dir, 'top', 'locked'), 0);
    expect(await removeTree(join(dir, 'top'))).toBe(true);
    expect(existsSync(join(dir, 'top'))).toBe(false);
  });

  test('ends at its deadline, and goes on the next time', async () => {
    mkdirSync(join(dir, 'top'));
    for (let i = 0; i < 200; i += 1) writeFileSync(join(dir, 'top', String(i)), '');
    expect(await removeTree(join(dir, 'top'), Date.now() - 1)).toBe(false);
    expect(await removeTree(join(dir, 'top'), Date.now() + 60_000)).toBe(true);
  });

  test('touches nothing outside when a folder in it is swapped for a link meanwhile', async () => {
    const names = Array.from({ length: 3000 }, (_, i) => String(i));
    for (const folder of ['precious', 'top/a/b']) {
      mkdirSync(join(dir, folder), { recursive: true });
      for (const name of names) writeFileSync(join(dir, folder, name), '');
    }
    // As soon as the first file is gone, the rest would be looked for under the same names.
    const swap = `
      const fs = require('node:fs');
      process.stdout.write('.');
      while (fs.readdirSync('top/a/b').length === ${names.length});
      try { fs.renameSync('top/a', 'aside'); } catch {}
      try { fs.mkdirSync('top/a', { recursive: true }); } catch {}
      try { fs.symlinkSync('../../precious', 'top/a/b'); } catch {}`;
    const attacker = spawn(process.execPath, ['-e', swap], { cwd: dir, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(attacker, 'exit');
    await once(attacker.stdout, 'data');
    await removeTree(join(dir, 'top'));
    await ended;
    expect(names.filter((name) => !existsSync(join(dir, 'precious', name)))).toEqual([]);
    expect(await removeTree(join(dir, 'top'))).toBe(true);
  });
});

describe('a file below a folder that another may change', () => {
  test('is read as it is, and neither through a link, nor when it is none or too large', async () => {
    mkdirSync(join(dir, 'home', 'a'), { recursive: true });
    writeFileSync(join(dir, 'home', 'a', 'f'), 'text');
    writeFileSync(join(dir, 'secret'), 'secret');
    symlinkSync(join(dir, 'secret'), join(dir, 'home', 'a', 'link'));
    symlinkSync('a', join(dir, 'home', 'b'));
    execFileSync('mkfifo', [join(dir, 'home', 'fifo')]);
    const text = async (path: string, most = 100) =>
      (await readBelow(join(dir, 'home'), path, most))?.toString() ?? null;
    expect(await text('a/f')).toBe('text');
    expect(await text('a/f', 3)).toBeNull();
    for (const path of ['a/link', 'b/f', 'fifo', 'a', 'none/f', 'none']) expect(await text(path), path).toBeNull();
  });

  test('is written in its place only', async () => {
    mkdirSync(join(dir, 'home', 'a'), { recursive: true });
    mkdirSync(join(dir, 'other'));
    writeFileSync(join(dir, 'other', 'f'), 'other');
    await writeBelow(join(dir, 'home'), 'a/f', 'one');
    await writeBelow(join(dir, 'home'), 'none/f', 'one');
    expect(readFileSync(join(dir, 'home', 'a', 'f'), 'utf8')).toBe('one');
    renameSync(join(dir, 'home', 'a'), join(dir, 'home', 'b'));
    symlinkSync(join(dir, 'other'), join(dir, 'home', 'a'));
    await writeBelow(join(dir, 'home'), 'a/f', 'two');
    expect(readFileSync(join(dir, 'other', 'f'), 'utf8')).toBe('other');
    rmSync(join(dir, 'home', 'b', 'f'));
    symlinkSync(join(dir, 'other', 'f'), join(dir, 'home', 'b', 'f'));
    await writeBelow(join(dir, 'home'), 'b/f', 'three');
    expect(readFileSync(join(dir, 'other', 'f'), 'utf8')).toBe('other');
    expect(readFileSync(join(dir, 'home', 'b', 'f'), 'utf8')).toBe('three');
  });
});
