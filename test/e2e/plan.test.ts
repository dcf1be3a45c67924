import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { claudeBinary, whyNoClaude } from '../support/claude-client.ts';
import { bash } from '../support/client-talk.ts';
import { needs } from '../support/debian.ts';
import { settleClientIn } from '../support/known-client.ts';
import { inOrder, type ModelRequest, textOf } from '../support/model-server.ts';
import { type OwnSession, openOwnSession } from '../support/own-session.ts';
import { linkRalph, PLANNED_PRD, plannedTasks } from '../support/planned.ts';
import { makeProject, type Project } from '../support/project.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const missing = await needs('tmux');
const binary = await claudeBinary();
if (missing) console.warn(`\`ralph plan\` is not tried in a terminal: ${missing}`);
if (!binary) console.warn(`The real client is not tested: ${whyNoClaude()}`);

const ROOT = join(import.meta.dirname, '../..');

let terminal: Terminal | undefined;
afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
});

describe.skipIf(missing || !binary)('ralph plan with the real client on a real terminal', () => {
  let own: OwnSession;
  afterEach(() => own?.remove());

  /** A person who has used the client before, in this folder, and lets it write files and validate. */
  async function settleIn(): Promise<void> {
    await settleClientIn(own.repo, own.env);
    await writeFile(join(own.repo, 'ralph.config.json'), JSON.stringify({ agents: { claude: { command: binary } } }));
    await linkRalph(own.env['PATH']?.split(':')[0] as string, ROOT);
  }

  test('the person is interviewed, both files are written, and the plan is judged when the client has ended', {
    tags: ['promise'],
  }, async () => {
    const file = (name: string) => join(own.repo, 'ralph', name);
    let script: ReturnType<typeof inOrder> | undefined;
    own = await openOwnSession(binary as string, (request) => {
      script ??= inOrder(
        'Who may redeem a coupon, and how often?',
        { tools: ['prd.md', 'tasks.json'].map((name) => ({ name: 'Read', input: { file_path: file(name) } })) },
        {
          tools: [
            { name: 'Write', input: { file_path: file('prd.md'), content: PLANNED_PRD } },
            { name: 'Write', input: { file_path: file('tasks.json'), content: plannedTasks() } },
          ],
        },
        { tools: [bash('ralph validate --plan')] },
        'Both files are ready.',
      );
      return script(request);
    });
    await settleIn();
    terminal = await openTerminal(
      own.repo,
      { ...own.env, TERM: 'xterm-256color', RALPH_TRUST: '1' },
      { columns: 110, rows: 40 },
    );
    await terminal.type('clear; ralph plan "coupons at the checkout"; echo "ended with $?"');
    await terminal.press('Enter');
    await terminal.shows('Who may redeem a coupon');
    const asked = textOf(own.requests[0] as ModelRequest);
    expect(asked).toContain(
      'Arguments: interview spec=ralph prd=ralph/prd.md backlog=ralph/tasks.json coupons at the checkout',
    );

    // Ctrl-C is the client's: it empties the line there, and ends nothing.
    await terminal.type('Nobody');
    await terminal.shows('Nobody');
    await terminal.press('C-c');
    await terminal.type('Every customer, once for each cart.');
    await terminal.shows('once for each cart.');
    await terminal.press('Enter');
    await terminal.shows('Both files are ready.');
    await terminal.type('/exit');
    await terminal.press('Enter');
    const screen = await terminal.shows(/ended with \d+/);
    expect(screen).toContain('✓ ralph/tasks.json: 2 stories, 0 errors, 0 warnings');
    expect(screen).toContain('✓ the plan: no remarks');
    expect(screen).toMatch(/next: ralph run --dry-run\n+ended with 0/);
    expect(await readFile(file('prd.md'), 'utf8')).toBe(PLANNED_PRD);
  });
});

