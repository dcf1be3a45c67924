// @module-tag long
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { makeProject, type Project, type ProjectOptions } from '../support/project.ts';

let project: Project | null = null;
afterEach(async () => {
  await project?.remove();
  project = null;
});

const EMPTY = { path: 'notes.txt', text: 'no backlog yet\n' };
const PRD = JSON.stringify({
  project: 'Shop',
  stack: 'node',
  tasks: [
    { id: 'T1', name: 'Log in', done: true, owner: 'una' },
    { id: 'T2', name: 'Log out', done: false, depends_on: ['T1'] },
  ],
});

async function made(options: ProjectOptions = {}): Promise<Project> {
  project = await makeProject({ backlog: EMPTY, ...options });
  return project;
}

async function imported(at: Project, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await at.ralph(['import', ...args, '--json']);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe('ralph import FILE', () => {
  it('makes a native backlog that validates, and leaves the source alone', { tags: ['promise'] }, async () => {
    const at = await made({ files: { 'docs/prd.json': PRD } });
    expect(await imported(at, 'docs/prd.json')).toMatchObject({
      stories: 2,
      done: 1,
      format: 'prd-json',
      shape: 'tasks',
    });
    const [first, second] = await at.stories();
    expect(first).toMatchObject({ id: 'T1', title: 'Log in', passes: true, reviewStatus: null, owner: 'una' });
    expect(second).toMatchObject({ id: 'T2', passes: false, dependsOn: ['T1'] });
    expect(JSON.parse(await at.read('ralph/tasks.json'))).toMatchObject({ project: 'Shop', stack: 'node' });
    expect(await at.read('docs/prd.json')).toBe(PRD);
    expect((await at.ralph(['validate'])).code).toBe(0);
  });

  it('only looks with --dry-run: outside of a repository, and inside an agent', async () => {
    const at = await made();
    await writeFile(join(at.outside, 'plan'), '- [x] one\n- [ ] two\n');
    const { code, stdout } = await at.ralph(['import', join(at.outside, 'plan'), '-d', '/', '--dry-run', '--json'], {
      RALPH_RUN_ID: 'run-1',
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ stories: 2, done: 1, format: 'markdown', written: [] });
    const refused = await at.ralph(['import', join(at.outside, 'plan')], { RALPH_RUN_ID: 'run-1' });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('not for agents') });
  });

  it('replaces a backlog with stories only with --force, and keeps it', async () => {
    const at = await made({ files: { 'prd.json': PRD } });
    await imported(at, 'prd.json');
    const before = await at.read('ralph/tasks.json');
    const refused = await at.ralph(['import', 'prd.json', '--json']);
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ stories: 0, error: { what: 'ralph/tasks.json has stories' } });
    const { backups } = await imported(at, 'prd.json', '--force');
    const [backup] = backups as readonly string[];
    expect(await at.read(backup ?? '')).toBe(before);
  });

  it('takes a plan that was worked on in place, with the state of its reviews', async () => {
    const at = await made({
      backlog: { path: 'ralph/plan.md', text: '# Shop\n\nIt sells tea.\n\n- [ ] US-1: Log in\n  - it works\n' },
      files: {
        'ralph/reviews.json': JSON.stringify({
          version: 1,
          stories: { 'US-1': { reviewStatus: 'needs_review', reviewCount: 1 } },
        }),
      },
    });
    await imported(at, 'ralph/plan.md');
    expect((await at.stories())[0]).toMatchObject({ id: 'US-1', reviewStatus: 'needs_review', reviewCount: 1 });
    // The PRD that was there stays; what the plan says stands beside it.
    expect(await at.read('ralph/plan.imported.md')).toContain('It sells tea.');
  });

  it.each([
    ['prd.json', '{"tasks": [{"title": "a",}\n', /prd\.json:\d+.*\n/],
    ['prd.json', '{"requirements": {"speed": "high"}}', /prd\.json:1/],
    ['plan.md', '# Plan\n\nOnly words.\n', /plan\.md:1.*no check boxes/],
    ['empty.json', '', /empty\.json:1.*empty/],
  ])('refuses %s with file, line and fix when there is nothing to import', async (path, text, said) => {
    const at = await made({ files: { [path]: text } });
    const { code, stdout, stderr } = await at.ralph(['import', path, '--json']);
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
    expect(stderr).toContain('fix:');
    expect(JSON.parse(stdout)).toMatchObject({ stories: 0, done: 0, format: null, warnings: [] });
    expect(await readdir(join(at.root, 'ralph'))).toEqual(['prd.md']);
  });

  it.each([
    ['a folder behind a link to nowhere', ['--ralph-dir', 'gone/x']],
    ['a file where a folder has to be', ['--ralph-dir', 'notes.txt/x']],
    ['a spec folder that is a link out', []],
  ])('writes nothing at all for %s', async (_, flags) => {
    const at = await made({ files: { 'prd.json': PRD } });
    await symlink(join(at.outside, 'nowhere'), join(at.root, 'gone'));
    if (flags.length === 0) {
      await rm(join(at.root, 'ralph'), { recursive: true, force: true });
      await mkdir(join(at.outside, 'out'));
      await symlink(join(at.outside, 'out'), join(at.root, 'ralph'));
    }
    const before = await readdir(at.root);
    expect(await at.ralph(['import', 'prd.json', ...flags])).toMatchObject({ code: 2 });
    expect(await readdir(at.root)).toEqual(before);
    expect(await readdir(at.outside)).not.toContain('nowhere');
    if (flags.length === 0) expect(await readdir(join(at.outside, 'out'))).toEqual([]);
  });

  it('proposes commands that work as they are printed', async () => {
    const at = await made({
      files: {
        'my plan/prd.json': `{"tasks": [{"title": "a", "done": false},]}`,
        'list.jsonl': '{"id":"A","title":"a","done":false}\n',
        'to do.md': '- [ ] a\n',
      },
    });
    const said = async (...args: readonly string[]) => (await at.ralph(['import', ...args])).stdout;
    expect(await said('my plan/prd.json', '--dry-run', '--repair', '--prd', '2')).toMatch(
      /ralph import 'my plan\/prd\.json' --repair --prd 2\n$/,
    );
    expect(await said('list.jsonl', '--dry-run')).not.toContain('PLAN_PATH');
    expect(await said('to do.md', '--dry-run')).toContain("PLAN_PATH='to do.md' ralph run");
    const real = await said('to do.md', '--prd', '2');
    expect(real).toContain('ralph validate --prd 2');
    expect(real).not.toContain('PLAN_PATH');
  });

  it.each([
    ['{"tasks": [{"title": "a", "done": false}]}', 'prd.json', null],
    ['{"project": "Tea Shop", "tasks": [{"title": "a", "done": false}]}', 'prd.json', 'ralph/tea-shop'],
    ['# Tasks\n\n- [ ] a\n', 'tasks.md', null],
  ])('names the branch after the project, else after the repository: %j', async (text, file, branch) => {
    const at = await made({ files: { [file]: text } });
    await imported(at, file, '--ralph-dir', 'docs/change');
    const { branchName } = JSON.parse(await at.read('docs/change/tasks.json'));
    const repository = basename(at.root)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-');
    expect(branchName).toBe(branch ?? `ralph/${repository}`);
  });

  it.each([
    ['plan.toml', 'plan.toml is TOML'],
    ['plan.yaml', 'plan.yaml is not valid YAML'],
    ['https://github.com/una/app/issues/12', "ralph import 'gh:una/app#12'"],
  ])('says what %s is', async (source, said) => {
    const at = await made({ files: { 'plan.toml': 'a = 1\n', 'plan.yaml': 'a: [' } });
    expect(await at.ralph(['import', source])).toMatchObject({ code: 2, stderr: expect.stringContaining(said) });
  });

  it.each([
    ['plan.yaml', 'stories:\n  - id: US-1\n    title: Log in\n    status: todo\n'],
    ['jira.csv', 'Summary,Issue key,Status\nLog in,US-1,To Do\n'],
  ])('reads %s', async (file, text) => {
    const at = await made({ files: { [file]: text } });
    expect(await imported(at, file)).toMatchObject({ stories: 1, items: [{ id: 'US-1', title: 'Log in' }] });
  });

  it('repairs the backlog in its own place, and keeps what it was', async () => {
    const broken = '{"project": "p", "userStories": [{"id": "US-001", "title": "a", "passes": false},]}';
    const at = await made({ backlog: { path: 'ralph/tasks.json', text: broken } });
    expect((await at.ralph(['validate'])).stdout).toContain('`ralph import ralph/tasks.json --repair`');
    const { backups } = await imported(at, 'ralph/tasks.json', '--repair');
    expect(await at.read((backups as readonly string[])[0] ?? '')).toBe(broken);
    expect((await at.ralph(['validate'])).code).toBe(0);
  });

  it('repairs JSON when it is asked to', async () => {
    const at = await made({ files: { 'prd.json': `{"tasks": [{"title": "a", "done": false},] // later\n}` } });
    expect((await at.ralph(['import', 'prd.json', '--dry-run'])).stderr).toContain('--repair');
    expect(await imported(at, 'prd.json', '--repair')).toMatchObject({
      stories: 1,
      warnings: expect.arrayContaining([expect.stringContaining('repaired')]),
    });
  });
});

