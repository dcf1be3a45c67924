import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import { needs } from '../../../../test/support/debian.ts';
import { runCommand } from '../../../platform/index.ts';
import { findFile } from '../view/programs.ts';
import { type Ground, openGround } from './sandbox.fixture.ts';
import { seccompFilter } from './seccomp.ts';
import { ABSENT, FORBIDDEN } from './system-calls.ts';

const missing =
  (await needs('bwrap')) ?? (seccompFilter(process.arch) === null ? `no filter for ${process.arch}` : null);
const column = process.arch === 'x64' ? 0 : 2;
const [EPERM, ENOSYS] = [1, 38];

/** Makes each call of its arguments with nothing but zeros, and says how it ended. */
const CALL_ALL = `for (@ARGV) { $! = 0; my $r = syscall($_ + 0, 0, 0, 0, 0, 0, 0); print "$_ ", ($r == -1 ? $! + 0 : 'made'), "\\n" }`;

/** The session's keyring by the gate of 32-bit programs, which is open to all. */
const OLD_GATE = `
#include <stdio.h>
int main(void) {
  long answer;
  __asm__ volatile("int $0x80" : "=a"(answer) : "a"(288), "b"(0), "c"(-3), "d"(0) : "memory", "r8", "r9", "r10", "r11");
  printf("%ld\\n", answer);
}`;

describe.skipIf(missing)('inside bwrap', () => {
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
  });
  afterAll(() => ground?.dispose());

  const program = async (name: string, context: TestContext) => {
    const found = await findFile(name, '/', process.env['PATH']);
    if (found === null) context.skip(`there is no ${name}`);
  };

  test('the calls of the tables are refused: keys of the person, io_uring, mounts', async (context) => {
    await program('perl', context);
    const expected = [
      ...Object.values(FORBIDDEN).map((numbers) => [numbers[column], EPERM]),
      ...Object.values(ABSENT).map((numbers) => [numbers[column], ENOSYS]),
    ].filter(([number]) => number !== null);
    const numbers = expected.map(([number]) => number).join(' ');
    const { output } = await ground.sh(`perl -e '${CALL_ALL}' ${numbers}`);
    expect(output.trim().split('\n')).toEqual(expected.map(([number, answer]) => `${number} ${answer}`));
  });

  test('they are refused by the gate of 32-bit programs too', async (context) => {
    if (process.arch !== 'x64') context.skip('that gate is one of x86');
    await program('gcc', context);
    const [source, built] = [join(ground.base, 'gate.c'), join(ground.project, 'gate')];
    await writeFile(source, OLD_GATE);
    const { exitCode } = await runCommand('gcc', ['-o', built, source], { cwd: ground.base });
    expect(exitCode).toBe(0);
    // Kernels that lack the gate answer ENOSYS, or end the program.
    expect((await ground.sh('./gate')).output).toMatch(/^(-1|-38|Segmentation fault)\n$/);
  });

  test('nothing is typed into a terminal', async (context) => {
    await program('perl', context);
    const type = `perl -e 'my $c = "x"; ioctl(STDIN, 0x5412, $c); print $! + 0'`;
    expect((await ground.sh(type)).output).toBe(String(EPERM));
  });

  test('a debugger may follow its own child, and programs do without io_uring', async (context) => {
    await program('perl', context);
    const ptrace = process.arch === 'x64' ? 101 : 117;
    expect((await ground.sh(`perl -e '${CALL_ALL}' ${ptrace}`)).output).toBe(`${ptrace} made\n`);
    const read = `node -e 'require("fs").promises.readFile("/etc/passwd").then((b) => console.log(b.length > 0))'`;
    expect((await ground.sh(read, { env: { UV_USE_IO_URING: '1' } })).output).toBe('true\n');
  });

  test('no debugger holds what the end of the sandbox hangs on', async (context) => {
    await program('perl', context);
    const number = process.arch === 'x64' ? 101 : 117;
    // Would the calls work, nothing ended any more.
    const attach = `perl -e 'for my $pid (1, 2) { for (16, 0x4206) { syscall(${number}, $_, $pid, 0, 0); print $! + 0, " " } }'`;
    const { output } = await ground.sh(`${attach}; tr '\\0' ' ' </proc/2/cmdline`);
    expect(output).toMatch(/^1 1 1 1 .*(inside\.cjs|bridge\.pl)/);
  });

  test('no file is made set-user-id, by any call, and no device; usual modes are given as ever', async (context) => {
    await program('perl', context);
    const call = (number: number, ...args: readonly (number | string)[]) =>
      `$! = 0; syscall(${number}, ${args.map((arg) => (typeof arg === 'string' ? `"$ENV{PWD}/${arg}"` : arg)).join(', ')}); print $! + 0, " ";`;
    const x64 = process.arch === 'x64';
    const tries = [
      ...(x64 ? [call(90, 'f', 0o4755), call(85, 'c', 0o4755), call(133, 'n', 0o20644, 259)] : []),
      call(x64 ? 268 : 53, -100, 'f', 0o6755),
      call(452, -100, 'f', 0o4755, 0),
      call(x64 ? 257 : 56, -100, 'o', 0o101, 0o4755),
    ];
    const { output } = await ground.sh(`touch f; perl -e '${tries.join('')}'`);
    expect(output.trim().split(' ')).toEqual(tries.map(() => String(EPERM)));
    const found = await runCommand('find', [ground.project, '-perm', '/6000'], { cwd: '/' });
    expect(found.stdout.toString()).toBe('');
    expect((await ground.sh('chmod 755 f; mkdir -m 1777 t; mkfifo p; cp f g; stat -c %a f t')).output).toBe(
      '755\n1777\n',
    );
  });

  test('the filter is not left open, and cannot be changed from inside', async () => {
    const { args } = await ground.isolation.wrap({ file: 'true', args: [], cwd: ground.project, env: {}, mounts: [] });
    const file = args.find((arg) => arg.endsWith('.bpf'));
    const { output } = await ground.sh(
      `[ -e /proc/self/fd/9 ] && echo OPEN; echo x >'${file}' && echo CHANGED; rm '${file}'`,
    );
    expect(output).toContain('Read-only');
    expect(output).not.toMatch(/OPEN|CHANGED/);
    expect((await ground.sh('grep ^Seccomp: /proc/self/status')).output).toMatch(/2$/m);
  });
});
