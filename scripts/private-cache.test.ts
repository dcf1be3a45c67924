import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from './root.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'ralph-cache-'));
});
afterEach(() => rmSync(base, { recursive: true }));

/** What `privateCache` says in a process with this environment. */
function cacheWith(env: Readonly<Record<string, string>>): string {
  const code = "import { privateCache } from './bin/private-cache.js'; console.log(privateCache(process.env));";
  const options = { cwd: root, env, encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], options);
  expect(stderr).toBe('');
  return stdout.trim();
}

test('compiled code lies in a private folder below the own cache folder', () => {
  const folder = `${base}/ralph/compiled`;
  expect(cacheWith({ XDG_CACHE_HOME: base })).toBe(folder);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(cacheWith({ HOME: base })).toBe(`${base}/.cache/ralph/compiled`);
});

test('a folder that others can write to, or a link, is no place for it', () => {
  mkdirSync(`${base}/ralph/compiled`, { recursive: true });
  chmodSync(`${base}/ralph/compiled`, 0o777);
  expect(cacheWith({ XDG_CACHE_HOME: base })).toBe('null');
  rmSync(`${base}/ralph/compiled`, { recursive: true });
  symlinkSync(base, `${base}/ralph/compiled`);
  expect(cacheWith({ XDG_CACHE_HOME: base })).toBe('null');
});

test('without a home there is no cache, and no error', () => {
  expect(cacheWith({ HOME: '' })).toBe('null');
});
