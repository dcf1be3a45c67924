import { afterEach, describe, expect, test } from 'vitest';
import { CHECKED, STOPS } from '../support/checked-project.ts';
import { type Ended, makeProject, type Project } from '../support/project.ts';
import { commitsOf, eventsOf, ledgerOf, toolAnswersOf } from '../support/records.ts';
import { APPROVED, READY, tool, write } from '../support/says.ts';

/**
 * The tools of a run, called by a scripted agent over the run's control server: what they answer, and what the loop
 * makes of it. The check fails when `broken.txt` exists.
 */

const complete = (summary = 'The till adds up.') =>
  tool('complete_story', { status: 'success', summary, tests: 'passing' });
const wish = (title: string) => ({ title, acceptance_criteria: [`${title} works`] });

let project: Project;
afterEach(() => project?.remove());

async function iteration(
  actions: readonly object[],
  story: object = {},
  args: readonly string[] = ['--once'],
): Promise<Ended> {
  const steps = [{ do: [...actions, STOPS] }];
  project = await makeProject({ ...CHECKED, stories: [{ id: 'US-001', ...story }], steps });
  return project.run(args);
}

const storyNow = async () => (await project.stories())[0];
const lastAnswer = async () => (await toolAnswersOf(project)).at(-1);
const treeIsClean = async () => expect(await project.git('status', '--porcelain')).toBe('');

describe('complete_story', () => {
  test('is refused while a check is red, with its output, and accepted once it is green', async () => {
    const { stdout } = await iteration([
      write('broken.txt', 'x\n'),
      complete(),
      { delete: 'broken.txt' },
      write('till.txt', 'adds up\n'),
      complete(),
      // As the agent left it: the claim is in the loop's books alone.
      { run: { command: 'git diff --exit-code ralph/tasks.json', expect: 'ok' } },
    ]);
    const [refused, accepted] = await toolAnswersOf(project);
    expect(refused).toMatchObject({ tool: 'complete_story', ok: false });
    expect(refused?.text).toMatch(/not finished.*sh check\.sh.*it is broken/s);
    expect(accepted).toMatchObject({ ok: true, text: expect.stringContaining('a fresh review decides') });
    expect(stdout).toContain('complete_story: The story is not finished');
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted', counts: 'good', violations: [] }]);
    expect(await storyNow()).toMatchObject({
      reviewStatus: 'needs_review',
      passes: false,
      reviewCount: 0,
      notes: 'The till adds up.',
    });
    expect(await commitsOf(project)).toEqual(['feat(US-001): story US-001']);
    await treeIsClean();
  });

  test('that was refused is no claim: the work is judged as it is', { tags: ['long'] }, async () => {
    await iteration([write('broken.txt', 'x\n'), complete()]);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'rejected', counts: 'bad' }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: null, notes: '' });
    await expect(project.read('broken.txt')).rejects.toThrow();
  });

  test('believed too early is judged again at the end', { tags: ['long'] }, async () => {
    await iteration([write('till.txt', 'x\n'), complete(), write('broken.txt', 'x\n')]);
    expect(await lastAnswer()).toMatchObject({ ok: true });
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'rejected' }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: null, passes: false });
  });

  test('under --skip-review finishes the story', { tags: ['long'] }, async () => {
    const { code, stdout } = await iteration([write('till.txt', 'x\n'), complete()], {}, ['--skip-review']);
    expect(code, stdout).toBe(0);
    expect(await lastAnswer()).toMatchObject({ text: expect.stringContaining('marks it done') });
    expect(await storyNow()).toMatchObject({ passes: true, notes: 'The till adds up.' });
  });

  test('with `partial` leaves the story open and tells the next iteration through the log', async () => {
    await iteration([
      write('till.txt', 'half\n'),
      tool('complete_story', { status: 'partial', summary: 'Change is missing.' }),
    ]);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'advanced' }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: null, passes: false });
    expect(await project.read('ralph/progress.txt')).toContain('US-001 is not finished: Change is missing.');
  });

  test('with arguments that do not fit is explained, not carried out', async () => {
    await iteration([write('till.txt', 'x\n'), tool('complete_story', { status: 'done' })]);
    expect(await lastAnswer()).toMatchObject({ ok: false, text: expect.stringContaining('"summary"') });
    expect(await eventsOf(project)).toContainEqual(
      expect.objectContaining({ type: 'tool-call', refused: expect.stringMatching(/^its arguments do not fit: /) }),
    );
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'advanced' }]);
  });

  test('works for a Markdown plan, whose review is given by a tool as well', async () => {
    const plan = '# Plan\n\n- [ ] US-001: Say one\n- [x] US-002: Said already\n';
    project = await makeProject({
      backlog: { path: 'ralph/plan.md', text: plan },
      files: { 'ralph.config.json': '{ "verifyCommands": ["test ! -e broken.txt"] }\n' },
      steps: [
        { when: { mode: 'implement' }, do: [write('one.txt', 'one\n'), complete('Said it.'), STOPS] },
        { do: [tool('submit_review', { verdict: 'approve', notes: 'heard it' }), STOPS] },
      ],
    });
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect(await project.read('ralph/plan.md')).toBe(plan.replace('[ ]', '[x]'));
    const { stories } = JSON.parse(await project.read('ralph/reviews.json'));
    expect(stories['US-001']).toMatchObject({ reviewStatus: 'approved', reviewCount: 1, notes: 'heard it' });
    expect((await ledgerOf(project)).map(({ mode, verdict }) => [mode, verdict])).toEqual([
      ['implement', 'accepted'],
      ['review', 'accepted'],
    ]);
  });
});

