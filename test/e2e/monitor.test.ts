import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/surfaces/terminal/width.ts';
import { needs } from '../support/debian.ts';
import { easySteps, makeProject, type Project, RALPH } from '../support/project.ts';
import { openTerminal, type Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const missing = await needs('tmux');

let project: Project;
let terminal: Terminal | undefined;
/** Runs that a test started, to be ended with it. */
let runs: ReturnType<Project['start']>[] = [];

afterEach(async () => {
  await terminal?.close();
  terminal = undefined;
  for (const { child } of runs) child.kill('SIGKILL');
  await Promise.all(runs.map(({ ended }) => ended));
  runs = [];
  await project.remove();
});

/** Works on US-001 until a file appears, then goes on without waiting. */
const HELD = [
  {
    when: { story: 'US-001', mode: 'implement' },
    do: [
      { say: 'I look around first.' },
      { usage: { input: 900, output: 100, cost: 0.25, context: 60_000 } },
      { write: { path: 'src/login.txt', content: 'made\n' } },
      { run: 'until [ -e ../go ]; do sleep 0.1; done' },
      { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
    ],
  },
  ...easySteps('US-001'),
  ...easySteps('US-002'),
];

const STORIES = [
  { id: 'US-001', title: 'Log in with 漢字 names' },
  { id: 'US-002', title: 'Log out' },
];

/** What the terminal's shell starts with. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: project.outside,
    TMPDIR: project.outside,
    XDG_STATE_HOME: join(project.outside, 'state'),
    LANG: 'C.UTF-8',
    TERM: 'xterm-256color',
    PS1: 'shell> ',
    ...more,
  };
}

function startRun(args: readonly string[] = []): ReturnType<Project['start']> {
  const started = project.start(['run', '--scenario', project.scenario, ...args], {
    XDG_STATE_HOME: join(project.outside, 'state'),
  });
  runs.push(started);
  return started;
}

async function openMonitor(
  args = '',
  size: { readonly columns?: number; readonly rows?: number } = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Terminal> {
  terminal = await openTerminal(project.root, environment(env), size);
  await terminal.type(`clear; '${process.execPath}' '${RALPH}' monitor ${args}; echo "left with $?"`);
  await terminal.press('Enter');
  return terminal;
}

async function heldRun(): Promise<void> {
  project = await makeProject({ stories: STORIES, steps: HELD });
  startRun(['--max-cost', '5']);
  await until(async () => (await project.read('src/login.txt')) !== '');
}

const letGo = () => writeFile(join(project.root, '..', 'go'), '');

describe.skipIf(missing)('ralph monitor in a terminal', () => {
  it.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
    { columns: 40, rows: 12 },
  ])('shows a live run at $columns x $rows', async ({ columns, rows }) => {
    await heldRun();
    const { shows } = await openMonitor('', { columns, rows });
    const screen = await shows(/running.*until \[ -e/s);
    expect(screen).toMatch(/iteration 1 of 15|1\/15/);
    expect(screen).toContain('US-001');
    expect(screen).toContain('$0.25');
    expect(screen).toContain('closed');
    expect(screen).toMatch(/1 of 100/);
    for (const line of screen.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('draws itself anew when the terminal is resized', async () => {
    await heldRun();
    const { shows, resize, screen } = await openMonitor();
    await shows('[overview]');
    await resize(120, 40);
    await shows(/US-002 Log out +to do/);
    await resize(40, 12);
    await shows(/^ ● running {2}1\/15/m);
    await resize(100, 30);
    await shows('[overview]');
    expect((await screen()).match(/● running/g)).toHaveLength(1);
  });

  it('goes through the panes by tab and back', async () => {
    await heldRun();
    const { shows, press } = await openMonitor();
    await shows('[overview]');
    await press('Tab');
    await shows(/\[stories\].*0 of 2 done/s);
    await press('Tab', 'v');
    await shows(/\[log\].*I look around first\./s);
    await press('Tab');
    await shows(/\[iterations\].*under way/s);
    await press('Tab');
    await shows(/\[denials & tests\].*0 denied/s);
    await press('BTab');
    await shows('[iterations]');
    await press('?');
    await shows('detach: the run goes on without the monitor');
  });

  it('searches the log', async () => {
    await heldRun();
    const { shows, press, type } = await openMonitor();
    await shows('[overview]');
    await press('v', '/');
    await shows('search:');
    await type('look around');
    await press('Enter');
    const found = await shows('1 with "look around"');
    expect(found).not.toContain('checkpoint of');
    await press('Escape');
    await shows('checkpoint of');
  });

  it('pauses, goes on, takes notes and stops the run', async () => {
    await heldRun();
    const { shows, press, type } = await openMonitor();
    await shows('[overview]');
    await press('n');
    await type('the API moved');
    await press('Enter');
    await shows(/✓ .*note/i);
    await press('p');
    await shows(/✓ .*paus/);
    await letGo();
    await shows('◌ paused');
    await press('p');
    await shows(/✓ .*(goes on|resume)/);
    await shows(/review · US-001|implement · US-002|■ ended/);
    expect(await project.read(`.ralph/runs/${await runName()}/events.jsonl`)).toContain('the API moved');
  });

  it('stops after the iteration at s, and at once at S and y', async () => {
    await heldRun();
    const { shows, press } = await openMonitor();
    await shows('[overview]');
    await press('s');
    await shows(/✓ .*stops after this iteration/);
    await press('S');
    await shows('y/n');
    await press('n');
    await shows('q detach');
    await press('S', 'y');
    await shows('■ ended');
    await shows('STOPPED');
  });

  it('says that nothing waits for an answer, and that the breaker is closed', async () => {
    await heldRun();
    const { shows, press } = await openMonitor();
    await shows('[overview]');
    await press('a');
    await shows('✗ nobody waits for an answer');
    await press('r');
    await shows(/[✓✗] .*(breaker|circuit)/);
  });

  it("shows the agent's output in the pager and comes back", async () => {
    await heldRun();
    const { shows, press } = await openMonitor('', {}, { PAGER: "sed 's/^/paged: /'; read line < /dev/tty" });
    await shows('[overview]');
    await press('l');
    await shows(/paged: .*I look around first/);
    await press('Enter');
    await shows('[overview]');
  });

  it('leaves the terminal as it was at q, and the run goes on', async () => {
    await heldRun();
    const { shows, press, screen } = await openMonitor();
    await shows('[overview]');
    await press('q');
    await shows('left with 0');
    expect(await screen()).toMatch(/detached; run \S+ goes on/);
    expect(await screen()).not.toContain('[overview]');
    await letGo();
    expect((await runs[0]!.ended).code).toBe(0);
  });

  it('leaves the terminal as it was at Ctrl-C', async () => {
    await heldRun();
    const { shows, press, type } = await openMonitor();
    await shows('[overview]');
    await press('C-c');
    await shows('left with 0');
    await type('echo typed');
    await press('Enter');
    await shows(/^typed$/m);
  });

  it('shows a run that is killed as cut off, and how it is picked up', async () => {
    await heldRun();
    const { shows } = await openMonitor();
    await shows('● running');
    const at = Date.now();
    runs[0]!.child.kill('SIGKILL');
    await shows(/✗ cut off.*`ralph run` picks it up/s);
    expect(Date.now() - at).toBeLessThan(4000);
  });

  it('shows the last run when none goes on, and the next one as soon as it starts', async () => {
    project = await makeProject({ stories: STORIES, steps: HELD });
    await letGo();
    await startRun(['--once']).ended;
    const { shows } = await openMonitor();
    await shows(/■ ended.*ONCE/s);
    const first = await runName();
    await startRun().ended;
    const screen = await shows('COMPLETE');
    expect(screen).toContain(await runName());
    expect(screen).not.toContain(first);
  });

  it('waits where no run was started yet', async () => {
    project = await makeProject({ stories: STORIES, steps: [...easySteps('US-001'), ...easySteps('US-002')] });
    const { shows } = await openMonitor();
    await shows('No run here yet');
    await startRun().ended;
    await shows('COMPLETE');
  });

  it('says everything without colours', async () => {
    await heldRun();
    const { shows, painted } = await openMonitor('', {}, { NO_COLOR: '1' });
    await shows('[overview]');
    expect(await painted()).not.toContain('\u001b[3');
  });

  it('comes up before the log of a run with --tui, and goes with it', async () => {
    project = await makeProject({ stories: STORIES, steps: HELD });
    terminal = await openTerminal(project.root, environment({ RALPH_ISOLATION_BACKEND: 'none' }));
    await terminal.type(
      `clear; '${process.execPath}' '${RALPH}' run --tui --scenario '${project.scenario}'; echo "left with $?"`,
    );
    await terminal.press('Enter');
    await terminal.shows(/\[overview\].*until \[ -e/s);
    await letGo();
    const screen = await terminal.shows('left with 0');
    expect(screen).toContain('COMPLETE');
    expect(screen).not.toContain('[overview]');
  });
});

describe('ralph monitor without a terminal', () => {
  it('says what to use instead', async () => {
    project = await makeProject({ stories: STORIES });
    const { code, stderr } = await project.ralph(['monitor']);
    expect(code).toBe(2);
    expect(stderr).toContain('ralph status');
    expect(stderr).toContain('ralph log');
  });
});

async function runName(): Promise<string> {
  const { stdout } = await project.ralph(['log', '--json'], { XDG_STATE_HOME: join(project.outside, 'state') });
  return JSON.parse(stdout).run;
}
