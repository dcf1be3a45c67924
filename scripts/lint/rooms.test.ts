import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../root.ts';

/**
 * Plants one violation of the architecture at a time beside the lint rules of this repository, and looks whether
 * it would be caught. What an import points to need not exist: the rules judge the path.
 */
const caught: readonly (readonly [what: string, file: string, code: string, rule: string])[] = [
  ['contracts using an adapter', 'contracts/x.ts', "export * from '../adapters/git/port.ts';", 'noRestrictedImports'],
  ['platform using rules', 'platform/x.ts', "export * from '../rules/select.ts';", 'noRestrictedImports'],
  ['rules using platform', 'rules/a/x.ts', "export * from '../../platform/files.ts';", 'noRestrictedImports'],
  ['rules using platform lazily', 'rules/x.ts', "await import('../platform/files.ts');", 'noRestrictedImports'],
  ['rules using Node', 'rules/x.ts', "export * from 'node:fs/promises';", 'noRestrictedImports'],
  ['rules using zod', 'rules/x.ts', "export * from 'zod';", 'noRestrictedImports'],
  ['rules using what of zod is large', 'rules/x.ts', "export * from 'zod/v4/core';", 'noRestrictedImports'],
  ['rules reading the environment', 'rules/x.ts', 'export const home = process.env.HOME;', 'noRestrictedGlobals'],
  ['rules reading the clock', 'rules/x.ts', 'export const now = () => Date.now();', 'plugin'],
  ['rules rolling dice', 'rules/x.ts', 'export const chance = () => Math.random();', 'plugin'],
  ['an adapter using the loop', 'adapters/git/x.ts', "export * from '../../loop/run.ts';", 'noRestrictedImports'],
  ['an adapter using another', 'adapters/git/x.ts', "export * from '../workspace/lock.ts';", 'noRestrictedImports'],
  [
    'a deep file of an adapter using another',
    'adapters/a/b/x.ts',
    "import '../../git/port.ts';",
    'noRestrictedImports',
  ],
  ['an adapter touching files', 'adapters/git/x.ts', "export * from 'node:fs/promises';", 'noRestrictedImports'],
  ['the loop starting a process', 'loop/x.ts', "export * from 'node:child_process';", 'noRestrictedImports'],
  ['the loop running git', 'loop/x.ts', "export const log = () => runCommand('git', ['log']);", 'plugin'],
  ['the loop using a surface', 'loop/x.ts', "export * from '../surfaces/terminal/io.ts';", 'noRestrictedImports'],
  ['the lab using a surface', 'lab/x.ts', "export * from '../surfaces/terminal/io.ts';", 'noRestrictedImports'],
  ['the loop using the lab', 'loop/x.ts', "export * from '../lab/index.ts';", 'noRestrictedImports'],
  ['a way past the door of the lab', 'commands/x.ts', "export * from '../lab/store.ts';", 'plugin'],
  ['a surface using a command', 'surfaces/x.ts', "export * from '../commands/run.ts';", 'noRestrictedImports'],
  [
    'the page using an adapter',
    '../dashboard/x.ts',
    "export * from '../src/adapters/git/port.ts';",
    'noRestrictedImports',
  ],
  ['the page using Node', '../dashboard/x.ts', "export * from 'node:path';", 'noRestrictedImports'],
  ['the types of plugins using the loop', 'plugins/x.ts', "export * from '../loop/run.ts';", 'noRestrictedImports'],
  ['a command touching files', 'commands/x.ts', "export * from 'node:fs';", 'noRestrictedImports'],
  ['a way past the door of a room', 'loop/x.ts', "export * from '../rules/guard/paths.ts';", 'plugin'],
  ['one into the loop', 'commands/a/x.ts', "import type { X } from '../../loop/judge/checks.ts';", 'plugin'],
  ['the page passing a door', '../dashboard/x.ts', "export * from '../src/rules/view/fold.ts';", 'plugin'],
];

const fine: readonly (readonly [what: string, file: string, code: string])[] = [
  ['agents using the types of isolation', 'adapters/agents/x.ts', "export type * from '../isolation/index.ts';"],
  ['the loop using adapters and rules', 'loop/x.ts', "export * from '../adapters/git/index.ts';"],
  ['the git room running git', 'adapters/git/x.ts', "export const log = () => runCommand('git', ['log']);"],
  ['the page using pure rules', '../dashboard/a/x.ts', "export * from '../../src/rules/view/index.ts';"],
  ['platform touching files', 'platform/x.ts', "export * from 'node:fs/promises';"],
  ['rules reading a given date', 'rules/x.ts', 'export const at = (iso: string) => new Date(iso);'],
  ['a test touching files', 'rules/x.test.ts', "export * from 'node:fs/promises';"],
];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ralph-rooms-'));
  for (const path of ['biome.json', 'package.json', '.gitignore', 'scripts/lint']) {
    await cp(join(root, path), join(folder, path), { recursive: true });
  }
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function plant(file: string, code: string): Promise<void> {
  await mkdir(dirname(join(folder, 'src', file)), { recursive: true });
  await writeFile(join(folder, 'src', file), `${code}\n`);
}

/** The names of the broken rules, each once. */
async function lint(): Promise<readonly string[]> {
  const output = await new Promise<string>((resolve) => {
    const args = [join(root, 'node_modules/@biomejs/biome/bin/biome'), 'lint', '--reporter=github', '.'];
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  const rules = [...output.matchAll(/^::error title=(?:lint\/\w+\/)?(\w+),/gm)].map((match) => match[1] ?? '');
  return [...new Set(rules)];
}

test.each(caught)('the lint rules catch %s', async (_what, file, code, rule) => {
  await plant(file, code);
  expect(await lint()).toContain(rule);
});

test.each(fine)('the lint rules let pass %s', async (_what, file, code) => {
  await plant(file, code);
  expect(await lint()).toEqual([]);
});

test('the lint rules catch two files that import each other', async () => {
  await plant('loop/a.ts', "import { b } from './b.ts';\nexport const a = () => b;");
  await plant('loop/b.ts', "import { a } from './a.ts';\nexport const b = () => a;");
  expect(await lint()).toContain('noImportCycles');
});
