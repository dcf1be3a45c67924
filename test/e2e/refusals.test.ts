import { chmod, rm } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { plainText } from '../support/plain-text.ts';
import { easySteps, makeProject, type Project, type ProjectOptions, RALPH } from '../support/project.ts';
import { commitsOf } from '../support/records.ts';
import { listTree } from '../support/tree-listing.ts';

const ONE_STORY: ProjectOptions = { stories: [{ id: 'US-001' }], steps: easySteps('US-001') };

let project: Project;
afterEach(() => project?.remove());

/** What a refused run may write all the same: its lock, objects that nothing refers to, the ignore line of its marker. */
const ITS_OWN = ['.git/ralph', '.git/objects', '.git/info/exclude'];

/** Whole text of a refusal, as the person reads it. Refusing must not touch a file of the user's. */
async function refusal(args: readonly string[], code: number, env?: Readonly<Record<string, string>>): Promise<string> {
  const looked = () => listTree(project.root, { without: ITS_OWN });
  const before = await looked();
  const ended = await project.ralph(args, env);
  expect({ code: ended.code, stdout: ended.stdout }, ended.stderr).toEqual({ code, stdout: '' });
  expect(ended.stderr).not.toMatch(/\n\s+at /);
  expect(await looked()).toEqual(before);
  // Older versions of Node get the last client that works with them.
  return plainText(project, ended.stderr).replace(/(claude-code)@[\d.]+/, '$1');
}

const run = (...args: readonly string[]): readonly string[] => ['run', '--scenario', project.scenario, ...args];

