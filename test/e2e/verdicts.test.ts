import { afterEach, describe, expect, test } from 'vitest';
import { type Ended, makeProject, type Project, type ProjectOptions } from '../support/project.ts';

/**
 * Each row of the verdict table, end to end: what happens to the tree, the story, its attempts and the commits. One
 * iteration is run (`--once`); the check fails when `broken.txt` exists.
 */

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const CHECKED: ProjectOptions = {
  files: { 'check.sh': 'test ! -e broken.txt\n', 'kept.txt': 'kept\n' },
  verifyCommands: ['sh check.sh'],
};

let project: Project;
afterEach(() => project?.remove());

async function iteration(
  story: object,
  actions: readonly object[],
  args: readonly string[] = [],
  options: ProjectOptions = CHECKED,
): Promise<Ended> {
  project = await makeProject({ ...options, stories: [{ id: 'US-001', ...story }], steps: [{ do: actions as never }] });
  return project.run(['--once', ...args]);
}

interface LedgerLine {
  readonly verdict: string;
  readonly counts: string;
  readonly reason: string;
  readonly rescue: string | null;
  readonly blocked: string | null;
  readonly violations: readonly { readonly rule: string; readonly message: string }[];
}

async function ledger(): Promise<readonly LedgerLine[]> {
  const text = await project.read('.git/ralph/ledger.jsonl');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Subjects of the work's commits, oldest first; the loop's bookkeeping apart. */
async function commits(): Promise<readonly string[]> {
  const log = await project.git('log', '--reverse', '--format=%s', 'main..HEAD');
  return log.split('\n').filter((subject) => subject !== '' && !subject.startsWith('chore(ralph)'));
}

const storyNow = async () => (await project.stories())[0];
const treeIsClean = async () => expect(await project.git('status', '--porcelain')).toBe('');

describe('accepted', () => {
  test('a legal claim with green checks becomes one commit, and the story goes to review', async () => {
    await iteration({}, [{ write: { path: 'new.txt', content: 'new\n' } }, READY]);
    expect(await ledger()).toMatchObject([{ verdict: 'accepted', counts: 'good' }]);
    expect(await commits()).toEqual(['feat(US-001): story US-001']);
    expect(await storyNow()).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
    expect((await project.git('show', '--name-only', '--format=', 'HEAD')).split('\n').sort()).toEqual([
      '.ralph/.gitignore',
      'new.txt',
      'ralph/progress.txt',
      'ralph/tasks.json',
    ]);
    expect(await project.git('show', 'HEAD:ralph/tasks.json')).toBe((await project.read('ralph/tasks.json')).trimEnd());
    await treeIsClean();
  });

  test('a review that approves, with green checks, makes the story done and leaves a receipt', {
    tags: ['promise'],
  }, async () => {
    await iteration({ reviewStatus: 'needs_review' }, [
      { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } },
    ]);
    expect(await storyNow()).toMatchObject({ reviewStatus: 'approved', passes: true, reviewCount: 1 });
    expect(await commits()).toEqual(['review(US-001): approved']);
    expect(JSON.stringify(JSON.parse(await project.read('ralph/reviews.json')))).toContain('sh check.sh');
  });

  test('a story that is approved and red is sent back with the output of the checks', async () => {
    const options = {
      ...CHECKED,
      files: {
        ...CHECKED.files,
        'check.sh': 'test ! -e late.txt || { echo it is late; exit 1; }\n',
      },
    };
    await iteration(
      { reviewStatus: 'needs_review' },
      [
        { write: { path: 'late.txt', content: 'x' } },
        { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } },
      ],
      [],
      options,
    );
    expect(await storyNow()).toMatchObject({ reviewStatus: 'changes_requested', passes: false, reviewCount: 1 });
    expect((await storyNow())?.['reviewFeedback']).toContain('it is late');
    expect(await commits()).toEqual(['review(US-001): changes requested']);
  });

  test('a process that ends badly after a legal claim with green checks is accepted, the bad end recorded', async () => {
    await iteration({}, [
      { write: { path: 'new.txt', content: 'new\n' } },
      { story: { set: { reviewStatus: 'needs_review' } } },
      { crash: { exit: 3 } },
    ]);
    expect(await ledger()).toMatchObject([{ verdict: 'accepted', counts: 'good' }]);
    expect((await ledger())[0]?.reason).toMatch(/ended with an error/);
    expect(await commits()).toEqual(['feat(US-001): story US-001']);
  });
});

