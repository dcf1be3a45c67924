import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { AddedTokens } from '../../src/contracts/index.ts';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { type ClientProject, makeClientProject } from '../support/client-project.ts';
import { bash, edit, toldIn } from '../support/client-talk.ts';
import type { Script } from '../support/model-server.ts';
import type { ToolUse, Turn } from '../support/model-turn.ts';
import type { ProjectOptions } from '../support/project.ts';

const binary = await claudeBinary();
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

const PACKAGE = JSON.stringify({ name: 'p', type: 'module', scripts: { test: 'node --test' } });
const TEST =
  "import test from 'node:test';\nimport assert from 'node:assert';\ntest('sum', () => assert.equal(1 + 1, SUM));\n";
const OPTIONS: ProjectOptions = {
  files: {
    'package.json': PACKAGE,
    'sum.test.js': TEST.replace('SUM', '2'),
    'notes.txt': 'first\n',
    'more.txt': 'second\n',
  },
  verifyCommands: ['npm test --silent'],
  stories: [{ id: 'US-001', title: 'Sum' }],
};

const read = (file_path: string): ToolUse => ({ name: 'Read', input: { file_path } });
const write = (file_path: string, content: string): ToolUse => ({ name: 'Write', input: { file_path, content } });

/** Decisions inside the session of the real Claude Code: each has to reach the model, in the very next request. */
describe.skipIf(!binary)('hooks and tools with the real client', () => {
  let made: ClientProject;
  afterEach(() => made.remove());

  /** Runs one iteration and returns what the model was told before each of its turns, the first left out. */
  async function session(
    turns: (root: string) => readonly Turn[],
    { settings = {}, args = ['run', '--once'] }: { settings?: Record<string, unknown>; args?: readonly string[] } = {},
  ): Promise<{ readonly told: readonly string[]; readonly stdout: string }> {
    const script = (root: string): Script => {
      const all = turns(root);
      return ({ turn }) => all[turn - 1] ?? 'I stop here.';
    };
    made = await makeClientProject(binary as string, script, OPTIONS, settings);
    const { stdout, stderr } = await made.project.ralph(args, made.env);
    expect(stderr).toBe('');
    return { told: made.server.requests.slice(1).map(toldIn), stdout };
  }

  async function added(): Promise<AddedTokens> {
    const end = (await made.events()).find(({ type }) => type === 'agent-end');
    return end?.['added'] as AddedTokens;
  }

  test('what may not be written is denied, with the reason and a way out', async () => {
    const { told } = await session((root) => [
      { tools: [edit(join(root, 'notes.txt'), 'first', 'changed')] },
      { tools: [read(join(root, 'ralph/prd.md'))] },
      { tools: [edit(join(root, 'ralph/prd.md'), 'What is wanted', 'Nothing')] },
      { tools: [write('/etc/ralph-was-here', 'x')] },
      { tools: [bash('echo {} > .ralph-active')] },
      { tools: [bash('cd ralph && echo more >> prd.md')] },
      'I give up.',
    ]);
    expect(told[0]).toMatch(/notes\.txt.*[Rr]ead/);
    expect(told[2]).toContain('ralph/prd.md');
    expect(told[2]).toMatch(/PreToolUse:Edit hook error/);
    expect(told[3]).toMatch(/outside the work tree/);
    expect(told[4]).toMatch(/PreToolUse:Bash hook error.*\.ralph-active/);
    expect(told[5]).toMatch(/PreToolUse:Bash hook error.*prd\.md/);
    expect(await made.project.read('notes.txt')).toBe('first\n');
    const denied = (await made.events()).filter(({ type }) => type === 'denied');
    expect(denied.length).toBeGreaterThanOrEqual(5);
    expect((await made.ledger())[0]).toMatchObject({ verdict: 'no-progress' });
  });

  test('the guard denies a push and destruction, and names what to do instead', async () => {
    const { told, stdout } = await session(() => [
      { tools: [bash('git push --force origin main')] },
      { tools: [bash('sudo env X=1 sh -c "rm -rf /"')] },
      { tools: [bash('echo "never run rm -rf / here" && ls')] },
      'I stop.',
    ]);
    expect(told[0]).toMatch(/PreToolUse:Bash hook error.*request_merge/);
    expect(told[1]).toMatch(/PreToolUse:Bash hook error/);
    expect(told[2]).not.toContain('hook error');
    expect(stdout).toContain('git push --force origin main');
    expect((await added()).hooks).toBeGreaterThan(50);
  });

  test('failing tests are seen through PostToolUseFailure, kept for the next prompt, and passing ones too', async () => {
    const { told } = await session((root) => [
      { tools: [write(join(root, 'extra.test.js'), TEST.replace('SUM', '3'))] },
      { tools: [bash('npm test')] },
      { tools: [bash('npm test 2>&1 | tail -20')] },
      { tools: [bash('rm extra.test.js')] },
      { tools: [bash('npm test')] },
      'I stop.',
    ]);
    expect(told.length).toBeGreaterThan(4);
    const seen = (await made.events()).filter(({ type }) => type === 'test-result');
    expect(seen.map(({ outcome, failed }) => [outcome, failed])).toEqual([
      ['fail', 1],
      ['fail', 1],
      ['pass', 0],
    ]);
    const log = await made.project.read('.ralph/failure-context.log');
    expect(log).toContain('US-001');
    expect(log).toContain('npm test');
    expect((await made.ledger())[0]).toMatchObject({ tests: { outcome: 'pass' } });
  });

  test('with --rollback immediate a failing test takes the work back and tells where it is', async () => {
    const { told } = await session(
      (root) => [
        { tools: [write(join(root, 'extra.test.js'), TEST.replace('SUM', '3')), read(join(root, 'notes.txt'))] },
        { tools: [bash('npm test')] },
        'I stop.',
      ],
      { args: ['run', '--once', '--rollback', 'immediate'] },
    );
    const ref = /refs\/ralph\/rescue\/[\w./-]+/.exec(told[1] ?? '')?.[0] ?? '';
    expect(told[1]).toContain('rolled back');
    expect(await made.project.git('show', `${ref}:extra.test.js`)).toContain('1 + 1, 3');
    await expect(made.project.read('extra.test.js')).rejects.toThrow();
  });

  test('in an ordinary run uncommitted work is no reason to refuse a stop: the loop commits it', async () => {
    const { told } = await session((root) => [{ tools: [write(join(root, 'sum.js'), 'export {};\n')] }, 'Done.']);
    expect(told.join()).not.toContain('Stop hook feedback');
    expect(await made.project.git('show', 'HEAD:sum.js')).toContain('export');
  });

  test('with `commits: keep` a stop is refused while the story is self-approved or work is uncommitted', async () => {
    const tasks = (root: string) => join(root, 'ralph/tasks.json');
    const turns = (root: string) => [
      { tools: [read(tasks(root)), write(join(root, 'sum.js'), 'export {};\n')] },
      { tools: [edit(tasks(root), '"passes": false', '"passes": true')] },
      'All done and approved.',
      { tools: [edit(tasks(root), '"passes": true', '"passes": false')] },
      { tools: [edit(tasks(root), '"reviewStatus": null', '"reviewStatus": "needs_review"')] },
      'Now it is ready for review.',
      { tools: [bash('git add -A && git commit -q -m "sum"')] },
      'Committed.',
    ];
    const { told } = await session(turns, { settings: { commits: 'keep' } });
    expect(told[2]).toMatch(/Stop hook feedback.*US-001.*passes/s);
    expect(told[5]).toMatch(/Stop hook feedback.*sum\.js/s);
    expect(told).toHaveLength(7);
    expect((await made.ledger())[0]).toMatchObject({ verdict: 'accepted', state: 'needs_review', violations: [] });
    expect((await made.events()).filter(({ type }) => type === 'stop-refused')).toHaveLength(2);
  });

  test('an agent that only talks is refused twice; then the loop corrects what is left', async () => {
    const { told, stdout } = await session((root) => [
      { tools: [read(join(root, 'ralph/tasks.json'))] },
      { tools: [edit(join(root, 'ralph/tasks.json'), '"passes": false', '"passes": true')] },
      'Approved!',
      'Still approved!',
      'And approved again!',
      'One too many.',
    ]);
    expect(stdout.match(/ refused +stopping: /g), stdout).toHaveLength(1);
    expect(stdout).toContain(' 2 times: stopping: ');
    expect(told.filter((text) => text.includes('Stop hook feedback'))).toHaveLength(2);
    const [line] = await made.ledger();
    expect(line?.['violations']).toMatchObject([{ rule: 'transition/self-approval' }]);
    expect((await made.project.stories())[0]).toMatchObject({ passes: false });
  });

  test('tools are there from the first request; complete_story believes the checks, not the agent', async () => {
    const complete: ToolUse = {
      name: 'mcp__ralph__complete_story',
      input: { status: 'success', summary: 'The sum is tested.', tests: 'passing' },
    };
    const { told } = await session((root) => [
      { tools: [{ name: 'mcp__ralph__get_story', input: {} }] },
      { tools: [write(join(root, 'extra.test.js'), TEST.replace('SUM', '3'))] },
      { tools: [complete] },
      { tools: [write(join(root, 'extra.test.js'), TEST.replace('SUM', '2'))] },
      { tools: [complete, { name: 'mcp__ralph__log_progress', input: { text: 'Sums are easy.' } }] },
      { tools: [{ name: 'mcp__ralph__add_story', input: { title: 'Products', acceptance_criteria: ['2 x 3 is 6'] } }] },
      { tools: [{ name: 'mcp__ralph__submit_review', input: { verdict: 'approve' } }] },
      { tools: [bash('git add -A && git commit -q -m "sum"')] },
      'Done.',
    ]);
    const { tools } = JSON.parse(made.server.requests[0]?.raw ?? '') as { tools: readonly { name: string }[] };
    const ours = tools.filter(({ name }) => name.startsWith('mcp__ralph__'));
    expect(ours.map(({ name }) => name)).toContain('mcp__ralph__complete_story');
    // What the loop counts is what the client sends, at four characters a token.
    expect((await added()).tools / (JSON.stringify(ours).length / 4)).toBeCloseTo(1, 1);
    expect(told[0]).toContain('US-001: Sum');
    expect(told[2]).toMatch(/not finished.*npm test/s);
    expect(told[4]).toContain('The checks pass');
    expect(told[5]).toContain('US-002');
    expect(told[6]).toMatch(/own work|no tool|not available|No such tool/i);
    expect((await made.ledger())[0]).toMatchObject({ verdict: 'accepted', state: 'needs_review' });
    expect(await made.project.stories()).toMatchObject([
      { id: 'US-001', reviewStatus: 'needs_review', passes: false, notes: 'The sum is tested.' },
      { id: 'US-002', title: 'Products', passes: false },
    ]);
    expect(await made.project.read('ralph/progress.txt')).toContain('Sums are easy.');
  });

  test('nothing of the user’s leaks in, nothing of ours leaks out', async () => {
    const script =
      (): Script =>
      ({ turn }) =>
        turn === 1 ? { tools: [bash('ls')] } : 'I stop.';
    made = await makeClientProject(binary as string, script, OPTIONS);
    const { project, env } = made;
    const trap = join(project.outside, 'trapped');
    const hook = { hooks: [{ type: 'command', command: `touch ${trap}` }] };
    const settings = JSON.stringify({ hooks: { PreToolUse: [hook], UserPromptSubmit: [hook], Stop: [hook] } });
    const home = join(env['CLAUDE_CONFIG_DIR'] as string, 'settings.json');
    await writeFile(home, settings);
    await mkdir(join(project.root, '.claude'));
    await writeFile(join(project.root, '.claude/settings.json'), settings);
    await project.git('add', '-A');
    await project.git('commit', '-q', '-m', 'hooks of the user');

    await project.ralph(['run', '--once'], env);
    await expect(readFile(trap)).rejects.toThrow();
    expect(await readFile(home, 'utf8')).toBe(settings);
    expect(await project.read('.claude/settings.json')).toBe(settings);
    const left = await project.git('status', '--porcelain', '--ignored', '.claude');
    expect(left).toBe('');
    // Ours fired all the same: the run has nothing to say about silent hooks.
    expect((await made.events()).some(({ type, text }) => type === 'notice' && /hook/i.test(String(text)))).toBe(false);
  });

  test('a client whose hooks never fire is noticed, and its work judged all the same', async () => {
    const script = (): Script => () => 'I did nothing.';
    made = await makeClientProject(binary as string, script, OPTIONS);
    const deaf = join(made.project.outside, 'deaf-client');
    // Everything of the settings goes: as a version that refuses one of our entries would ignore them all.
    await writeFile(
      deaf,
      `#!/bin/sh\nfor word in "$@"; do shift; case $word in --settings) skip=1;; *) [ "$skip" = 1 ] && skip= || set -- "$@" "$word";; esac; done\nexec ${binary} "$@"\n`,
    );
    await chmod(deaf, 0o755);
    const { stdout } = await made.project.ralph(['run', '--once'], {
      ...made.env,
      RALPH_AGENTS_CLAUDE_COMMAND: deaf,
    });
    expect(stdout).toContain('No hook of claude was called');
    expect((await made.ledger())[0]).toMatchObject({ verdict: 'no-progress' });
  });
});
