import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';

/** Ends of an agent that are not its story's fault, or that say more than its signals do. */

let project: Project;
afterEach(() => project?.remove());

const WORK = { write: { path: 'new.txt', content: 'new\n' } };

async function play(steps: readonly object[], args: readonly string[] = [], story: object = {}) {
  project = await makeProject({ stories: [{ id: 'US-001', ...story }], steps: steps as never });
  const ended = await project.run(args);
  return { ...ended, ledger: await ledgerOf(project), story: (await project.stories())[0] };
}

async function lastEvent() {
  return (await eventsOf(project)).at(-1);
}

describe('an agent that somebody else stopped', () => {
  test.each([
    ['SIGINT', { signal: 'SIGINT' }, 130, 'interrupted'],
    ['exit code 143', { exit: 143 }, 143, 'terminated'],
  ] as const)('with %s ends the run as that signal does, charged to nobody', async (name, crash, code, reason) => {
    const run = await play([{ do: [WORK, { crash }] }]);
    expect(run.code).toBe(code);
    expect(run.ledger).toMatchObject([{ verdict: 'interrupted', counts: 'ignored', agentStopped: reason }]);
    expect(run.ledger[0]?.reason).toContain(name);
    expect(run.ledger[0]?.rescue).toContain('refs/ralph/');
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await lastEvent()).toMatchObject({ type: 'run-end', reason });
  });
});

test('an agent that ends with 124 ran out of time, and the loop goes on', async () => {
  const run = await play([{ do: [WORK, { crash: { exit: 124 } }] }], ['--max-iterations', '2']);
  expect(run.code).toBe(1);
  expect(run.ledger.map(({ verdict }) => verdict)).toEqual(['timed-out', 'timed-out']);
});

test('an agent that cannot start any more is unavailable: the run ends in order', async () => {
  const run = await play([
    { do: [WORK, { run: 'echo nonsense > ../outside/scenario.yaml' }, { say: 'I go on tomorrow.' }] },
  ]);
  expect(run.code).toBe(7);
  expect(run.ledger.map(({ verdict }) => verdict)).toEqual(['advanced', 'limited']);
  expect(run.stdout).toContain('the scenario cannot be played');
  expect(await lastEvent()).toMatchObject({ type: 'run-end', reason: 'unavailable' });
});

describe('an agent that is finished but forgot to signal it', () => {
  const PROMISE = { say: '<promise>COMPLETE</promise>' };
  const WORDS = { say: 'All acceptance criteria are met.' };

  test.each([
    ['the promise', PROMISE],
    ['plain words', WORDS],
  ])('is heard by %s, and its story goes to review', async (_name, said) => {
    const run = await play([{ do: [WORK, said] }], ['--once']);
    expect(run.ledger).toMatchObject([{ verdict: 'accepted', counts: 'good' }]);
    expect(run.story).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
  });

  test("is held to the story's own checks like any other", async () => {
    const run = await play([{ do: [WORK, PROMISE] }], ['--once'], { verifyCommands: ['test -e other.txt'] });
    expect(run.ledger).toMatchObject([{ verdict: 'rejected' }]);
  });

  test('is believed without a review only by the promise', async () => {
    const run = await play(
      [
        { when: { iteration: 1 }, do: [WORK, WORDS] },
        { when: { iteration: 2 }, do: [{ write: { path: 'more.txt', content: 'more\n' } }, PROMISE] },
      ],
      ['--skip-review'],
    );
    expect(run.code).toBe(0);
    expect(run.ledger.map(({ verdict }) => verdict)).toEqual(['advanced', 'accepted']);
    expect(run.story).toMatchObject({ passes: true });
  });
});
