// @module-tag long
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aLab, anArm, upTo } from '../../src/rules/lab/lab.fixture.ts';
import { needs } from '../support/debian.ts';
import { makeProject, type Project, RALPH } from '../support/project.ts';
import { openTerminal } from '../support/terminal.ts';

const missing = await needs('tmux');

let project: Project;
beforeEach(async () => {
  project = await makeProject();
});
afterEach(() => project.remove());

const opus = { arm: anArm('claude:opus'), solves: upTo(13), costUsd: 0.9 };
const mine = anArm('codex:o4 · my prompt.md · no review', {
  ...{ agent: 'codex', model: 'o4', prompt: 'my prompt.md', review: false },
});

/** Both arms on `n` tasks; the second one is as good and costs a third. */
async function tried(n: number): Promise<void> {
  const { tasks, dropped, results } = aLab(n, [opus, { arm: mine, solves: upTo(14, 3), costUsd: 0.3 }]);
  await project.write('.git/ralph/lab/tasks.json', JSON.stringify({ tasks, dropped }));
  const lines = results.map((result) => `${JSON.stringify(result)}\n`);
  await project.write('.git/ralph/lab/results.jsonl', lines.join(''));
}

describe('ralph lab report', () => {
  test('writes a page and Markdown beside the results, with links to the attempts', async () => {
    await tried(20);
    const { code, stdout } = await project.ralph(['lab', 'report']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/claude:opus +13 of 20 +43–82 % +\$1\.38/);
    expect(stdout).toMatch(/\/lab\/report\.html\n.*\/lab\/report\.md\n$/);
    const page = await project.read('.git/ralph/lab/report.html');
    expect(page).toContain(`<h1>${mine.name} is suggested: 12 of 20 solved</h1>`);
    expect(page).toContain('href="./attempts/t14/codex-1"');
    expect(page).not.toMatch(/<script|https?:/);
    const md = await project.read('.git/ralph/lab/report.md');
    for (const title of ['Arms', 'Compared in pairs', 'Tasks', 'What failed, and why', 'Dropped while mining'])
      expect(md).toContain(`## ${title}\n`);
    expect(md).toContain('| no tests | 2 | Update README |');
    expect(md).toContain('No difference shown between claude');

    expect((await project.ralph(['lab', 'report', '-o', 'out.md'])).stdout).toBe('out.md\n');
    expect(await project.read('out.md')).toContain('](<./.git/ralph/lab/attempts/t14/codex-1>)');
    expect((await project.ralph(['lab', 'report', '-o', '-'])).stdout).toMatch(/^<!doctype html>/);
  });

  test('prints the same as data', async () => {
    await tried(20);
    const report = JSON.parse((await project.ralph(['lab', 'report', '--json'])).stdout);
    expect(report).toMatchObject({
      ...{ version: 1, mined: 20, measure: 'costUsd', costUsd: 24 },
      arms: [
        { arm: opus.arm, solved: 13, attempts: 20, costPerSolved: 0.9 / 0.65, front: true },
        { arm: mine, solved: 12, costPerSolved: 0.5, front: true },
      ],
      pairs: [{ arms: [opus.arm.name, mine.name], tasks: 20, better: [2, 1], p: 1, shown: false }],
      suggestion: { arm: mine.name },
    });
    expect(report.tried).toHaveLength(20);
  });

  test('without any results says what to do, and a torn line takes nothing from the others', async () => {
    expect(await project.ralph(['lab', 'report'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`ralph lab mine` finds tasks'),
    });
    await tried(20);
    const results = await project.read('.git/ralph/lab/results.jsonl');
    await project.write('.git/ralph/lab/results.jsonl', `{"task":1}\n${results}{"task":"t`);
    const { stdout, stderr } = await project.ralph(['lab', 'report']);
    expect(stdout).toContain('13 of 20');
    expect(stderr).toBe('warning: 1 result of the lab cannot be read\n');
  });
});

describe('ralph lab suggest', () => {
  const COMMANDS = [
    'ralph config set agent codex',
    'ralph config set model o4',
    'ralph config set skipReview true',
    "cp 'my prompt.md' ralph/prompt.md",
  ];

  test('shows evidence and commands, and changes nothing', async () => {
    await tried(20);
    const { code, stdout } = await project.ralph(['lab', 'suggest']);
    expect(code).toBe(0);
    expect(stdout).toContain('  12 of 20 solved (39–78 %), $0.50 per solved task\n');
    expect(stdout).toContain('  no difference shown to claude:opus, which costs 3.0 times as much\n');
    for (const command of COMMANDS) expect(stdout).toContain(`  ${command}\n`);
    expect(await project.git('status', '--porcelain')).toBe('');
    const found = JSON.parse((await project.ralph(['lab', 'suggest', '--json'])).stdout);
    expect(found).toMatchObject({ arm: mine, commands: COMMANDS, front: [{ arm: opus.arm }, { arm: mine }] });

    // Of the arm that a person names, only what differs.
    const other = JSON.parse((await project.ralph(['lab', 'suggest', '1', '--json'])).stdout);
    expect(other).toMatchObject({ arm: opus.arm, why: 'you chose it', commands: ['ralph config set model opus'] });
    expect((await project.ralph(['lab', 'suggest', 'claude:opu'])).stderr).toContain('did you mean claude:opus?');
  });

  test('with too little data suggests nothing', async () => {
    await tried(9);
    const { code, stdout } = await project.ralph(['lab', 'suggest']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'No suggestion: too little data to suggest anything: it takes two arms with 10 tasks each',
    );
    expect(stdout).not.toContain('config set');
  });

  test('applies nothing without a person', async () => {
    await tried(20);
    const { code, stderr } = await project.ralph(['lab', 'suggest', '--apply']);
    expect(code).toBe(2);
    expect(stderr).toContain('--apply asks on a terminal, but there is none');
    expect(await project.git('status', '--porcelain')).toBe('');
  });

  test.skipIf(missing)('applies it when a person says yes, and not otherwise', async () => {
    await tried(20);
    await project.write('ralph.config.json', '{ "models": { "implement": "opus" }, "maxCost": 7 }\n');
    const env = { PATH: process.env['PATH'] ?? '', HOME: project.outside, LANG: 'C.UTF-8', RALPH_TRUST: '1' };
    const terminal = await openTerminal(project.root, env, { columns: 120, rows: 40 });
    try {
      const answer = async (word: string) => {
        await terminal.type(`clear; ${process.execPath} ${RALPH} lab suggest --apply; echo ended $?`);
        await terminal.press('Enter');
        await terminal.shows('[y/N]');
        await terminal.type(word);
        await terminal.press('Enter');
        return terminal.shows(/ended \d/);
      };
      expect(await answer('')).toContain('ended 1');
      expect(JSON.parse(await project.read('ralph.config.json'))).toEqual({
        models: { implement: 'opus' },
        maxCost: 7,
      });
      expect(await answer('y')).toContain('ended 0');
      const config = JSON.parse(await project.read('ralph.config.json'));
      expect(config).toEqual({ maxCost: 7, agent: 'codex', model: 'o4', skipReview: true });
    } finally {
      await terminal.close();
    }
  });
});