describe('advanced', () => {
  test('green checks and real changes without a claim become a wip commit; the story stays open', async () => {
    await iteration({}, [{ write: { path: 'half.txt', content: 'half\n' } }, { say: 'to be continued' }]);
    expect(await ledger()).toMatchObject([{ verdict: 'advanced', counts: 'good' }]);
    expect(await commits()).toEqual(['wip(US-001): story US-001']);
    expect(await storyNow()).toMatchObject({ reviewStatus: null, passes: false });
    await treeIsClean();
  });

  test('from the third in a row each spends an attempt, until the story is blocked', { tags: ['long'] }, async () => {
    const story = { id: 'US-001' };
    const append = { append: { path: 'half.txt', content: 'more\n' } };
    project = await makeProject({ ...CHECKED, stories: [story], steps: [{ do: [append, { say: 'go on' }] }] });
    const { code } = await project.run(['--story-max-attempts', '2']);
    expect(code).toBe(6);
    expect((await ledger()).map(({ verdict }) => verdict)).toEqual(['advanced', 'advanced', 'advanced', 'advanced']);
    expect((await storyNow())?.['blocked']).toMatch(/2 failed attempts/);
  });
});

describe('rejected', () => {
  test('a green check that turns red rolls everything back and keeps it', { tags: ['promise'] }, async () => {
    await iteration({}, [
      { write: { path: 'broken.txt', content: 'x\n' } },
      { write: { path: 'kept.txt', content: 'changed\n' } },
      { progress: 'what I learned' },
      READY,
    ]);
    const [line] = await ledger();
    expect(line).toMatchObject({ verdict: 'rejected', counts: 'bad' });
    expect(line?.reason).toContain('sh check.sh');
    expect(await project.read('kept.txt')).toBe('kept\n');
    await expect(project.read('broken.txt')).rejects.toThrow();
    expect(await project.git('show', `${line?.rescue}:broken.txt`)).toBe('x');
    expect(await storyNow()).toMatchObject({ reviewStatus: null, passes: false });
    expect(await commits()).toEqual([]);
    expect(await project.read('ralph/progress.txt')).toContain('what I learned');
    await treeIsClean();
  });

  test('after the last attempt the story is blocked, and the run ends with 6', { tags: ['long'] }, async () => {
    project = await makeProject({
      ...CHECKED,
      stories: [{ id: 'US-001' }],
      steps: [{ do: [{ write: { path: 'broken.txt', content: 'x\n' } }, READY] }],
    });
    const { code } = await project.run(['--story-max-attempts', '2']);
    expect(code).toBe(6);
    expect((await ledger()).map(({ verdict }) => verdict)).toEqual(['rejected', 'rejected']);
    expect((await storyNow())?.['blocked']).toMatch(
      /^2 failed attempts; the last: a check that passed before fails now/,
    );
  });

  test("a story's own check that fails rejects a claim, even where everything else is green", async () => {
    await iteration({ verifyCommands: ['test -e promised.txt'] }, [
      { write: { path: 'other.txt', content: 'x\n' } },
      READY,
    ]);
    expect(await ledger()).toMatchObject([{ verdict: 'rejected' }]);
    expect(await commits()).toEqual([]);
  });

  test('a review that changes a tracked file is rolled back whole, and its verdict does not stand', async () => {
    await iteration({ reviewStatus: 'needs_review' }, [
      { write: { path: 'kept.txt', content: 'fixed\n' } },
      { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } },
    ]);
    expect(await ledger()).toMatchObject([{ verdict: 'rejected', counts: 'bad' }]);
    expect(await project.read('kept.txt')).toBe('kept\n');
    expect(await storyNow()).toMatchObject({ reviewStatus: 'needs_review', passes: false, reviewCount: 0 });
  });

  test('other leftovers of a review are rescued and removed; its verdict stands', async () => {
    const { stdout } = await iteration({ reviewStatus: 'needs_review' }, [
      { write: { path: 'scratch.txt', content: 'notes\n' } },
      { run: 'git add scratch.txt && git commit -q -m mine' },
      { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } },
    ]);
    const [line] = await ledger();
    expect(line).toMatchObject({ verdict: 'accepted' });
    expect(stdout, 'such a rescue is routine').not.toContain('Needs you');
    expect(stdout).toContain('rolled-back work you can restore: 1');
    expect(await project.git('show', `${line?.rescue}:scratch.txt`)).toBe('notes');
    await expect(project.read('scratch.txt')).rejects.toThrow();
    expect(await storyNow()).toMatchObject({ passes: true, reviewStatus: 'approved' });
  });

  test('a commit hook of the user that fails rejects the work with its output', async () => {
    project = await makeProject({
      ...CHECKED,
      stories: [{ id: 'US-001' }],
      steps: [{ do: [{ write: { path: 'new.txt', content: 'x\n' } }, READY] }],
    });
    await project.write('.git/hooks/pre-commit', '#!/bin/sh\necho no semicolons allowed; exit 1\n');
    const { chmod } = await import('node:fs/promises');
    await chmod(`${project.root}/.git/hooks/pre-commit`, 0o755);
    await project.run(['--once']);
    const [line] = await ledger();
    expect(line).toMatchObject({ verdict: 'rejected' });
    expect(JSON.stringify(line)).toContain('no semicolons allowed');
    expect(await commits()).toEqual([]);
    await project.run(['--once', '--no-verify']);
    expect(await commits()).toEqual(['feat(US-001): story US-001']);
  });
});

