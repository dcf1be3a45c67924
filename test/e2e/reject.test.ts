import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** `ralph stories reject` and `ralph steer --story`: what a person wants changed reaches the agent, and a review. */

let project: Project;
afterEach(() => project?.remove());

type Step = NonNullable<ProjectOptions['steps']>[number];
const IMPLEMENT: Step = { when: { mode: 'implement' }, do: [write('src/{{STORY_ID}}.txt', 'one\n'), READY] };
const REVIEW: Step = { when: { mode: 'review' }, do: [APPROVED] };
const FIX: Step = {
  when: { mode: 'review-fix', story: 'US-001' },
  do: [
    { 'expect-prompt': '(from the person who runs this loop): src/US-001.txt:1: say two, not one' },
    write('src/US-001.txt', 'two\n'),
    READY,
  ],
};
const modes = async () =>
  (await ledgerOf(project)).flatMap(({ kind, mode, story }) => (kind === 'iteration' ? `${mode} ${story}` : []));
const reviews = async () => JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'];
const reject = () =>
  project.ralph(['stories', 'reject', 'US-001', 'say two, not one', '--file', 'src/US-001.txt', '--line', '1']);

test('a done story: the next run fixes it and a review sees the words; the first approval is history', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [
      IMPLEMENT,
      FIX,
      {
        when: { mode: 'review', story: 'US-001', iteration: 2 },
        do: [{ 'expect-prompt': 'Verify each' }, { 'expect-prompt': 'say two, not one' }, APPROVED],
      },
      REVIEW,
    ],
  });
  // Two runs, so that the review after the rejection is the only second iteration.
  await project.run(['--once']);
  await project.run(['--once']);
  const first = (await reviews()).receipt;
  expect((await reject()).code).toBe(0);
  expect((await project.stories())[0]).toMatchObject({ passes: false, reviewStatus: 'changes_requested' });

  const second = await project.run();
  expect(second.code, second.stdout).toBe(0);
  expect(await modes()).toEqual(['implement US-001', 'review US-001', 'review-fix US-001', 'review US-001']);
  expect(await project.read('src/US-001.txt')).toBe('two\n');
  const { receipt, earlier, findings } = await reviews();
  expect(earlier).toMatchObject([{ ...first, rejectedAt: expect.any(String) }]);
  expect(receipt).toMatchObject({ by: 'review', reviews: 1 });
  expect(receipt.commits.count).toBeGreaterThan(first.commits.count);
  expect(findings).toMatchObject([{ state: 'resolved', from: {} }]);
});

test('while a run is at work: before its next iteration, and a note waits for its own story', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }, { id: 'US-003' }],
    steps: [
      {
        when: { story: 'US-003', mode: 'implement' },
        do: [{ 'expect-prompt': 'three is green' }, write('src/3.txt', '3\n'), READY],
      },
      {
        when: { story: 'US-002', mode: 'implement' },
        do: [
          write('src/2.txt', '2\n'),
          { run: 'touch "$HOME/at-work"' },
          { 'wait-for-file': '../outside/may-go' },
          READY,
        ],
      },
      IMPLEMENT,
      FIX,
      REVIEW,
    ],
  });
  const run = project.start(['run', '--scenario', project.scenario]);
  await until(async () => (await modes()).length === 2);
  await until(async () => existsSync(`${project.outside}/at-work`));
  expect((await project.ralph(['steer', '--story', 'US-003', 'three is green'])).code).toBe(0);
  expect((await reject()).stdout).toMatch(/^US-001 will be sent back by run /);
  await writeFile(`${project.outside}/may-go`, '');
  const ended = await run.ended;
  expect(ended.code, ended.stdout).toBe(0);
  expect(ended.stdout).toContain('changes in US-001 are requested by you');
  expect((await modes()).slice(2)).toEqual([
    'implement US-002',
    'review-fix US-001',
    'review US-001',
    'review US-002',
    'implement US-003',
    'review US-003',
  ]);
  const noted = (await ledgerOf(project)).flatMap((one) =>
    one.kind === 'iteration' && 'steers' in one ? one.story : [],
  );
  expect(noted).toEqual(['US-003']);
});

test('a story that a lane works on: what the lane lands is sent back', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }],
    steps: [
      {
        when: { story: 'US-001', mode: 'implement' },
        do: [
          write('src/US-001.txt', 'one\n'),
          { run: `touch "$HOME/at-work"; until [ -e "$HOME/may-go" ]; do sleep 0.1; done` },
          READY,
        ],
      },
      IMPLEMENT,
      FIX,
      REVIEW,
    ],
  });
  const run = project.start(['run', '--parallel', '2', '--scenario', project.scenario]);
  await until(async () => existsSync(`${project.outside}/at-work`));
  expect((await reject()).stdout).toMatch(/^US-001 will be sent back by run /);
  await writeFile(`${project.outside}/may-go`, '');
  const ended = await run.ended;
  expect(ended.code, ended.stdout).toBe(0);
  expect((await modes()).filter((one) => one.endsWith('US-001'))).toEqual([
    'implement US-001',
    'review US-001',
    'review-fix US-001',
    'review US-001',
  ]);
  expect(await project.git('show', 'HEAD:src/US-001.txt')).toBe('two');
  expect((await reviews()).findings).toMatchObject([{ state: 'resolved', from: {} }]);
});
