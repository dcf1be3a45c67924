import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../root.ts';
import { agentLine } from './clients.ts';

test('an agent has one line, with what was skipped only when something was', () => {
  expect(agentLine('codex', [{ status: 'passed' }, { status: 'failed' }])).toBe('codex: 1 passed, 1 failed');
  expect(agentLine('opencode', [{ status: 'skipped' }, { status: 'pending' }])).toBe(
    'opencode: 0 passed, 0 failed, 2 skipped',
  );
});

test('the lock file of the clients names no registry, and has a hash for every package', async () => {
  const text = await readFile(join(root, 'test/agents/clients/package-lock.json'), 'utf8');
  const packages: Readonly<Record<string, { resolved?: string; integrity?: string }>> = JSON.parse(text).packages;
  const entries = Object.entries(packages).filter(([path]) => path !== '');
  expect(entries.filter(([, entry]) => entry.resolved !== undefined)).toEqual([]);
  expect(entries.filter(([, entry]) => entry.integrity === undefined)).toEqual([]);
});
