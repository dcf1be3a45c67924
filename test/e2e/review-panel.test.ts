import { afterEach, expect, test } from 'vitest';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { commitsOf, eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, READY, write } from '../support/says.ts';

let project: Project;
afterEach(() => project?.remove());

/** An agent without hooks and tools; it approves once the file `fixed.txt` is there. */
const STRICT = `cat >/dev/null
echo '---RALPH_STATUS---'
echo 'STATUS: COMPLETE'
if test -e fixed.txt; then echo 'REVIEW: APPROVED'; else
echo 'REVIEW: CHANGES_REQUESTED'
echo 'FEEDBACK: 1. src/one.txt:1: the text has no end'
fi
echo '---END_RALPH_STATUS---'`;

const EASY = [
  { when: { mode: 'implement' }, do: [write('src/one.txt', 'one\n'), READY] },
  { when: { mode: 'review-fix' }, do: [write('fixed.txt', 'x\n'), READY] },
  { when: { mode: 'review' }, do: [APPROVED] },
];

async function runWith(config: object, steps: readonly object[] = EASY, args: readonly string[] = []): Promise<Ended> {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: steps as never,
    files: { 'ralph.config.json': JSON.stringify({ command: { run: STRICT }, ...config }) },
  });
  return project.run(args);
}

const agentsOf = async () =>
  (await ledgerOf(project)).map((line) => `${line.mode} ${(line as { agent?: string }).agent}`);

test('another agent reviews; what it says in its last message counts, as it has no tools', async () => {
  const { code, stdout } = await runWith({ review: { agents: ['command'] } });
  expect(code, stdout).toBe(0);
  expect(await agentsOf()).toEqual(['implement scripted', 'review command', 'review-fix scripted', 'review command']);
  expect((await eventsOf(project)).some(({ type }) => type === 'agent-switch')).toBe(false);
  expect(stdout).toContain('scripted; reviews: command');
});

test('a panel that disagrees sends the story back with who found what, and approves when both do', async () => {
  const { code, stdout } = await runWith({ review: { agents: ['scripted', 'command'], panel: 2 } });
  expect(code, stdout).toBe(0);
  expect(await agentsOf()).toEqual([
    'implement scripted',
    'review scripted',
    'review command',
    'review-fix scripted',
    'review scripted',
    'review command',
  ]);
  expect(await project.stories()).toMatchObject([{ reviewStatus: 'approved', reviewCount: 2 }]);
  const { findings } = JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'];
  expect(findings).toMatchObject([{ file: 'src/one.txt', by: ['command'], state: 'resolved' }]);
  expect(await commitsOf(project)).toEqual([
    'feat(US-001): story US-001',
    'review(US-001): one of a panel',
    'review(US-001): changes requested',
    'fix(US-001): address review feedback',
    'review(US-001): one of a panel',
    'review(US-001): approved',
  ]);
});

test('findings of both agents of a panel are merged, and the second learns nothing from the first', async () => {
  const grumpy = [
    EASY[0] as object,
    {
      when: { mode: 'review' },
      do: [changesRequested('1. src/one.txt:1: the text has no end; 2. src/one.txt: no test')],
    },
  ];
  const { code } = await runWith({ review: { agents: ['scripted', 'command'], panel: 2 } }, grumpy, ['-n', '3']);
  expect(code).toBe(1);
  const [story] = await project.stories();
  expect(story?.['reviewFeedback']).toBe(
    '1. src/one.txt:1: the text has no end (found by scripted, command)\n2. src/one.txt: no test (found by scripted)',
  );
  const progress = await project.git('show', 'HEAD~1:ralph/progress.txt');
  expect(progress).toContain('one review of the panel is done');
  expect(progress).not.toContain('no test');
});

test('a panel with too few agents is refused before anything is made', async () => {
  const short = await runWith({ review: { panel: 2 } });
  expect(short.code, short.stdout).toBe(2);
  expect(short.stderr).toContain('a panel of 2 needs 2 different agents');
  expect(await project.git('branch', '--format=%(refname:short)')).toBe('main');
  await project.write('ralph.config.json', JSON.stringify({ review: { agents: ['scripted', 'command'], panel: 2 } }));
  await project.git('commit', '-qam', 'config');
  const missing = await project.run();
  expect(missing.code, missing.stdout).toBe(7);
  expect(missing.stderr).toMatch(
    /2 agents must review, but only 1 can be used\s+where: command: command\.run is not set/,
  );
  expect(await project.git('branch', '--format=%(refname:short)')).toBe('main');
});
