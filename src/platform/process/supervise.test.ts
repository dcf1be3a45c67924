import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  buildProgram,
  exitOf,
  firstLine,
  isAlive,
  type Program,
  pidsIn,
  readOrEmpty,
  tempDir,
  until,
} from '../built.fixture.ts';
import { type Supervised, supervise } from './run.ts';

let program: Program;
let dir: string;
let pidFile: string;
let output: string;
let supervised: Supervised[];

beforeAll(async () => {
  program = await buildProgram(new URL('supervise.fixture.ts', import.meta.url));
});
afterAll(() => program.dispose());
beforeEach(async () => {
  dir = await tempDir();
  pidFile = join(dir, 'pids');
  output = '';
  supervised = [];
});
afterEach(async () => {
  await Promise.all(supervised.map((s) => s.stop(0)));
  rmSync(dir, { recursive: true });
});

let serial = 0;
async function start(script: string, stdin = ''): Promise<Supervised> {
  serial += 1;
  const take = (chunk: Buffer) => {
    output += chunk;
  };
  const started = await supervise({
    file: 'sh',
    args: ['-c', script],
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '', PIDS: pidFile },
    stdin,
    marker: `test-${process.pid}-${serial}`,
    onStdout: take,
    onStderr: take,
  });
  supervised.push(started);
  return started;
}

const DEAF = `trap "" TERM; echo $$ >>"$PIDS"; while :; do sleep 1; done`;

test.each([
  ['exit 0', 0, null],
  ['exit 143', 143, null],
  ['kill -TERM $$', null, 'SIGTERM'],
  ['kill -KILL $$', null, 'SIGKILL'],
])('%s is passed on as it is', async (script, exitCode, signal) => {
  expect(await (await start(script)).exited).toEqual({ exitCode, signal });
});

test('input, folder, environment and both outputs are its own', async () => {
  const { exited } = await start(
    'cat; pwd; echo "$RALPH_RUN_ID" >&2; echo "$(env | cut -d= -f1 | sort | tr "\\n" " ")|"',
    'the prompt\n',
  );
  await exited;
  expect(output).toContain(`the prompt\n${dir}\n`);
  expect(output).toContain(`test-${process.pid}-${serial}\n`);
  expect(output).toMatch(/PATH PIDS PWD RALPH_RUN_ID RALPH_WARDEN( SHLVL)?( _)? \|$/m);
});

test('a program that does not read its input ends well', async () => {
  expect(await (await start('exec <&-; sleep 0.1', 'x'.repeat(1_000_000))).exited).toEqual({
    exitCode: 0,
    signal: null,
  });
});

test('a program that cannot be started is named', async () => {
  const input = { args: [], cwd: dir, env: {}, stdin: '', marker: 'never', onStdout: () => {}, onStderr: () => {} };
  await expect(supervise({ ...input, file: './none' })).rejects.toMatchObject({
    name: 'SpawnFailed',
    code: 'ENOENT',
    file: './none',
  });
  await expect(supervise({ ...input, file: 'sh', cwd: join(dir, 'gone') })).rejects.toThrow(
    /the folder .*gone does not exist/,
  );
});

test('all output is handed over, also after this process was busy at the end', async () => {
  const { exited } = await start('head -c 150000 /dev/zero | tr "\\0" x; sleep 0.05; echo end');
  await until('the output begins', () => output.length > 0);
  const busyUntil = performance.now() + 600;
  while (performance.now() < busyUntil);
  await exited;
  expect(output.length).toBe(150_004);
  expect(output.endsWith('xend\n')).toBe(true);
});

test('a background process that keeps the pipes open does not delay the end, and is ended by stop', async () => {
  const agent = await start(`setsid sh -c '${DEAF}' & sleep 0.1; echo said`);
  const pids = await pidsIn(pidFile, 1);
  await agent.exited;
  expect(output).toBe('said\n');
  expect(pids.filter(isAlive)).toEqual(pids);
  await agent.stop(100);
  expect(pids.filter(isAlive)).toEqual([]);
});

