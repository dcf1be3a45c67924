import { expect, test } from 'vitest';
import { tempTree } from '../temp-tree.fixture.ts';
import { scriptLookup } from './hook-files.ts';

const MAKEFILE = `# a comment
CC := gcc
.PHONY: test check
check: lint test ; @echo done
lint:
\t@eslint . \\
\t  --max-warnings 0
test unit:
\t-go test ./...
\techo $$HOME

loop: loop
`;

test('a script of package.json is found in its folder', async () => {
  const root = await tempTree({
    'package.json': '{"scripts":{"test":"vitest run"}}',
    'app/package.json': '{"scripts":{"test":"jest"}}',
  });
  const { packageScript } = scriptLookup(root);
  expect(packageScript('.', 'test')).toBe('vitest run');
  expect(packageScript('app', 'test')).toBe('jest');
  expect(packageScript('.', 'lint')).toBeNull();
  expect(packageScript('.', 'constructor')).toBeNull();
  expect(packageScript('nowhere', 'test')).toBeNull();
});

test('where the shell has moved, the other start is tried', async () => {
  const root = await tempTree({ 'app/package.json': '{"scripts":{"test":"jest"}}' });
  expect(scriptLookup(`${root}/app`, root).packageScript('app', 'test')).toBe('jest');
});

test('a target is its own commands after those of what it depends on, as the shell sees them', async () => {
  const { makeTarget } = scriptLookup(await tempTree({ Makefile: MAKEFILE }));
  expect(makeTarget('.', 'test')).toBe('go test ./...\necho $HOME');
  expect(makeTarget('.', 'check')).toBe('eslint . --max-warnings 0\ngo test ./...\necho $HOME\necho done');
  expect(makeTarget('.', 'loop')).toBeNull();
  expect(makeTarget('.', 'CC')).toBeNull();
});

test('broken files have no scripts', async () => {
  const lookup = scriptLookup(await tempTree({ 'package.json': '{', 'x/package.json': '{"scripts":7}' }));
  expect(lookup.packageScript('.', 'test')).toBeNull();
  expect(lookup.packageScript('x', 'test')).toBeNull();
  expect(lookup.packageScript('a\0b', 'test')).toBeNull();
});
