import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { livingOf, markedProcesses } from '../support/processes.ts';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { READY, write } from '../support/says.ts';

/** However a run ends, nothing that its agent started outlives it by more than this. */
const IN_TIME_MS = 15_000;

/** Each says who it is in a file outside the repository, then stays. `$1` is its name. */
const STAY = 'echo $$ > "$HOME/$1.pid"; exec sleep 600';
const STAY_DEAF = `trap "" TERM INT HUP; echo $$ > "$HOME/$1.pid"; while :; do sleep 1; done`;

/** What agents leave behind: how it is started, by the name of its pid file. */
const LEFT: Readonly<Record<string, string>> = {
  grandchild: `(sh -c '(sh -c '"'"'${STAY}'"'"' sh grandchild &)' &)`,
  session: `setsid sh -c '${STAY}' sh session &`,
  deaf: `sh -c '${STAY_DEAF}' sh deaf &`,
  'deaf-session': `(setsid sh -c '${STAY_DEAF}' sh deaf-session &)`,
  // Nothing of its origin is left: neither marker nor session nor parent.
  ...(process.platform === 'linux'
    ? { stray: `(env -i HOME="$HOME" PATH="$PATH" setsid sh -c '${STAY_DEAF}' sh stray &)` }
    : {}),
};

let project: Project;
let started: ReturnType<Project['start']> | undefined;
let pids: readonly number[] = [];
afterEach(async () => {
  started?.child.kill('SIGKILL');
  await started?.ended;
  // Only a failed test has any.
  for (const pid of await livingOf(pids)) process.kill(pid, 'SIGKILL');
  await project?.remove();
});

/** Starts a run of one iteration whose agent leaves all of them, then does `last`; resolves once they live. */
async function startBusy(args: readonly string[], last: readonly object[]): Promise<void> {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [
      {
        do: [
          write('half.txt', 'half\n'),
          ...Object.values(LEFT).map((start) => ({ run: `{ ${start} } </dev/null >/dev/null 2>&1` })),
          { run: 'echo $PPID > "$HOME/agent.pid"' },
          // Else an agent that is done at once takes those along that have not yet said who they are.
          {
            run: Object.keys(LEFT)
              .map((name) => `until [ -s "$HOME/${name}.pid" ]; do sleep 0.05; done`)
              .join('; '),
          },
          ...last,
        ],
      },
    ],
  });
  started = project.start(['run', '-n', '1', '--scenario', project.scenario, ...args]);
  pids = await pidsWritten();
}

/** Waits until the agent, or the check in its place, and all it left have said who they are. */
function pidsWritten(): Promise<readonly number[]> {
  return Promise.all(
    [...Object.keys(LEFT), 'agent'].map(async (name) => {
      for (;;) {
        const pid = Number(await readFile(`${project.outside}/${name}.pid`, 'utf8').catch(() => ''));
        if (pid > 0) return pid;
        await wait(20);
      }
    }),
  );
}

const DEAF_AGENT = [{ 'ignore-term': true }, { run: 'touch "$HOME/deaf"' }, { hang: true }];

async function startDeaf(args: readonly string[] = []): Promise<void> {
  await startBusy(args, DEAF_AGENT);
  while (!existsSync(`${project.outside}/deaf`)) await wait(20);
  expect(await livingOf(pids), 'all of them live').toEqual(pids);
}

function kill(signal: NodeJS.Signals): void {
  started?.child.kill(signal);
}

/** Waits until all have ended. @returns how long that took since `since`, milliseconds */
async function goneSince(since: number): Promise<number> {
  let living = await livingOf(pids);
  while (living.length > 0 && performance.now() - since < IN_TIME_MS) {
    await wait(50);
    living = await livingOf(pids);
  }
  expect(living).toEqual([]);
  return performance.now() - since;
}

describe('an end of the iteration takes along what the agent left', () => {
  test('a normal one', async () => {
    await startBusy([], [READY]);
    expect((await started?.ended)?.code).toBe(1);
    expect(await livingOf(pids)).toEqual([]);
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'accepted' });
    expect(await markedProcesses(line?.run ?? '')).toEqual([]);
  });

  test.each([
    ['its timeout', '--timeout'],
    ['its idle timeout', '--idle-timeout'],
  ])('%s, although the agent ignores SIGTERM', async (_what, flag) => {
    const since = performance.now();
    await startDeaf([flag, '6s']);
    expect((await started?.ended)?.code).toBe(1);
    expect(performance.now() - since).toBeLessThan(6_000 + IN_TIME_MS);
    expect(await livingOf(pids)).toEqual([]);
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'timed-out' });
    expect(await markedProcesses(line?.run ?? '')).toEqual([]);
  });
});

describe('an end of the loop takes along an agent that ignores SIGTERM, and what it left', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 143],
  ] as const)('%s', async (signal, code) => {
    await startDeaf();
    const since = performance.now();
    kill(signal);
    expect((await started?.ended)?.code).toBe(code);
    expect(await goneSince(since)).toBeLessThan(IN_TIME_MS);
  });

  test('a second SIGINT', async () => {
    await startDeaf();
    const since = performance.now();
    kill('SIGINT');
    await wait(300);
    kill('SIGINT');
    expect((await started?.ended)?.code).toBe(130);
    expect(await goneSince(since)).toBeLessThan(IN_TIME_MS);
  });

  test('ralph stop --now', async () => {
    await startDeaf();
    const since = performance.now();
    expect(await project.ralph(['stop', '--now'])).toMatchObject({ code: 0, stderr: '' });
    expect((await started?.ended)?.code).toBe(1);
    expect(await goneSince(since)).toBeLessThan(IN_TIME_MS);
  });

  test('kill -9', async () => {
    await startDeaf();
    const since = performance.now();
    kill('SIGKILL');
    expect((await started?.ended)?.signal).toBe('SIGKILL');
    expect(await goneSince(since)).toBeLessThan(IN_TIME_MS);
  });

  test('kill -9 while a check is at work', async () => {
    const check = [...Object.values(LEFT), 'echo $$ > "$HOME/agent.pid"', 'sleep 600'].join('\n');
    project = await makeProject({
      stories: [{ id: 'US-001', verifyCommands: [check] }],
      steps: [{ do: [write('whole.txt', 'whole\n'), READY] }],
    });
    started = project.start(['run', '--scenario', project.scenario]);
    pids = await pidsWritten();
    const since = performance.now();
    kill('SIGKILL');
    await started.ended;
    expect(await goneSince(since)).toBeLessThan(IN_TIME_MS);
  });
});