test.runIf(process.platform === 'linux')('what was left in its session without a marker is ended too', async () => {
  const agent = await start(`env -i PIDS="$PIDS" PATH="$PATH" sh -c '${DEAF}' >/dev/null 2>&1 & sleep 0.2`);
  const pids = await pidsIn(pidFile, 1);
  await agent.exited;
  await agent.stop(100);
  expect(pids.filter(isAlive)).toEqual([]);
});

/** Leaves a child that has nothing of its origin left: environment, session and parent are gone. */
const STRAY = `(env -i PIDS="$PIDS" PATH="$PATH" setsid sh -c '${DEAF}' >/dev/null 2>&1 &)`;

test.runIf(process.platform === 'linux')('who dropped environment, session and parent is ended too', async () => {
  const agent = await start(`${STRAY}; echo up; exec sleep 60`);
  const pids = await pidsIn(pidFile, 1);
  await agent.stop(100);
  expect(pids.filter(isAlive)).toEqual([]);
});

test.runIf(process.platform === 'linux')('such a one that an ended agent left is ended, and no other is', async () => {
  const [agent, other] = [await start(STRAY), await start(`PIDS="$PIDS.other"; ${STRAY}; exec sleep 60`)];
  const pids = await pidsIn(pidFile, 1);
  const others = await pidsIn(`${pidFile}.other`, 1);
  await agent.exited;
  await agent.stop(100);
  expect([...pids, ...others].filter(isAlive)).toEqual(others);
  await other.stop(0);
  expect(others.filter(isAlive)).toEqual([]);
});

test('stop ends the whole tree and tells how it ended', async () => {
  const agent = await start(`sh -c '${DEAF}' & setsid sh -c '${DEAF}' & echo $$ >>"$PIDS"; wait`);
  const pids = await pidsIn(pidFile, 3);
  await agent.stop(100);
  expect(pids.filter(isAlive)).toEqual([]);
  // SIGKILL where a busy machine did not let the shell die of SIGTERM in time.
  expect(await agent.exited).toEqual({ exitCode: null, signal: expect.stringMatching(/^SIG(TERM|KILL)$/) });
});

test('a second stop hurries the first', async () => {
  const agent = await start(DEAF);
  await pidsIn(pidFile, 1);
  await Promise.all([agent.stop(600_000), agent.stop(0)]);
  expect(await agent.exited).toEqual({ exitCode: null, signal: 'SIGKILL' });
});

test('an orderly end harms nobody else, and one warden serves all', async () => {
  const [one, other] = [await start('sleep 60'), await start('sleep 60')];
  await one.stop(1000);
  await one.stop(1000);
  expect(isAlive(one.pid)).toBe(false);
  expect(isAlive(other.pid)).toBe(true);
  await other.stop(1000);
  expect(wardensOf(process.pid)).toHaveLength(1);
});

test('a killed warden does not disturb, and the next agent has another', async () => {
  const agent = await start('read line; echo "$line"; sleep 0.3', 'go\n');
  const killed = wardensOf(process.pid);
  for (const pid of killed) process.kill(pid, 'SIGKILL');
  expect(await agent.exited).toEqual({ exitCode: 0, signal: null });
  await agent.stop(100);
  const next = await start('sleep 60');
  expect(wardensOf(process.pid)).toEqual([expect.not.toSatisfy((pid: number) => killed.includes(pid))]);
  await next.stop(100);
});

test('a warden without a duty ends with its loop, at once', async () => {
  const loop = program.start(['sleep 60'], { ENDS: 'yes' });
  await exitOf(loop);
  await until('the warden is gone', () => wardensOf(loop.pid).length === 0);
});

