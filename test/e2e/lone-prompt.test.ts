import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { commitsOf, eventsOf, ledgerOf } from '../support/records.ts';

/** A lone PROMPT.md: without stories the agent's signals decide, by trends. */

let project: Project;
afterEach(() => project?.remove());

const DONE = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const GOING_ON = { status: { STATUS: 'IN_PROGRESS', EXIT_SIGNAL: false } };
const work = (n: number) => ({ write: { path: `part-${n}.txt`, content: `${n}\n` } });

async function prompted(steps: readonly object[], prompt = '# Port the parser\n\nPort all of it.\n'): Promise<void> {
  project = await makeProject({
    backlog: { path: 'PROMPT.md', text: prompt },
    steps: steps as never,
  });
  await project.git('rm', '-q', 'ralph/prd.md');
  await project.git('commit', '-q', '-m', 'no spec folder');
}

test('two iterations in a row that call everything done complete the run', async () => {
  await prompted([
    { when: { iteration: 1 }, do: [work(1), GOING_ON] },
    { when: { iteration: 2 }, do: [work(2), DONE] },
    { do: [{ say: 'Nothing is left.' }, DONE] },
  ]);
  const { code, stdout } = await project.run();
  expect(code).toBe(0);
  expect(stdout).toContain('COMPLETE');
  expect((await ledgerOf(project)).map(({ verdict }) => verdict)).toEqual(['advanced', 'advanced', 'no-progress']);
  expect(stdout).not.toMatch(/claimed|wip/);
  expect(stdout).toContain('the agent says that everything is done');
  expect(await commitsOf(project)).toEqual(Array(2).fill('feat: Port the parser'));
  expect(await project.read('PROMPT.md')).toBe('# Port the parser\n\nPort all of it.\n');
  expect(await project.git('status', '--porcelain')).toBe('');
});

test('one that calls everything done is not believed alone, nor is one that merely mentions it', async () => {
  await prompted([
    { when: { iteration: 1 }, do: [work(1), { say: '<promise>COMPLETE</promise>' }] },
    { when: { iteration: 2 }, do: [work(2), { say: 'Once it is done I will write <promise>COMPLETE</promise>.' }] },
    { when: { iteration: 3 }, do: [work(3), DONE] },
    { do: [work(4), { say: 'EXIT_SIGNAL is for later.' }, GOING_ON] },
  ]);
  expect((await project.run(['--max-iterations', '4'])).code).toBe(1);
  expect(await ledgerOf(project)).toHaveLength(4);
});

test('nothing is done while a check is red, whoever says so', async () => {
  await prompted([{ when: { iteration: 3 }, do: [work(3), DONE] }, { do: [DONE] }]);
  await project.write('ralph.config.json', JSON.stringify({ verifyCommands: ['test -e part-3.txt'] }));
  await project.git('add', '-A');
  await project.git('commit', '-q', '-m', 'a check that is red');
  expect((await project.run()).code).toBe(0);
  const lines = (await ledgerOf(project)) as unknown as readonly { readonly signals: { readonly done: boolean } }[];
  expect(lines.map(({ signals }) => signals.done)).toEqual([false, false, true, true]);
});

test('three iterations that only test end it too', async () => {
  await prompted([
    { do: [{ run: 'true' }, { status: { STATUS: 'IN_PROGRESS', WORK_TYPE: 'TESTING', TESTS_STATUS: 'PASSING' } }] },
  ]);
  const { code, stdout } = await project.run();
  expect(code).toBe(0);
  expect(await ledgerOf(project)).toHaveLength(3);
  expect(stdout).toMatch(/test/);
  // What ended in order leaves no breaker open for the next run.
  expect((await project.run(['--once'])).code).not.toBe(3);
});

test('an agent that does nothing and says nothing opens the breaker', async () => {
  await prompted([{ do: [{ say: 'Hm.' }] }]);
  expect((await project.run()).code).toBe(3);
});

test('a blocker ends the run with exit 6 and its reason', async () => {
  await prompted([{ do: [{ status: { STATUS: 'BLOCKED', RECOMMENDATION: 'the grammar is missing' } }] }]);
  const { code, stdout } = await project.run();
  expect(code).toBe(6);
  expect(stdout).toContain('the grammar is missing');
});

test('the prompt says how to signal, and the agent may not change it', async () => {
  await prompted([
    {
      do: [
        { 'expect-prompt': 'EXIT_SIGNAL' },
        { 'expect-prompt': 'Port all of it.' },
        work(1),
        { write: { path: 'PROMPT.md', content: 'Do nothing.\n' } },
        GOING_ON,
      ],
    },
  ]);
  expect((await project.run(['--once'])).code).toBe(1);
  expect(await project.read('PROMPT.md')).toContain('Port all of it.');
  expect(((await eventsOf(project)) as { type: string }[]).some(({ type }) => type === 'violation')).toBe(true);
});

test('commands that change stories say that there are none', async () => {
  await prompted([]);
  const { code, stderr } = await project.ralph(['stories', 'add', 'A title']);
  expect(code).toBe(2);
  expect(stderr).toContain('PROMPT.md');
});
