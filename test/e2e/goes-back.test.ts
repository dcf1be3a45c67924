import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { makeProject, type Project } from '../support/project.ts';
import { ledgerOf } from '../support/records.ts';
import { APPROVED, READY, shell, write } from '../support/says.ts';

/** Agents that go back to before accepted work: by the history, and by the files alone. */

const projects: Project[] = [];
afterEach(async () => {
  await Promise.all(projects.splice(0).map((project) => project.remove()));
});

const work = (story: string, file: string) => ({
  when: { story, mode: ['implement', 'review-fix'] },
  do: [write(file, `${story}\n`), READY],
});
const approve = { when: { mode: 'review' }, do: [APPROVED] };

async function project(...first: readonly Readonly<Record<string, unknown>>[]): Promise<Project> {
  const made = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002' }],
    steps: [...first, work('US-001', 'one.txt'), work('US-002', 'two.txt'), approve],
  });
  projects.push(made);
  return made;
}

/** Inside, files that are read-only keep a hard reset from its end. */
const BACK = 'git reset -q --hard HEAD~2 || { git reset -q HEAD~2 && rm -f one.txt; }';

const second = (actions: readonly object[], when: Readonly<Record<string, unknown>> = { attempt: 1 }) => ({
  when: { story: 'US-002', mode: 'implement', ...when },
  do: actions,
});

const iterations = async (made: Project) => (await ledgerOf(made)).filter(({ kind }) => kind === 'iteration');
const verdicts = async (made: Project) => (await iterations(made)).map(({ verdict }) => verdict);

describe.each([
  { backend: 'none', missing: false },
  { backend: 'bwrap', missing: await needs('bwrap') },
])('in the isolation $backend', ({ backend, missing }) => {
  const inside = backend === 'none' ? [] : [`--sandbox=${backend}`];
  const again = backend === 'none' ? {} : { tags: ['long'] };

  test.skipIf(missing)(
    'an agent that resets past an accepted story and claims is rejected, and nothing is lost',
    async () => {
      const made = await project(second([shell(BACK), write('two.txt', 'x\n'), READY]));
      const { code, stderr } = await made.run(inside);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(await verdicts(made)).toEqual(['accepted', 'accepted', 'rejected', 'accepted', 'accepted']);
      const [, , rejected] = await iterations(made);
      expect(rejected?.violations).toContainEqual(expect.objectContaining({ rule: 'history-lost', story: 'US-001' }));
      expect(rejected?.reason).toContain('one.txt');
      expect(rejected?.rescue).not.toBeNull();
      expect(await made.git('show', 'HEAD:one.txt')).toBe('US-001');
    },
  );

  test.skipIf(missing)('an agent that only squashes loses nothing and is accepted', again, async () => {
    const made = await project(second([shell('git reset -q --soft HEAD~2'), write('two.txt', 'x\n'), READY]));
    expect((await made.run(inside)).code).toBe(0);
    expect(await verdicts(made)).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
    expect(await made.git('show', 'HEAD:one.txt')).toBe('US-001');
  });

  test.skipIf(missing)('a story that is undone by files alone needs a review that accepts it', again, async () => {
    const made = await project(
      second([shell('git checkout -q HEAD~2 -- . ; git rm -q -f one.txt'), write('two.txt', 'x\n'), READY]),
      { when: { story: 'US-002', mode: 'review-fix' }, do: [write('one.txt', 'US-001\n'), READY] },
    );
    expect((await made.run(inside)).code).toBe(0);
    const lines = await iterations(made);
    expect(lines[2]?.tampering?.map(({ kind }) => kind)).toEqual(['story-undone']);
    expect(lines[3]?.reason).toContain('changes are requested');
    expect(await made.git('show', 'HEAD:one.txt')).toBe('US-001');
  });
});

test('an undone story that a review accepts with a reason stays done', async () => {
  const accepts = {
    STATUS: 'COMPLETE',
    REVIEW: 'APPROVED',
    EXIT_SIGNAL: true,
    ACCEPTED_FINDINGS: '1 the story asks for its removal',
  };
  const made = await project(second([shell('rm one.txt'), write('two.txt', 'x\n'), READY]), {
    when: { story: 'US-002', mode: 'review' },
    do: [{ status: accepts }],
  });
  expect((await made.run()).code).toBe(0);
  expect(await verdicts(made)).toEqual(['accepted', 'accepted', 'accepted', 'accepted']);
});

test('without a review an undone story is refused at once', async () => {
  const made = await project(second([shell('rm one.txt'), write('two.txt', 'x\n'), READY]));
  expect((await made.run(['--skip-review'])).code).toBe(0);
  expect(await verdicts(made)).toEqual(['accepted', 'rejected', 'accepted']);
});