test.runIf(process.platform === 'linux')('kill -9 of the loop soon ends every agent, whatever it started', async () => {
  const script = (name: string) => `PIDS='${pidFile}.${name}'; export PIDS; trap "" TERM
    sh -c '${DEAF}' & setsid sh -c '${DEAF}' & (setsid sh -c '${DEAF}' &); ${STRAY}; env -i PIDS="$PIDS" PATH="$PATH" sh -c '${DEAF}' &
    echo $$ >>"$PIDS"; echo up; while :; do sleep 1; done`;
  const loop = program.start([script('a'), script('b')]);
  const exited = exitOf(loop);
  const pids = [...(await pidsIn(`${pidFile}.a`, 6)), ...(await pidsIn(`${pidFile}.b`, 6))];
  expect(wardensOf(loop.pid)).toHaveLength(1);
  expect(pids.filter(isAlive)).toHaveLength(12);
  loop.kill('SIGKILL');
  await exited;
  try {
    await until('all of them are gone', () => pids.every((pid) => !isAlive(pid)));
    await until('the wardens are gone', () => wardensOf(loop.pid).length === 0);
  } finally {
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
  }
});

test.runIf(process.platform === 'linux')(
  'the warden of a loop that was killed leaves the agents of the next start alone, whatever marker they share',
  async () => {
    const deaf = 'exec 2>/dev/null; trap "" TERM; echo up; while :; do sleep 0.05; done';
    const loop = program.start([deaf]);
    const exited = exitOf(loop);
    expect(await firstLine(loop)).toBe('up');
    const marker = `fixture-${loop.pid}-0`;
    loop.kill('SIGKILL');
    await exited;
    const agent = await supervise({
      file: 'sh',
      args: ['-c', 'sleep 3; exit 7'],
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '' },
      stdin: '',
      marker,
      onStdout: () => {},
      onStderr: () => {},
    });
    try {
      expect(await agent.exited).toEqual({ exitCode: 7, signal: null });
    } finally {
      await agent.stop(0);
    }
  },
);

test.runIf(process.platform === 'linux')(
  'who complies with SIGTERM may clean up after the kill -9 of the loop',
  async () => {
    // Silent on stderr: a shell that reports the end of its `sleep` would meet the dead loop's pipe, and SIGPIPE.
    const loop = program.start([
      `exec 2>/dev/null; trap 'echo tidy >"${join(dir, 'report')}"; exit' TERM; echo up; while :; do sleep 0.05; done`,
    ]);
    const exited = exitOf(loop);
    expect(await firstLine(loop)).toBe('up');
    loop.kill('SIGKILL');
    await exited;
    await until('it has cleaned up', () => existsSync(join(dir, 'report')));
  },
);

test('the scratch folder goes with the agent after the kill -9 of the loop', async () => {
  const scratch = join(dir, 'scratch of this one');
  mkdirSync(scratch);
  writeFileSync(join(scratch, 'prompt'), 'private');
  const loop = program.start(['exec 2>/dev/null; echo up; while :; do sleep 0.05; done'], { SCRATCH: scratch });
  const exited = exitOf(loop);
  expect(await firstLine(loop)).toBe('up');
  loop.kill('SIGKILL');
  await exited;
  await until('it is gone', () => !existsSync(scratch));
});

test.runIf(process.platform === 'linux')('no agent holds the pipe of a warden or anything else of ours', async () => {
  const agents = [await start('sleep 60'), await start('sleep 60')];
  for (const { pid } of agents) {
    // 0 to 2 and nothing beside, sockets above all.
    const open = readdirSync(`/proc/${pid}/fd`).filter(
      (fd) => Number(fd) > 2 && linkOf(`/proc/${pid}/fd/${fd}`).startsWith('socket:'),
    );
    expect(open).toEqual([]);
  }
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function wardensOf(loop: number | undefined): number[] {
  const commandLines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [pid, readOrEmpty(`/proc/${pid}/cmdline`)] as const);
  return commandLines
    .filter(([, line]) => line.includes('ralph-warden') && line.includes(`=${loop}.`))
    .map(([pid]) => Number(pid));
}