const corpus = new URL('../../../shared/corpus/', import.meta.url);
const table = new URL('backlogs.tsv', corpus);

describe.runIf(existsSync(table))('backlogs of other tools', () => {
  it('have the stories that people count in them', async () => {
    const at = await made();
    const rows = readFileSync(table, 'utf8').trim().split('\n').slice(1);
    for (const [file = '', , stories, done] of rows.map((row) => row.split('\t'))) {
      const path = new URL(`backlogs/${encodeURIComponent(file)}`, corpus);
      const { code, stdout } = await at.ralph(['import', fileURLToPath(path), '--dry-run', '--json']);
      expect(JSON.parse(stdout), file).toMatchObject({ stories: Number(stories), done: Number(done) });
      expect(code, file).toBe(stories === '0' ? 2 : 0);
    }
  });
});

describe('ralph import FOLDER', () => {
  it('takes over stories, progress, guard rails, settings, and names the old hooks', async () => {
    const at = await made({
      files: {
        '.agents/ralph/config.sh':
          'MAX_ITERATIONS=7\nAGENT_CMD="codex exec -"\nTEST_CMD="npm test"\nEVIL=$(touch evil)\n',
        '.agents/ralph/PROMPT_build.md': 'Pick a story. {{SOMETHING}}\n',
        '.agents/tasks/prd-login.json': PRD,
        '.claude/settings.json': JSON.stringify({ hooks: { Stop: '.agents/ralph/hooks/on-stop.sh' } }),
      },
    });
    // Git ignores it in such projects.
    await at.write('.ralph/progress.md', '# Progress\n\n## Codebase Patterns\n- use pnpm\n---\n## T1\nDone.\n');
    await at.write('.ralph/guardrails.md', '# Signs\nNever push.\n');
    const report = await imported(at, '.agents/ralph');
    expect(report).toMatchObject({ stories: 2, done: 1, hooks: [{ file: '.claude/settings.json', event: 'Stop' }] });
    const progress = await at.read('ralph/progress.txt');
    expect(progress.indexOf('Never push.')).toBeLessThan(progress.indexOf('\n---\n'));
    expect(progress.indexOf('## T1')).toBeGreaterThan(progress.indexOf('\n---\n'));
    expect(JSON.parse(await at.read('ralph.config.json'))).toMatchObject({
      maxIterations: 7,
      agent: 'codex',
      verifyCommands: ['npm test'],
    });
    expect(await at.read('ralph/prompt.imported.md')).toContain('{{SOMETHING}}');
    expect(await readdir(at.root)).not.toContain('evil');
    expect((await at.ralph(['run', '--dry-run', '--agent', 'scripted', '--scenario', at.scenario])).code).toBe(0);
  });

  it('takes of several backlogs the one with open stories, or the one that is named, with the settings', async () => {
    const tasks = (done: boolean) => JSON.stringify({ tasks: [{ id: 'T1', name: 'Log in', done }] });
    const at = await made({
      files: {
        '.chief/config.yaml': 'agent:\n  provider: codex\n',
        '.chief/prds/old/prd.json': tasks(true),
        '.chief/prds/new/prd.json': tasks(false),
      },
    });
    const report = await imported(at, '.chief', '--dry-run');
    expect(report).toMatchObject({ file: '.chief/prds/new/prd.json', settings: [{ to: 'agent', value: 'codex' }] });
    expect(report['warnings']).toContainEqual(
      expect.stringContaining('.chief/prds/old/prd.json was not used: 1 story'),
    );
    await at.write('.chief/prds/old/prd.json', tasks(false));
    const { code, stderr } = await at.ralph(['import', '.chief']);
    expect(code).toBe(2);
    expect(stderr).toContain('.chief/prds/new/prd.json: 1 story, 1 open');
    const [, fix = ''] = /fix: +choose one: ralph (.+)/.exec(stderr) ?? [];
    expect(await imported(at, ...fix.split(' ').slice(1))).toMatchObject({ file: '.chief/prds/new/prd.json' });
    expect(JSON.parse(await at.read('ralph.config.json'))).toMatchObject({ agent: 'codex' });
  });

  it('keeps every older prompt', async () => {
    const at = await made({
      files: { 'scripts/ralph/prd.json': PRD, 'scripts/ralph/prompt.md': 'one\n', 'scripts/ralph/CLAUDE.md': 'two\n' },
    });
    const { written } = await imported(at, 'scripts/ralph');
    expect(written).toEqual(expect.arrayContaining(['ralph/prompt.imported.md', 'ralph/CLAUDE.imported.md']));
    expect(await at.read('ralph/CLAUDE.imported.md')).toBe('two\n');
  });

  it('says what it looked for when there is no backlog', async () => {
    const at = await made({ files: { 'old/PROMPT.md': 'do it\n' } });
    const { code, stderr } = await at.ralph(['import', 'old']);
    expect(code).toBe(2);
    expect(stderr).toContain('fix_plan.md');
  });
});

