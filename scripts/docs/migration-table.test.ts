import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from '../../src/adapters/workspace/config/settings.ts';
import { commands } from '../../src/commands/table.ts';
import { migrationRows, withMigration } from './migration-table.ts';

const page = readFileSync(new URL('../../docs/migration.md', import.meta.url), 'utf8');
const targets = migrationRows().map(([, { to }]) => to);

test('the table of docs/migration.md is current (else: npx tsx scripts/docs-migration.ts)', () => {
  expect(withMigration(page)).toBe(page);
});

test('a page without a place for the table is refused', () => {
  expect(() => withMigration('# Migration')).toThrow('the page has no place for the table');
});

test('every command that stands for an older one exists', () => {
  const known = commands.flatMap(({ name, alias }) => (alias ? [name, alias] : [name]));
  const named = targets.flatMap((to) => [...to.matchAll(/ralph ([a-z]+(?: [a-z]+)?)/g)].map((match) => match[1] ?? ''));
  const unknown = named.filter((name) => !known.some((one) => one === name || one === name.split(' ')[0]));
  expect(unknown).toEqual([]);
});

test('every flag that stands for an older one is a flag of `ralph run`', () => {
  const run = commands.find(({ name }) => name === 'run');
  const flags = (run?.flags ?? []).flatMap((flag) => flag.flags.match(/--[a-z-]+/g) ?? []);
  const named = targets.filter((to) => to.startsWith('--')).flatMap((to) => to.match(/--[a-z-]+/g) ?? []);
  expect(named.filter((flag) => !flags.includes(flag))).toEqual([]);
});

test('every setting that stands for an older one exists', () => {
  const keys = settings().map(({ key }) => key);
  const named = migrationRows().flatMap(([kind, { to }]) => (kind === 'setting' && to !== '' ? [to] : []));
  // `programs.claude` is one entry of `programs`.
  const isThere = (key: string) => keys.some((one) => key === one || key.startsWith(`${one}.`));
  expect(named.filter((key) => !isThere(key))).toEqual([]);
});
