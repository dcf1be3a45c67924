import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const RALPH = `'${process.execPath}' --import tsx '${fileURLToPath(new URL('./main.ts', import.meta.url))}'`;

function shell(script: string) {
  const { stdout, stderr } = spawnSync('sh', ['-c', script], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });
  return { stdout, stderr };
}

test('--version prints the version of the package alone', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(shell(`'${process.execPath}' bin/ralph.js --version`)).toEqual({ stdout: `${version}\n`, stderr: '' });
});

test('a reader that goes away is no error', () => {
  // The reader is gone before the first byte is written.
  expect(shell(`{ sleep 0.2; ${RALPH} --help; echo "exit $?" >&2; } | true`)).toEqual({
    stdout: '',
    stderr: 'exit 0\n',
  });
});

test('a mistake ends the process with 2', () => {
  expect(shell(`${RALPH} rnu; echo "exit $?"`)).toEqual({
    stdout: 'exit 2\n',
    stderr: "Error: unknown command 'rnu'. Did you mean run? (see: ralph --help)\n",
  });
});