describe('ralph import gh:', () => {
  /** A program called gh that prints issues and records how it was called. */
  async function withIssues(at: Project, issues: readonly unknown[]): Promise<Record<string, string>> {
    const bin = join(at.outside, 'bin');
    await mkdir(bin, { recursive: true });
    await writeFile(join(bin, 'issues.json'), JSON.stringify(issues));
    await writeFile(join(bin, 'gh'), `#!/bin/sh\nprintf '%s\\n' "$*" >>"${bin}/calls"\ncat "${bin}/issues.json"\n`);
    await chmod(join(bin, 'gh'), 0o755);
    return { PATH: `${bin}:${process.env['PATH']}` };
  }
  const issue = (number: number, body = '') => ({
    number,
    title: `Issue ${number}`,
    body,
    labels: [{ name: 'ready' }],
    url: `https://github.com/una/app/issues/${number}`,
    author: { login: 'una' },
  });

  it('adds what is new and never resets what is there', async () => {
    const at = await made();
    const env = await withIssues(at, [issue(7, '- [ ] it works')]);
    expect((await at.ralph(['import', 'gh:una/app#ready'], env)).code).toBe(0);
    await at.write(
      'ralph/tasks.json',
      (await at.read('ralph/tasks.json')).replace('"passes": false', '"passes": true'),
    );
    await withIssues(at, [issue(7), issue(9, 'depends on #7')]);
    const { stdout } = await at.ralph(['import', 'gh:una/app#ready', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({ stories: 2, added: 1, format: 'github' });
    expect(await at.stories()).toMatchObject([
      { id: 'GH-7', passes: true, acceptanceCriteria: ['it works'] },
      { id: 'GH-9', passes: false, dependsOn: ['GH-7'], author: 'una' },
    ]);
    const calls = await readFile(join(at.outside, 'bin/calls'), 'utf8');
    expect(calls).toContain('issue list --repo una/app --label ready --state open --limit');
    expect((await at.ralph(['validate'])).code).toBe(0);
  });

  it('names issues, writes nothing, and takes no closed one', async () => {
    const at = await made();
    const env = await withIssues(at, [issue(14, 'depends on #15'), issue(15, 'depends on #14')]);
    for (const args of [[], ['--dry-run']]) {
      const { code, stderr } = await at.ralph(['import', 'gh:una/app#ready', ...args], env);
      expect(code).toBe(2);
      expect(stderr).toContain('#14 → #15 → #14');
      expect(stderr).not.toContain('tasks.json');
    }
    expect(await readdir(join(at.root, 'ralph'))).toEqual(['prd.md']);
    await withIssues(at, [{ ...issue(12), state: 'CLOSED' }]);
    const closed = await at.ralph(['import', 'gh:una/app#12'], env);
    expect(closed).toMatchObject({ code: 2, stderr: expect.stringContaining('it is closed') });
  });

  it('depends on an issue that came later, and says when there may be more', async () => {
    const at = await made();
    const env = await withIssues(at, [issue(12, 'depends on #13')]);
    await at.ralph(['import', 'gh:una/app'], env);
    await withIssues(
      at,
      Array.from({ length: 500 }, (_, index) => issue(index + 1, '- [ ] a')),
    );
    const { stdout } = await at.ralph(['import', 'gh:una/app', '--json'], env);
    expect(JSON.parse(stdout)).toMatchObject({
      added: 499,
      warnings: expect.arrayContaining([expect.stringContaining('there may be more')]),
    });
    expect((await at.stories())[0]).toMatchObject({ id: 'GH-12', dependsOn: ['GH-13'] });
  });

  it('says how to get gh where it is missing', async () => {
    const at = await made();
    const { code, stderr } = await at.ralph(['import', 'gh:una/app', '--dry-run'], { PATH: at.outside });
    expect(code).toBe(2);
    expect(stderr).toContain('https://cli.github.com');
  });
});