describe('no progress', () => {
  test('no change and no claim leaves the tree alone and spends an attempt', async () => {
    await iteration({}, [{ say: 'I looked around.' }]);
    expect(await ledger()).toMatchObject([{ verdict: 'no-progress', counts: 'bad', rescue: null }]);
    expect(await commits()).toEqual([]);
  });

  test('a claim without any change is no progress under --skip-review', { tags: ['long'] }, async () => {
    await iteration({}, [READY], ['--skip-review']);
    expect(await ledger()).toMatchObject([{ verdict: 'no-progress' }]);
    expect(await storyNow()).toMatchObject({ passes: false, reviewStatus: null });
  });

  test('otherwise, too, unless evidence shows that it was done before', { tags: ['long'] }, async () => {
    await iteration({}, [READY]);
    expect(await ledger()).toMatchObject([{ verdict: 'no-progress' }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: null });
    await project.remove();
    await iteration({}, [{ status: { STATUS: 'COMPLETE', ALREADY_DONE: true, EVIDENCE: 'kept.txt' } }]);
    expect(await ledger()).toMatchObject([{ verdict: 'accepted' }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: 'needs_review' });
    const { stdout } = await project.ralph(['run', '--dry-run']);
    expect(stdout).toContain('NO CHANGE');
  });

  test('a review without a verdict spends an attempt and counts no review', async () => {
    await iteration({ reviewStatus: 'needs_review' }, [{ say: 'Hm.' }]);
    expect(await ledger()).toMatchObject([{ verdict: 'no-progress', counts: 'bad' }]);
    expect(await storyNow()).toMatchObject({ reviewStatus: 'needs_review', reviewCount: 0 });
  });
});

