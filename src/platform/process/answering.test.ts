import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runInShell } from './answering.ts';

const env = { PATH: process.env['PATH'] ?? '' };
const run = (script: string, args: readonly string[] = [], own: Readonly<Record<string, string>> = {}) =>
  runInShell(script, args, { cwd: tmpdir(), env: { ...env, ...own } });
const PID = 'echo $$';

test('a script has its arguments as they are, its output and its exit code', async () => {
  const args = ["it's", 'two\nlines', '$(echo no) `echo no` "', '', 'é'];
  const { exitCode, stdout, stderr } = await run('for a; do printf "%s|" "$a"; done; echo bad >&2; exit 65', args);
  expect({ exitCode, stdout: stdout.toString(), stderr }).toEqual({
    exitCode: 65,
    stdout: `${args.join('|')}|`,
    stderr: 'bad\n',
  });
});

test('nothing of a script is left for the next one: neither variables nor folder nor options', async () => {
  const first = await run(`${PID}; set -eu; cd /; X=1; export X`, [], { OWN: 'mine' });
  const next = await run(`echo $$ >&2; printf '%s' "$PWD \${X-none} \${OWN-none} $-"`);
  expect(next.stderr).toBe(first.stdout.toString());
  expect(next.stdout.toString()).toMatch(/ none none (?!.*[eu])/);
  expect(next.stdout.toString()).not.toMatch(/^\/ /);
});

test('scripts at the same time do not wait for one another', async () => {
  let isOver = false;
  const slow = run('sleep 2').then(() => {
    isOver = true;
  });
  expect((await run('echo beside')).stdout.toString()).toBe('beside\n');
  expect(isOver).toBe(false);
  await slow;
});

test('a shell that was killed between two scripts is replaced, and one killed at work says so', async () => {
  const pid = Number((await run(PID)).stdout);
  process.kill(pid, 'SIGKILL');
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(Number((await run(PID)).stdout)).not.toBe(pid);
  expect((await run('kill -9 $$; sleep 1')).exitCode).toBeNull();
  expect((await run('exit 3')).exitCode).toBe(3);
});

test('output of any size ends where the script ends', async () => {
  const { stdout } = await run('head -c 3000000 /dev/zero; printf end');
  expect(stdout.length).toBe(3_000_003);
});
