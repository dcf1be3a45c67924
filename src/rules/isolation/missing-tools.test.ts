import { expect, test } from 'vitest';
import type { CheckResult } from '../../contracts/index.ts';
import { missingTools, toolchainNotice } from './missing-tools.ts';

const red = (tail: string, exitCode = 1): CheckResult => ({
  command: 'npm test',
  ok: false,
  exitCode,
  timedOut: false,
  durationMs: 1,
  tail,
});

test.each([
  ['sh: 1: cargo: not found', 'cargo'],
  ['/bin/sh: 1: cargo: not found', 'cargo'],
  ['./build.sh: 3: cargo: not found', 'cargo'],
  ['sh: cargo: not found', 'cargo'],
  ['bash: cargo: command not found', 'cargo'],
  ['bash: line 1: g++: command not found', 'g++'],
  ['tools/x.sh: line 12: python3.12: command not found', 'python3.12'],
  ['zsh:1: command not found: cargo', 'cargo'],
  ['fish: Unknown command: cargo', 'cargo'],
  ["env: 'python3': No such file or directory", 'python3'],
  ['/usr/bin/env: ‘node’: No such file or directory', 'node'],
  ['env: node: No such file or directory', 'node'],
  ['make: go: No such file or directory\nmake: *** [Makefile:2: all] Error 127', 'go'],
  ['make[1]: go: No such file or directory', 'go'],
  ["timeout: failed to run command 'cargo': No such file or directory", 'cargo'],
  ['bash: ./run.py: /opt/python/bin/python3: bad interpreter: No such file or directory', '/opt/python/bin/python3'],
  ['sh: 1: /opt/tool/bin/x: not found', '/opt/tool/bin/x'],
  ['sh: 1: cargo: Permission denied', 'cargo'],
  ['Error: spawn python3 ENOENT\n    at ChildProcess._handle.onexit', 'python3'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'gcc'", 'gcc'],
  ['# runtime/cgo\ncgo: C compiler "gcc" not found: exec: "gcc": executable file not found in $PATH', 'gcc'],
  ['error: linker `cc` not found', 'cc'],
  ["ERROR: JAVA_HOME is not set and no 'java' command could be found in your PATH.", 'java'],
  ["git: 'lfs' is not a git command. See 'git --help'.", 'git-lfs'],
])('%s', (tail, name) => {
  expect(missingTools([red(tail)])).toEqual([name]);
});

test('a shell of another language names it in the same place, which counts when the exit code says "not found"', () => {
  const line = 'bash: Zeile 1: cargo: Kommando nicht gefunden.';
  expect(missingTools([red(line, 127)])).toEqual(['cargo']);
  expect(missingTools([red(line, 1)])).toEqual([]);
});

test('each is named once, and only by red checks', () => {
  const line = 'sh: 1: cargo: not found';
  expect(missingTools([red(line), red(`${line}\n${line}`), { ...red('sh: 1: go: not found'), ok: true }])).toEqual([
    'cargo',
  ]);
});

test.each([
  ['FAIL src/a.test.ts > user not found\nAssertionError: expected 1 to be 2'],
  ['sh: 1: ./gradlew: not found'],
  ['Error: ENOENT: no such file or directory, open /project/a.json'],
  ['error: package `x` not found in the registry'],
  ['404: page not found here'],
])('no program is missing in: %s', (tail) => {
  expect(missingTools([red(tail)])).toEqual([]);
});

const notice = (path: string, target = path) =>
  toolchainNotice([{ name: 'npm', path, target }], { isolation: 'bwrap', home: '/home/una' });

test('the notice names the program, where it is, and what to add', () => {
  expect(notice('/home/una/x/bin/npm')).toEqual({
    text: 'npm (~/x/bin/npm) is on this machine but not inside bwrap: checks that need it fail',
    fix: '"isolation": { "read": ["~/x"] } in ralph.config.json',
  });
  expect(toolchainNotice([], { isolation: 'bwrap', home: '/home/una' })).toBeNull();
});

test.each([
  ['a prefix', '/srv/tools/bin/npm', '/srv/tools/bin/npm', '"/srv/tools"'],
  ['a folder of programs', '/home/una/tools/npm', '/home/una/tools/npm', '"~/tools"'],
  [
    'the link and what it points to',
    '/home/una/.local/bin/npm',
    '/data/npm/1/bin/npm',
    '"~/.local/bin", "/data/npm/1"',
  ],
  ['never the whole home folder', '/home/una/bin/npm', '/home/una/npm', '"~/bin", "~/npm"'],
  ['never the whole system', '/usr/local/bin/npm', '/opt/npm', '"/usr/local/bin", "/opt/npm"'],
])('what to add: %s', (_, path, target, added) => {
  expect(notice(path, target)?.fix).toContain(`[${added}]`);
});
