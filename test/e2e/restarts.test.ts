// @module-tag long
import { afterEach, expect, test } from 'vitest';
import { EVENTFUL } from '../support/eventful.ts';
import { type Ended, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';

/** A run that is killed and started again after every iteration behaves as one that was not. */

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});

async function fresh(options: ProjectOptions): Promise<Project> {
  const project = await makeProject(options);
  projects.push(project);
  return project;
}

/** Starts the run again and again; each start dies right after its first iteration, until one ends by itself. */
async function inPieces(project: Project, args: readonly string[]): Promise<Ended> {
  for (let starts = 1; starts <= 30; starts += 1) {
    const ended = await project.run(args, { RALPH_CRASHPOINT: 'done' });
    if (ended.signal === null) return ended;
  }
  throw new Error('the run never ended');
}

/** What happened, without what is different each time: names, times, commits. */
async function story(project: Project): Promise<readonly unknown[]> {
  return (await ledgerOf(project)).map(({ iteration, story, mode, verdict, counts, reason, blocked, violations }) => ({
    iteration,
    story,
    mode,
    verdict,
    counts,
    reason,
    blocked,
    violations,
  }));
}

const BACK_AND_FORTH: ProjectOptions = {
  stories: ['US-001', 'US-002', 'US-003'].map((id) => ({ id })),
  steps: [
    {
      when: { story: 'US-001', attempt: 2 },
      do: [{ write: { path: 'one.txt', content: '1\n' } }, { say: 'going on' }],
    },
    { when: { iteration: 4 }, do: [{ fail: { kind: 'crash', message: 'segmentation fault' } }] },
    { do: [{ usage: { input: 1_000, cost: 0.5 } }, { say: 'I looked around.' }] },
  ],
};

test.each([
  ['that completes', EVENTFUL, [], 0],
  ['that opens the breaker', BACK_AND_FORTH, [], 3],
  ['that spends its budget', BACK_AND_FORTH, ['--max-cost', '1.2'], 5],
  ['that spends its tokens', BACK_AND_FORTH, ['--max-tokens', '2500'], 5],
  ['that runs out of iterations', EVENTFUL, ['--max-iterations', '4'], 1],
] as const)('a run %s', async (_name, options, args, code) => {
  const whole = await fresh(options);
  const pieces = await fresh(options);
  expect((await whole.run(args)).code).toBe(code);
  expect((await inPieces(pieces, args)).code).toBe(code);
  expect(await story(pieces)).toEqual(await story(whole));
  expect(await pieces.stories()).toEqual(await whole.stories());
  expect(new Set((await ledgerOf(pieces)).map(({ run }) => run)).size).toBe(1);
});