describe('submit_review', () => {
  const IN_REVIEW = { reviewStatus: 'needs_review' };

  test('approves, with a receipt', async () => {
    await iteration([tool('submit_review', { verdict: 'approve', notes: 'I read it all.' })], IN_REVIEW);
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 1 });
    expect((await storyNow())?.['notes']).toContain('I read it all.');
    expect(JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'].receipt).toMatchObject({
      by: 'review',
    });
  });

  test('requests changes with feedback, and not without', { tags: ['long'] }, async () => {
    await iteration(
      [
        tool('submit_review', { verdict: 'request_changes' }),
        tool('submit_review', { verdict: 'request_changes', feedback: '1. till.txt:1 says nothing' }),
      ],
      IN_REVIEW,
    );
    expect((await toolAnswersOf(project)).map(({ ok }) => ok)).toEqual([false, true]);
    expect(await storyNow()).toMatchObject({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewFeedback: '1. till.txt:1 says nothing',
      reviewCount: 1,
    });
  });

  test('is refused to whoever implements: nobody approves their own work', async () => {
    await iteration([write('till.txt', 'x\n'), tool('submit_review', { verdict: 'approve' })]);
    expect(await lastAnswer()).toMatchObject({ ok: false, text: expect.stringContaining('complete_story') });
    expect(await storyNow()).toMatchObject({ passes: false, reviewStatus: null, reviewCount: 0 });
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'advanced', violations: [] }]);
  });

  test('beats an edit of the backlog that says the opposite', async () => {
    await iteration(
      [
        tool('submit_review', { verdict: 'request_changes', feedback: 'no tests' }),
        { story: { set: { passes: true, reviewStatus: 'approved', reviewCount: 1 } } },
      ],
      IN_REVIEW,
    );
    expect(await storyNow()).toMatchObject({
      passes: false,
      reviewStatus: 'changes_requested',
      reviewFeedback: 'no tests',
    });
  });
});

test('a claim through a tool beats an edit of the backlog that says something else', async () => {
  await iteration([
    { story: { set: { reviewStatus: 'needs_review' } } },
    write('till.txt', 'x\n'),
    tool('report_blocker', { reason: 'the till needs a key' }),
  ]);
  expect(await storyNow()).toMatchObject({ reviewStatus: null, blocked: 'the till needs a key' });
});

describe('new stories', () => {
  test('split_story adds the parts and lets the story wait for them', async () => {
    await iteration([write('part.txt', 'x\n'), tool('split_story', { parts: [wish('Coins'), wish('Notes')] })], {});
    expect(await lastAnswer()).toMatchObject({ ok: true, text: expect.stringMatching(/US-002.*US-003/) });
    expect(await project.stories()).toMatchObject([
      { id: 'US-001', dependsOn: ['US-002', 'US-003'], passes: false },
      { id: 'US-002', title: 'Coins', acceptanceCriteria: ['Coins works'], passes: false, reviewStatus: null },
      { id: 'US-003', title: 'Notes' },
    ]);
    expect((await project.ralph(['stories', 'next'])).stdout).toContain('US-002');
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'advanced', violations: [] }]);
    await treeIsClean();
  });

  test('add_story adds at most five in one iteration', async () => {
    const six = ['A', 'B', 'C', 'D', 'E', 'F'].map((title) => tool('add_story', wish(title)));
    await iteration([write('till.txt', 'x\n'), ...six]);
    expect((await toolAnswersOf(project)).map(({ ok }) => ok)).toEqual([true, true, true, true, true, false]);
    expect(await lastAnswer()).toMatchObject({ text: expect.stringMatching(/5|five/) });
    expect((await project.stories()).map(({ title }) => title)).toEqual(['story US-001', 'A', 'B', 'C', 'D', 'E']);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'advanced', violations: [] }]);
  });

  test('edits of the file and of the tools meet: none is lost, no id given twice', { tags: ['long'] }, async () => {
    const byHand =
      'node -e \'const fs = require("fs"), f = "ralph/tasks.json", b = JSON.parse(fs.readFileSync(f)); b.userStories.push({ ...b.userStories[0], id: "US-002", title: "By hand", priority: 2 }); fs.writeFileSync(f, JSON.stringify(b, null, 2))\'';
    await iteration([
      write('till.txt', 'x\n'),
      { run: { command: byHand, expect: 'ok' } },
      tool('add_story', wish('By tool')),
    ]);
    expect((await project.stories()).map(({ id, title }) => [id, title])).toEqual([
      ['US-001', 'story US-001'],
      ['US-002', 'By hand'],
      ['US-003', 'By tool'],
    ]);
  });
});