describe.skipIf(missing)('ralph plan with a stand-in for the client', () => {
  let project: Project;
  afterEach(() => project?.remove());

  /** A program that keeps its arguments and leaves a plan behind. */
  async function standIn(name: string, tasks: string): Promise<string> {
    const program = join(project.outside, name);
    await writeFile(join(project.outside, 'new-tasks.json'), tasks);
    const lines = [
      `printf '%s\\n' "$@" > "${join(project.outside, 'arguments')}"`,
      `cp "${join(project.outside, 'new-tasks.json')}" ralph/tasks.json`,
      '[ -t 0 ] && [ -t 1 ] && echo "on a terminal"',
    ];
    await writeFile(program, `#!/bin/sh\n${lines.join('\n')}\n`);
    await chmod(program, 0o755);
    return program;
  }

  const given = () => readFile(join(project.outside, 'arguments'), 'utf8');

  async function typed(line: string): Promise<string> {
    await linkRalph(project.outside, ROOT);
    const env = {
      PATH: `${project.outside}:${process.env['PATH']}`,
      HOME: project.outside,
      LANG: 'C.UTF-8',
      RALPH_TRUST: '1',
    };
    terminal = await openTerminal(project.root, { ...env, TERM: 'xterm' }, { columns: 140, rows: 50 });
    await terminal.type(`clear; ${line}; echo "ended with $?"`);
    await terminal.press('Enter');
    return terminal.shows(/ended with \d+\n/);
  }

  test('a PRD with content is derived from; remarks are printed, and keep nothing from being valid', async () => {
    project = await makeProject({ stories: [] });
    const command = await standIn('my claude', plannedTasks(['coupons work correctly', 'a test covers 0 and 100 %']));
    await project.write('ralph.config.json', JSON.stringify({ agents: { claude: { command } } }));
    await project.write('my notes.md', 'coupons\n');
    const screen = await typed('ralph plan --from "my notes.md"');
    expect(screen).toContain('on a terminal');
    expect(screen).toMatch(
      /ralph\/tasks\.json:\d+: warning: US-001: "work correctly" cannot be answered with yes or no/,
    );
    expect(screen).toMatch(/next: ralph plan\n+ended with 0/);
    const [flag, plugin, prompt] = (await given()).trim().split('\n');
    expect([flag, plugin]).toEqual(['--plugin-dir', join(ROOT, 'plugin')]);
    expect(prompt).toBe(
      '/ralph:ralph-plan derive spec=ralph prd=ralph/prd.md backlog=ralph/tasks.json from="my notes.md"',
    );
  });

  test('an agent without plugins gets the text of the skill; an invalid plan ends with 2, and JSON stays clean', async () => {
    project = await makeProject({ stories: [] });
    const command = await standIn('codex', plannedTasks().replace('"US-002"', '"US-001"'));
    await project.write('ralph.config.json', JSON.stringify({ agents: { codex: { command } } }));
    expect(await typed('ralph plan --agent codex --json > plan.json')).toContain('ended with 2');
    const plan = JSON.parse(await project.read('plan.json'));
    expect(plan).toMatchObject({ agent: 'codex', mode: 'derive', ok: false, next: 'ralph validate --plan' });
    expect(plan.problems).toContainEqual(expect.objectContaining({ rule: 'schema/unique-id' }));
    const prompt = await given();
    expect(prompt).toMatch(/^# Plan for ralph\n\nArguments: derive spec=ralph /);
    expect(prompt).toContain(`Read \`${join(ROOT, 'plugin/skills/ralph-plan')}/references/stories.md\``);
  });

  test('a program that is not there is said to be missing; the spec folder made for it goes again', async () => {
    project = await makeProject({ stories: [] });
    await project.git('rm', '-rq', 'ralph');
    await project.git('commit', '-q', '-m', 'none');
    await project.write(
      'ralph.config.json',
      JSON.stringify({ agents: { gemini: { command: 'gemini-that-is-not-here' } } }),
    );
    const screen = await typed('ralph plan --agent gemini');
    expect(screen).toContain('npm install -g @google/gemini-cli');
    expect(screen).toContain('ended with 7');
    expect(await project.git('status', '--porcelain', '--ignored')).toBe('?? ralph.config.json');
  });
});

describe('ralph plan refuses', () => {
  let project: Project;
  afterEach(() => project?.remove());

  test('without a terminal, and says what to do instead', async () => {
    project = await makeProject({ stories: [] });
    const { code, stderr } = await project.ralph(['plan']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/needs a terminal.*ralph stories add.*ralph import/s);
  });

  test('in a spec folder without a backlog', async () => {
    project = await makeProject({ stories: [] });
    await project.git('rm', '-rq', 'ralph');
    await mkdir(join(project.root, 'ralph'));
    await project.write('ralph/prd.md', '# Nothing yet\n');
    const { code, stderr } = await project.ralph(['plan']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no backlog.*ralph init/s);
  });

  test('a text that is not there, an agent that nobody can talk to, and inside a run', async () => {
    project = await makeProject({ stories: [] });
    const { code, stderr } = await project.ralph(['plan', '--from', 'nothing.md']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--from: there is no file')]);
    const inside = await project.ralph(['plan'], { RALPH_RUN_ID: '20260101-000000-abcd' });
    expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('not for agents')]);
  });

  test('while a run is under way', async () => {
    project = await makeProject({
      stories: [{ id: 'US-001' }],
      steps: [{ when: { story: 'US-001' }, do: [{ sleep: '60s' }] }],
    });
    const { child, ended } = project.start(['run', '--scenario', project.scenario]);
    try {
      await until(async () => (await project.ralph(['status', '--json'])).stdout.includes('"running"'));
      const { code, stderr } = await project.ralph(['plan']);
      expect([code, stderr]).toEqual([4, expect.stringContaining('is active here')]);
    } finally {
      child.kill('SIGTERM');
      await ended;
    }
  });
});
