import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from './root.ts';

/** Stands in for npm: notes each call, takes a while, and leaves the record of a finished install as npm does. */
const FAKE_NPM = `#!/bin/sh
echo "$*" >> npm-calls
if [ -e npm-fails ]; then echo 'no network' >&2; exit 1; fi
sleep 0.5
cp package-lock.json node_modules/.package-lock.json
`;

const lockOf = (version: string): string =>
  JSON.stringify({
    packages: { '': {}, 'node_modules/a': { version }, 'node_modules/b': { version, optional: true } },
  });

let clone = '';
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), 'ralph-bootstrap-'));
  await mkdir(join(clone, 'scripts'));
  await mkdir(join(clone, 'node_modules'));
  await mkdir(join(clone, 'bin'));
  await cp(join(root, 'scripts/bootstrap.mjs'), join(clone, 'scripts/bootstrap.mjs'));
  await symlink(join(root, 'node_modules/tsx'), join(clone, 'node_modules/tsx'));
  await writeFile(join(clone, 'bin/npm'), FAKE_NPM);
  await chmod(join(clone, 'bin/npm'), 0o755);
  await writeFile(join(clone, 'package.json'), '{ "type": "module" }');
  await writeFile(join(clone, 'package-lock.json'), lockOf('1.0.0'));
  await writeFile(
    join(clone, 'scripts/hello.ts'),
    'const words: string[] = process.argv.slice(2);\nconsole.log(words.join());\nprocess.exitCode = 3;\n',
  );
});
afterEach(() => rm(clone, { recursive: true, force: true }));

interface End {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function bootstrap(args: readonly string[], nodeArgs: readonly string[] = []): Promise<End> {
  const env = { ...process.env, PATH: `${join(clone, 'bin')}${delimiter}${process.env['PATH']}` };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...nodeArgs, join(clone, 'scripts/bootstrap.mjs'), ...args],
      { env },
      (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

const npmCalls = async (): Promise<number> =>
  (await readFile(join(clone, 'npm-calls'), 'utf8').catch(() => '')).split('\n').length - 1;

test('a fresh clone is installed with one line said, then the script runs with its arguments and its exit code', async () => {
  const { code, stdout, stderr } = await bootstrap(['scripts/hello.ts', 'a', 'b c']);
  expect({ code, stdout }).toEqual({ code: 3, stdout: 'a,b c\n' });
  expect(stderr).toMatch(/^Installing dependencies[^\n]*\n$/);
});

test('what is installed already is not installed again, until the lock file changes', async () => {
  await bootstrap([]);
  expect(await bootstrap([])).toEqual({ code: 0, stdout: '', stderr: '' });
  expect(await npmCalls()).toBe(1);
  await writeFile(join(clone, 'package-lock.json'), lockOf('1.0.1'));
  await bootstrap([]);
  expect(await npmCalls()).toBe(2);
});

test('of several started at once exactly one installs, and all run', async () => {
  const ends = await Promise.all([1, 2, 3, 4].map(() => bootstrap(['scripts/hello.ts', 'x'])));
  expect(ends.map((end) => end.stdout)).toEqual(['x\n', 'x\n', 'x\n', 'x\n']);
  expect(await npmCalls()).toBe(1);
});

test('an install that fails is said and runs nothing', async () => {
  await writeFile(join(clone, 'npm-fails'), '');
  const { code, stdout, stderr } = await bootstrap(['scripts/hello.ts']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('no network');
  expect(stderr).toContain('bootstrap: npm ci failed (exit 1)');
});

test('a Node that is too old is named before anything is installed', async () => {
  const pretend = "data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '20.18.3' })";
  const { code, stderr } = await bootstrap([], ['--import', pretend]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'bootstrap: Node 20.19 or newer is needed, this is 20.18.3\n' });
  expect(await npmCalls()).toBe(0);
});