describe('the repository', () => {
  test('there is none', async () => {
    project = await makeProject(ONE_STORY);
    await rm(`${project.root}/.git`, { recursive: true });
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: this folder is not in a git repository
        where: <root>
        why:   a failed iteration is rolled back with git, and a finished one becomes a commit
        fix:   git init && git add -A && git commit -m "Start"
        fix:   or name the project: --project-dir PATH
        fix:   or, for a backlog of several repositories: ralph stream start
      "
    `);
  });

  test('it has no commit yet', async () => {
    project = await makeProject(ONE_STORY);
    await rm(`${project.root}/.git`, { recursive: true });
    await project.git('init', '-q', '-b', 'main');
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: this repository has no commit yet
        where: <root>
        why:   an iteration is rolled back to the commit before it
        fix:   git add -A && git commit -m "Start"
        fix:   or, with no files yet: git commit --allow-empty -m "Start"
      "
    `);
  });

  test('a merge is under way', async () => {
    await inConflict('merge');
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: a merge is under way in this work tree
        where: <root>/.git/MERGE_HEAD
        why:   the commit of an iteration would end it or get lost in it
        fix:   git merge --continue
        fix:   git merge --abort
      "
    `);
  });

  test('a rebase is under way', async () => {
    await inConflict('rebase');
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: a rebase is under way in this work tree
        where: <root>/.git/rebase-merge
        why:   the commit of an iteration would end it or get lost in it
        fix:   git rebase --continue
        fix:   git rebase --abort
      "
    `);
  });

  test('a cherry-pick is under way', async () => {
    await inConflict('cherry-pick');
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: a cherry-pick is under way in this work tree
        where: <root>/.git/CHERRY_PICK_HEAD
        why:   the commit of an iteration would end it or get lost in it
        fix:   git cherry-pick --continue
        fix:   git cherry-pick --abort
      "
    `);
  });

  test('its commits are to be signed, and none can be: told before an agent works', async () => {
    const files = { 'ralph.config.json': JSON.stringify({ commit: { sign: true } }) };
    project = await makeProject({ ...ONE_STORY, files });
    await project.git('config', 'gpg.program', 'false');
    const said = await refusal(run(), 2);
    expect(said).toContain('failed to sign the data');
    expect(said).toContain('ralph config set commit.sign false');
  });

  test('an untracked file cannot be read', { skip: process.getuid?.() === 0 }, async () => {
    project = await makeProject(ONE_STORY);
    await project.write('secret.key', 'x');
    await chmod(`${project.root}/secret.key`, 0);
    const { code, stderr } = await project.run();
    await chmod(`${project.root}/secret.key`, 0o600);
    expect(code).toBe(2);
    expect(stderr).toContain('secret.key');
  });

  /** Stops in the middle of `git <operation> other`, with a conflict in clash.txt. */
  async function inConflict(operation: string): Promise<void> {
    project = await makeProject({ ...ONE_STORY, files: { 'clash.txt': 'base\n' } });
    await project.git('switch', '-q', '-c', 'other');
    await project.write('clash.txt', 'theirs\n');
    await project.git('commit', '-q', '-a', '-m', 'theirs');
    await project.git('switch', '-q', 'main');
    await project.write('clash.txt', 'ours\n');
    await project.git('commit', '-q', '-a', '-m', 'ours');
    await expect(project.git(operation, 'other')).rejects.toThrow();
  }
});

describe('uncommitted changes of tracked files', () => {
  async function dirty(): Promise<void> {
    project = await makeProject({ ...ONE_STORY, files: { 'a.txt': 'a\n', 'b.txt': 'b\n', 'gone.txt': 'gone\n' } });
    await project.write('a.txt', 'mine\n');
    await project.write('b.txt', 'mine too\n');
    await project.git('add', 'b.txt');
    await rm(`${project.root}/gone.txt`);
  }

  test('are refused with the ways out', async () => {
    await dirty();
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: 3 tracked files have uncommitted changes
        where: a.txt, b.txt, gone.txt
        why:   a run commits and rolls back in this work tree, and must not mix your changes into its commits
        fix:   commit them: git commit -a
        fix:   the same command with --worktree      works in a separate worktree instead
        fix:   the same command with --dirty=stash   stashes them and prints how to get them back
        fix:   the same command with --dirty=keep    keeps them in place; if the agent changes the same file, your lines are committed, too
      "
    `);
    await project.write('.git/ralph/advance', 'from to\n');
    expect(await refusal(run(), 2)).toContain('fix:   a merge was cut off while it wrote them: the same command again');
  });

  test('are put aside by --dirty=stash, and the printed command gets them back as they were', async () => {
    await dirty();
    const before = await project.git('status', '--porcelain');
    const { code, stdout } = await project.run(['--dirty=stash']);
    expect(code, stdout).toBe(0);
    expect(await project.git('status', '--porcelain')).toBe('');
    expect(await project.read('a.txt')).toBe('a\n');
    const command = /get them back with: git (.+)/.exec(stdout)?.[1];
    expect(command).toBeDefined();
    await project.git(...(command ?? '').split(' '));
    expect(await project.git('status', '--porcelain')).toBe(before);
    expect(await project.read('a.txt')).toBe('mine\n');
    expect(await project.read('b.txt')).toBe('mine too\n');
  });

  test('stay where they are under --dirty=keep, and no commit holds them', async () => {
    await dirty();
    const before = await project.git('status', '--porcelain');
    const { code, stdout } = await project.run(['--dirty=keep']);
    expect(code, stdout).toBe(0);
    expect(await project.git('status', '--porcelain')).toBe(before);
    expect(await commitsOf(project)).toEqual(['feat(US-001): story US-001', 'review(US-001): approved']);
    expect(await project.git('diff', '--name-only', 'main', 'HEAD', '--', 'a.txt', 'b.txt', 'gone.txt')).toBe('');
  });

  test('of the spec folder are no obstacle: they are committed when the run starts', async () => {
    project = await makeProject(ONE_STORY);
    await project.write('ralph/prd.md', '# Wanted differently\n');
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect(await project.git('show', 'HEAD:ralph/prd.md')).toBe('# Wanted differently');
  });
});

