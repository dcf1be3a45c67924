import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** `ralph stories waive`: a person says that a finding does not matter. */

let project: Project;
afterEach(() => project?.remove());

const IMPLEMENT = { when: { mode: 'implement' }, do: [write('src/one.txt', 'one\n'), READY] };
const findings = async () => JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'].findings;

test('without a run: at once, and with nothing left the story goes back to review', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [
      IMPLEMENT,
      { when: { mode: 'review', reviewCount: 0 }, do: [changesRequested('- rename it\n- test it')] },
      {
        when: { mode: 'review' },
        do: [{ 'expect-prompt': '(waived: a matter of taste)' }, changesRequested('- Rename it, please\n- rename it')],
      },
      { when: { mode: 'review-fix' }, do: [{ say: 'nobody asks for this' }] },
    ],
  });
  await project.run(['--max-iterations', '2']);
  const [first, second] = await findings();
  const unknown = await project.ralph(['stories', 'waive', 'US-001', 'F-00000000']);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain(`${first.id} (open): rename it`);

  const one = await project.ralph(['stories', 'waive', 'US-001', first.id, 'a', 'matter', 'of', 'taste']);
  expect(one.code, one.stderr).toBe(0);
  expect(one.stdout).toContain(`${first.id} of US-001 is waived`);
  expect(one.stdout).not.toContain('goes back to review');
  expect((await project.stories())[0]).toMatchObject({
    reviewStatus: 'changes_requested',
    reviewFeedback: '- test it',
  });
  const other = await project.ralph(['stories', 'waive', 'US-001', second.id.slice(2), '--json']);
  expect(JSON.parse(other.stdout)).toMatchObject({ done: 'now', backToReview: true });
  expect((await project.stories())[0]).toMatchObject({ reviewStatus: 'needs_review', reviewFeedback: '' });
  const again = await project.ralph(['stories', 'waive', 'US-001', second.id]);
  expect(again.stdout).toContain('is already waived');
  expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain('waived: a matter of taste');
});

test.each([
  ['the review cap', { reviewCap: 1, onReviewCap: 'block' }, 'blocked at the review cap'],
  ['reviews that converged', { onReviewCap: 'block' }, 'blocked, the reviews converged'],
])('a story that %s blocked goes back to review with its last open finding', async (_, config, subject) => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    files: { 'ralph.config.json': JSON.stringify(config) },
    steps: [
      IMPLEMENT,
      { when: { mode: 'review' }, do: [changesRequested('- rename it')] },
      { when: { mode: 'review-fix' }, do: [READY] },
    ],
  });
  const first = await project.run();
  expect(first.code, first.stdout).toBe(6);
  expect(await project.git('log', '-1', '--format=%s')).toContain(subject);
  const [finding] = await findings();
  const { stdout } = await project.ralph(['stories', 'waive', 'US-001', finding.id, 'no']);
  expect(stdout).toContain('goes back to review');
  const [story] = await project.stories();
  expect(story).toMatchObject({ reviewStatus: 'needs_review', reviewFeedback: '' });
  expect(story).not.toHaveProperty('blocked');
});

test('a story that is blocked for another reason stays so, and that is said', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [IMPLEMENT, { when: { mode: 'review' }, do: [changesRequested('- rename it')] }],
  });
  await project.run(['--max-iterations', '2']);
  await project.ralph(['stories', 'block', 'US-001', 'wait for the design']);
  const [finding] = await findings();
  const { stdout } = await project.ralph(['stories', 'waive', 'US-001', finding.id]);
  expect(stdout).toContain('stays blocked (wait for the design)');
  expect(stdout).not.toContain('goes back to review');
});

test('a story that is opened again starts without findings, but for those that were waived', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [IMPLEMENT, { when: { mode: 'review' }, do: [changesRequested('- rename it\n- test it')] }],
  });
  await project.run(['--max-iterations', '2']);
  const [finding] = await findings();
  await project.ralph(['stories', 'waive', 'US-001', finding.id]);
  await project.ralph(['stories', 'reset', 'US-001']);
  expect(await findings()).toMatchObject([{ claim: 'rename it', state: 'waived' }]);
  await project.ralph(['stories', 'approve', 'US-001']);
  expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).not.toContain('test it');
});

test('a run under way takes it before its next iteration', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [
      IMPLEMENT,
      { when: { mode: 'review', reviewCount: 0 }, do: [changesRequested('- rename it')] },
      {
        when: { mode: 'review-fix' },
        do: [{ run: { command: 'until test -e ../outside/go; do sleep 0.1; done' } }, READY],
      },
      { when: { mode: 'review' }, do: [{ 'expect-prompt': '(waived)' }, { say: 'fine' }, APPROVED] },
    ],
  });
  const { ended } = project.start(['run', '--scenario', project.scenario]);
  await until(async () => (await ledgerOf(project)).length === 2);
  const [finding] = await findings();
  const said = await project.ralph(['stories', 'waive', 'US-001', finding.id]);
  expect(said.code, said.stderr).toBe(0);
  expect(said.stdout).toMatch(/will be waived by run \S+ before its next iteration/);
  await project.write('../outside/go', '');
  const { code, stdout } = await ended;
  expect(code, stdout).toBe(0);
  expect((await findings())[0]).toMatchObject({ state: 'waived' });
});