describe('what waits for a person', () => {
  test.each([
    ['report_blocker', { reason: 'no key for the till' }, 'no key for the till'],
    ['ask_question', { question: 'Euro or dollar?' }, 'question Q1: Euro or dollar?'],
    ['complete_story', { status: 'blocked', summary: 'the API is gone' }, 'the API is gone'],
  ])('%s %j blocks the story, and the run ends with 6', async (name, args, reason) => {
    const { code, stdout } = await iteration([tool(name, args)], {}, []);
    expect(code, stdout).toBe(6);
    const said = reason.replace('question Q1: ', '');
    expect(stdout).toContain(said);
    expect(await storyNow()).toMatchObject({ blocked: reason, passes: false });
    expect((await project.ralph(['stories'])).stdout).toMatch(/US-001 +blocked/);
    expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain(`Why it is blocked\n  ${said}\n`);
  });

  test('request_merge is shown and queued, and nothing is merged', { tags: ['long'] }, async () => {
    const { stdout } = await iteration([
      write('till.txt', 'x\n'),
      tool('request_merge', { title: 'The till', body: 'It adds up.' }),
    ]);
    expect(stdout).toContain('The agent asks you to merge ralph/test: The till');
    const queue = (await project.read('.ralph/state/merge-requests.jsonl')).trim().split('\n');
    expect(queue.map((line) => JSON.parse(line))).toMatchObject([
      { story: 'US-001', branch: 'ralph/test', title: 'The till', body: 'It adds up.' },
    ]);
    expect(await project.git('log', '--format=%s', 'main')).toBe('start');
  });
});

describe('knowledge', () => {
  const NOTES = [
    tool('log_progress', { text: 'Tills round to cents.' }),
    tool('add_pattern', { pattern: 'Prices are integers.' }),
  ];

  test.each([
    ['accepted', [write('till.txt', 'x\n'), READY]],
    ['rejected', [write('broken.txt', 'x\n'), READY]],
    ['agent-error', [write('kept.txt', 'x\n'), { crash: { exit: 3 } }]],
  ])('of an iteration that is %s lands in the progress log', async (verdict, actions) => {
    await iteration([...NOTES, ...actions]);
    expect(await ledgerOf(project)).toMatchObject([{ verdict }]);
    const log = await project.read('ralph/progress.txt');
    const [patterns, entries] = log.split(/^---$/m);
    expect(patterns).toContain('- Prices are integers.');
    expect(entries).toContain('Tills round to cents.');
    expect(await project.read('kept.txt')).toBe('kept\n');
    await treeIsClean();
  });
});

describe('what was said through a tool', () => {
  test('outlives a kill -9 of the loop between the end of the agent and the conclusion', {
    tags: ['promise'],
  }, async () => {
    project = await makeProject({
      ...CHECKED,
      stories: [{ id: 'US-001' }],
      steps: [
        {
          when: { mode: 'implement' },
          do: [
            write('till.txt', 'x\n'),
            complete(),
            tool('log_progress', { text: 'Tills round.' }),
            tool('add_story', wish('Coins')),
            STOPS,
          ],
        },
        { do: [{ say: 'looks right' }, APPROVED] },
      ],
    });
    const killed = await project.run(['--once'], { RALPH_CRASHPOINT: 'agent-ended' });
    expect(killed.signal).toBe('SIGKILL');
    expect(await storyNow()).toMatchObject({ reviewStatus: null });
    const { stdout } = await project.run(['--once']);
    expect(stdout).toContain('its work was judged now');
    expect(await ledgerOf(project)).toMatchObject([
      { mode: 'implement', verdict: 'accepted' },
      { mode: 'review', verdict: 'accepted' },
    ]);
    expect(await project.stories()).toMatchObject([
      { id: 'US-001', reviewStatus: 'approved', passes: true },
      { id: 'US-002', title: 'Coins' },
    ]);
    expect(await project.read('ralph/progress.txt')).toContain('Tills round.');
    await treeIsClean();
  });

  test.each([
    ['with a network error', { fail: { kind: 'network', message: 'the connection broke' } }],
    ['without a last word', { empty: true }],
  ])('is judged with its work when the agent then ends %s: nothing is started again', async (_how, ending) => {
    project = await makeProject({
      ...CHECKED,
      stories: [{ id: 'US-001' }],
      files: { ...CHECKED.files, 'ralph.config.json': '{ "transient": { "retries": 1, "delay": "10ms" } }\n' },
      steps: [
        { when: { try: 1 }, do: [write('till.txt', 'x\n'), complete(), ending] },
        { do: [write('other.txt', 'y\n'), STOPS] },
      ],
    });
    await project.run(['--once']);
    expect((await eventsOf(project)).filter(({ type }) => type === 'agent-start')).toHaveLength(1);
    expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted', rescue: null }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: 'needs_review' });
    expect(await project.git('show', 'HEAD:till.txt')).toBe('x');
  });
});
