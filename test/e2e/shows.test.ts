import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROWS } from '../../src/commands/selftest/rows/all.ts';
import { RALPH } from '../support/project.ts';

/** What ralph shows of itself to somebody who has no project yet. */

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'ralph-e2e-shows-'));
});
afterAll(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));

async function ralph(...args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], HOME: home, TMPDIR: home, GIT_CONFIG_NOSYSTEM: '1' };
  return (await promisify(execFile)(process.execPath, [RALPH, ...args], { cwd: home, env })).stdout;
}

test('ralph demo is a whole run that ends complete', { tags: ['promise'] }, async () => {
  expect(await ralph('demo')).toContain('COMPLETE');
});

test('of each kind of misbehaving agent in ralph selftest one is held', { tags: ['promise'] }, async () => {
  const kinds = new Map(ROWS.map(({ name, category }) => [category, name]));
  const { held, rows } = JSON.parse(await ralph('selftest', '--json', '--only', [...kinds.values()].join()));
  expect(rows).toHaveLength(kinds.size);
  expect(held).toBe(kinds.size);
});