describe('the spec folder', () => {
  test('is missing', async () => {
    project = await makeProject(ONE_STORY);
    await rm(`${project.root}/ralph`, { recursive: true });
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: there are no stories here yet
        where: <root>
        why:   neither ralph/ nor .ralph/PRD-N/ with a backlog or prd.md, nor a PROMPT.md, is here or above
        fix:   ralph init
        fix:   or for one task: ralph "Fix the login"
        fix:   or for a plan: ralph plan "what you want"
      "
    `);
  });

  test('could be one of several', async () => {
    project = await makeProject({
      backlog: { path: '.ralph/PRD-2/tasks.json', text: '{}' },
      files: { '.ralph/PRD-3/prd.md': '# Three\n' },
    });
    await rm(`${project.root}/ralph`, { recursive: true });
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: several spec folders: PRD-2, PRD-3
        where: .ralph
        why:   without a PRD-1 ralph cannot choose one
        fix:   choose one: \`--prd 2\`
      "
    `);
  });

  test('is asked for by a number that is none', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(run('--prd', '../../etc'), 2)).toMatchInlineSnapshot(`
      "Error: --prd must be a positive whole number, not '../../etc'
      "
    `);
  });

  test('is asked for by a number that is not there', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(run('--prd', '7'), 2)).toMatchInlineSnapshot(`
      "Error: there is no .ralph/PRD-7
        fix:   \`ralph init --prd 7\` creates it
      "
    `);
  });

  test('holds two backlogs of equal rank', async () => {
    project = await makeProject({
      backlog: { path: 'ralph/fix_plan.md', text: '- [ ] one\n' },
      files: { 'ralph/@fix_plan.md': '- [ ] two\n' },
    });
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: two backlogs of equal precedence: ralph/@fix_plan.md and ralph/fix_plan.md
        where: ralph
        fix:   keep one of them
        fix:   PLAN_PATH=ralph/@fix_plan.md chooses one
      "
    `);
  });

  test('holds no backlog', async () => {
    project = await makeProject(ONE_STORY);
    await rm(`${project.root}/ralph/tasks.json`);
    expect(await refusal(run(), 2)).toMatchInlineSnapshot(`
      "Error: there is no backlog
        where: ralph
        why:   ralph works on the stories of a backlog: tasks.json, prd.json, plan.md or fix_plan.md
        fix:   write ralph/tasks.json (\`ralph init\` creates an empty one)
      "
    `);
  });
});

describe('the command line', () => {
  test('has an unknown command or flag: the nearest name is offered', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(['runn'], 2)).toMatchInlineSnapshot(`
      "Error: unknown command 'runn'. Did you mean run? (see: ralph --help)
      "
    `);
    expect(await refusal(run('--max-iteration', '3'), 2)).toMatchInlineSnapshot(`
      "Error: unknown option '--max-iteration'. Did you mean --max-iterations? (see: ralph run --help)
      "
    `);
    expect(await refusal(run('--dirty=stahs'), 2)).toMatchInlineSnapshot(`
      "Error: --dirty does not take 'stahs'; accepted: refuse, stash, keep
      "
    `);
    expect(await refusal(run('--no-such-thing-at-all'), 2)).toMatchInlineSnapshot(`
      "Error: unknown option '--no-such-thing-at-all' (see: ralph run --help)
      "
    `);
  });

  test('has a value that is none', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(run('--timeout', '10 parsecs'), 2)).toMatchInlineSnapshot(`
      "Error: --timeout does not take '10 parsecs'; accepted: '90s', '15m', '1h30m', '2h' or a plain number of seconds
      "
    `);
    expect(await refusal(run('--idle-timeout', '-5m'), 2)).toMatchInlineSnapshot(`
      "Error: --idle-timeout does not take '-5m'; accepted: '90s', '15m', '1h30m', '2h' or a plain number of seconds
      "
    `);
    expect(await refusal(run('many'), 2)).toMatchInlineSnapshot(`
      "Error: the number of iterations must be a whole number of at least 1, or a task in quotes, got 'many'
      "
    `);
    expect(await refusal(run('0'), 2)).toMatchInlineSnapshot(`
      "Error: the number of iterations must be a whole number of at least 1, got '0'
      "
    `);
    expect(await refusal(run('3', '-n', '4'), 2)).toMatchInlineSnapshot(`
      "Error: 3 iterations as the argument and 4 as --max-iterations cannot be used together
      "
    `);
  });

  test('names a story that is not there', async () => {
    project = await makeProject({ stories: [{ id: 'US-001' }, { id: 'US-002' }] });
    expect(await refusal(run('--story', 'US-003'), 2)).toContain("there is no story 'US-003'");
    expect(await refusal(run('--until', 'US-003'), 2)).toContain("there is no story 'US-003'");
  });
});