describe('bad ends', () => {
  test('an agent that falls silent is stopped and rolled back', { tags: ['long'] }, async () => {
    await iteration({}, [{ write: { path: 'kept.txt', content: 'x' } }, { hang: true }], ['--idle-timeout', '1']);
    expect(await ledger()).toMatchObject([{ verdict: 'timed-out', counts: 'bad' }]);
    expect(await project.read('kept.txt')).toBe('kept\n');
  });

  test('an agent that crashes is rolled back', { tags: ['long'] }, async () => {
    await iteration({}, [{ write: { path: 'kept.txt', content: 'x' } }, { crash: { exit: 3 } }]);
    expect(await ledger()).toMatchObject([{ verdict: 'agent-error', counts: 'bad' }]);
    expect(await project.read('kept.txt')).toBe('kept\n');
  });

  test('a usage limit of the provider ends the run with 5, where that is asked for; nothing is charged to the story', async () => {
    const { code, stdout } = await iteration(
      {},
      [{ write: { path: 'kept.txt', content: 'x' } }, { limit: { kind: 'five_hour', in: '1h' } }],
      ['--on-usage-limit', 'stop'],
    );
    expect(code).toBe(5);
    expect(stdout).toContain('5-hour usage limit reached');
    const [line] = await ledger();
    expect(line).toMatchObject({ verdict: 'limited', counts: 'ignored' });
    expect(line?.rescue).toMatch(/^refs\/ralph\/rescue\//);
    const { stdout: plan } = await project.ralph(['run', '--dry-run']);
    expect(plan).toContain(String(line?.rescue));
    expect(plan).not.toContain('attempt 2');
  });

  test('a login that is refused ends the run with 7; nothing is charged to the story', async () => {
    const { code } = await iteration({}, [{ fail: { kind: 'auth', message: 'please log in' } }]);
    expect(code).toBe(7);
    expect(await ledger()).toMatchObject([{ verdict: 'limited', counts: 'ignored', reason: 'please log in' }]);
  });

  test('an empty answer without work is tried again, and after the last time it is an error', async () => {
    project = await makeProject({
      ...CHECKED,
      stories: [{ id: 'US-001' }],
      files: { ...CHECKED.files, 'ralph.config.json': '{ "transient": { "retries": 2, "delay": "10ms" } }\n' },
      steps: [
        { when: { mode: 'implement', try: [1, 2] }, do: [{ progress: 'I begin.' }, { empty: true }] },
        { when: { mode: 'implement' }, do: [{ write: { path: 'new.txt', content: 'x\n' } }, READY] },
        { do: [{ empty: true }] },
      ],
    });
    await project.run(['--once']);
    expect(await commits()).toEqual(['feat(US-001): story US-001']);
    expect((await project.git('for-each-ref', '--format=%(refname)', 'refs/ralph/rescue')).split('\n')).toHaveLength(2);
    await project.run(['--once']);
    expect((await ledger()).map(({ verdict }) => verdict)).toEqual(['accepted', 'agent-error']);
  });

  test.each([
    ['an empty answer', { empty: true }],
    ['a connection that broke', { fail: { kind: 'network', message: 'connection reset' } }],
  ])('work before %s is judged like any other: green is kept', async (_, end) => {
    await iteration({}, [{ write: { path: 'new.txt', content: 'x\n' } }, end]);
    expect(await ledger()).toMatchObject([{ verdict: 'advanced', counts: 'good', rescue: null }]);
    expect(await project.read('new.txt')).toBe('x\n');
  });

  test('red work before an empty answer is rejected', async () => {
    await iteration({}, [{ write: { path: 'broken.txt', content: 'x' } }, { empty: true }]);
    expect(await ledger()).toMatchObject([{ verdict: 'rejected', counts: 'bad' }]);
    await expect(project.read('broken.txt')).rejects.toThrow();
  });
});
