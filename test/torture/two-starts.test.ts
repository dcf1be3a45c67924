import { mkdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { markedProcesses } from '../support/processes.ts';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';

const PAIRS = 24;
/** Repositories at a time; each has two programs and an agent, and the machine has few processors. */
const AT_ONCE = 2;

type Start = ReturnType<Project['start']>;

/** A repository whose agent waits for a file that never comes: who holds the lock keeps it until it is killed. */
function waitingProject(): Promise<Project> {
  return makeProject({ stories: [{ id: 'US-001' }], steps: [{ do: [{ 'wait-for-file': 'never.txt' }] }] });
}

/** The first of two starts that ends, and the other. Fails when none does. */
async function firstToEnd(starts: readonly [Start, Start]): Promise<{ readonly loser: Ended; readonly winner: Start }> {
  const late = wait(300_000, null, { ref: false });
  const first = await Promise.race([
    ...starts.map((start, index) => start.ended.then((ended) => ({ ended, index }))),
    late,
  ]);
  if (!first) throw new Error('both starts run');
  const winner = first.index === 0 ? starts[1] : starts[0];
  return { loser: first.ended, winner };
}

async function pairOfStarts(project: Project): Promise<void> {
  const begin = (): Start => project.start(['run', '--scenario', project.scenario]);
  const starts = [begin(), begin()] as const;
  try {
    const { loser, winner } = await firstToEnd(starts);
    expect({ code: loser.code, stdout: loser.stdout }, loser.stderr).toEqual({ code: 4, stdout: '' });
    expect(loser.stderr).toMatch(
      new RegExp(
        `^Error: run \\d{8}-\\d{6}-[a-z0-9]{4} works on this work tree\n {2}where: pid ${winner.child.pid} on ${hostname()}, since \\d{4}-\\d\\d-\\d\\dT`,
      ),
    );
    expect(winner.child.exitCode).toBeNull();
    // Killed before that, it would leave nothing to resume.
    while (!(await project.read('.git/ralph/run.json').catch(() => ''))) await wait(10);
  } finally {
    for (const { child } of starts) child.kill('SIGKILL');
    await Promise.all(starts.map(({ ended }) => ended));
  }
}

describe('two starts at once', () => {
  test(`${PAIRS} times: one runs, the other ends with 4 and names the holder; its death frees the lock`, async () => {
    let left = PAIRS;
    const lane = async (): Promise<void> => {
      const project = await waitingProject();
      try {
        // Every pair but the first meets what the SIGKILL of the last holder left behind: a free lock, a run to resume.
        while (left-- > 0) await pairOfStarts(project);
        expect((await project.ralph(['stories', 'block', 'US-001', 'enough'])).stderr).toBe('');
        const { run } = JSON.parse(await project.read('.git/ralph/run.json'));
        await until(async () => (await markedProcesses(run)).length === 0);
      } finally {
        // One lane that fails ends the others.
        left = 0;
        await project.remove();
      }
    };
    const lanes = await Promise.allSettled(Array.from({ length: AT_ONCE }, lane));
    for (const ended of lanes) if (ended.status === 'rejected') throw ended.reason;
  });

  test('the lock of a holder that lives is not lost when .ralph is deleted', async () => {
    const project = await waitingProject();
    const holder = project.start(['run', '--scenario', project.scenario]);
    try {
      while (!(await project.read('.ralph-active').catch(() => ''))) await wait(20);
      // The run goes on writing there: it may put a file back into a folder that is being deleted.
      await rm(`${project.root}/.ralph`, { recursive: true, maxRetries: 10 });
      await mkdir(`${project.root}/.ralph`, { recursive: true });
      const { code, stderr } = await project.run();
      expect(code).toBe(4);
      expect(stderr).toContain(`pid ${holder.child.pid} on ${hostname()}`);
    } finally {
      holder.child.kill('SIGKILL');
      await holder.ended;
      await project.remove();
    }
  });
});
