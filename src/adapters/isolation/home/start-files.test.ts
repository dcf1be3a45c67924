import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { homePath, prepareHome } from './prepare.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ralph-home-'));
});
afterEach(() => rmSync(base, { recursive: true }));

const env = () => ({ HOME: join(base, 'una'), XDG_STATE_HOME: join(base, 'state') });
const prepare = () => prepareHome({ env: env(), backend: 'bwrap', needs: [] });

test('what an agent planted for those after it is gone, its login and its caches stay', async () => {
  const { path } = await prepare();
  for (const folder of ['.config/git', '.claude', '.npm/_cacache', '.cargo']) {
    mkdirSync(join(path, folder), { recursive: true });
  }
  const planted = ['.bashrc', '.gitconfig', '.config/git/config', '.npmrc', '.cargo/config.toml'];
  const kept = ['.claude/.credentials.json', '.npm/_cacache/x', '.cargo/registry'];
  for (const file of [...planted, ...kept]) writeFileSync(join(path, file), 'x');
  await prepare();
  expect(planted.filter((file) => existsSync(join(path, file)))).toEqual([]);
  expect(kept.filter((file) => existsSync(join(path, file)))).toEqual(kept);
});

test("a planted link never leads the clean-up into the person's own home folder", async () => {
  const { path } = await prepare();
  mkdirSync(join(base, 'una/.config/git'), { recursive: true });
  writeFileSync(join(base, 'una/.config/git/config'), 'mine');
  symlinkSync(join(base, 'una/.config'), join(path, '.config'));
  symlinkSync(join(base, 'una'), join(path, '.cargo'));
  await prepare();
  expect(existsSync(join(base, 'una/.config/git/config'))).toBe(true);
  expect(homePath(env(), 'bwrap')).toBe(path);
});