describe('the agent', () => {
  test('is not installed: exit 7', async () => {
    project = await makeProject({
      ...ONE_STORY,
      files: { 'ralph.config.json': '{ "agents": { "claude": { "command": "no-such-claude" } } }\n' },
    });
    expect(await refusal(['run'], 7)).toMatchInlineSnapshot(`
      "Error: the agent cannot be used
        where: claude: no-such-claude was not found or does not start (ENOENT)
        fix:   npm install -g @anthropic-ai/claude-code, then run \`claude\` once to log in; or name the program in agents.claude.command
        fix:   \`ralph doctor\` checks everything a run needs
      "
    `);
  });

  test('is unknown', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(['run', '--agent', 'cluade'], 2)).toMatchInlineSnapshot(`
      "Error: unknown agent 'cluade'
        fix:   did you mean 'claude'?
        fix:   agents: claude, codex, opencode, gemini, copilot, droid, cursor, amp, qwen, kimi, kiro, command, scripted
      "
    `);
  });

  test('has no scenario to play', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(['run', '--agent', 'scripted'], 2)).toMatchInlineSnapshot(`
      "Error: the scripted agent needs a scenario
        fix:   name one with --scenario FILE or scripted.scenario in the configuration
        fix:   its form: docs/scripted-agent.md
      "
    `);
  });
});

describe('inside an agent', () => {
  const INSIDE = { RALPH_RUN_ID: '20260101-000000-test' };

  test('a run is refused', async () => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(run(), 2, INSIDE)).toMatchInlineSnapshot(`
      "Error: ralph run is not for agents
        where: inside run <run> (RALPH_RUN_ID is set)
        why:   only the loop and the user change stories, runs and rescues
        fix:   as the agent: report what is needed in the final message or the status block
        fix:   as the user: type it in your own shell
      "
    `);
  });

  test.each([
    [['build']],
    [['init']],
    [['demo']],
    [['stories', 'add', 'one more', '-c', 'it works']],
    [['stories', 'block', 'US-001', 'too', 'hard']],
    [['stories', 'reset', 'US-001']],
    [['rescue', 'restore', 'x/1-1']],
    [['rescue', 'prune', '--older-than', '1d']],
  ])('ralph %j is refused', async (args) => {
    project = await makeProject(ONE_STORY);
    expect(await refusal(args, 2, INSIDE)).toContain('is not for agents');
  });

  test.each([[['status']], [['stories']], [['stories', 'next']], [['validate']], [['rescue']]])(
    'ralph %j may be asked',
    async (args) => {
      project = await makeProject(ONE_STORY);
      const { code, stderr } = await project.ralph(args, INSIDE);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  test('an agent of a run that tries it changes nothing', async () => {
    project = await makeProject({
      stories: [{ id: 'US-001' }, { id: 'US-002' }],
      steps: [
        {
          do: [
            { run: { command: `'${process.execPath}' '${RALPH}' stories reset US-002`, expect: 'fail' } },
            { write: { path: 'new.txt', content: 'x\n' } },
            { status: { STATUS: 'COMPLETE' } },
          ],
        },
      ],
    });
    await project.run(['--once']);
    expect(await commitsOf(project)).toEqual(['feat(US-001): story US-001']);
  });
});
