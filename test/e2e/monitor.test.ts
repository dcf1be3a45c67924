// @module-tag long
import { afterEach, describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/surfaces/terminal/index.ts';
import { needs } from '../support/debian.ts';
import { HELD, type MonitorStage, monitorStage, type Screen, STORIES } from '../support/monitor.ts';
import { easySteps } from '../support/project.ts';
import type { Terminal } from '../support/terminal.ts';

const missing = await needs('tmux');

let stage: MonitorStage;

afterEach(() => stage.close());

/** The monitor of a run that is held in its first iteration. */
async function onHeldRun(screen: Screen = {}, env: Readonly<Record<string, string>> = {}): Promise<Terminal> {
  stage = await monitorStage();
  run = await stage.heldRun();
  return stage.open('monitor', screen, env);
}
let run: Awaited<ReturnType<MonitorStage['heldRun']>>;

describe.skipIf(missing)('ralph monitor in a terminal', () => {
  it.each([
    { columns: 80, rows: 24 },
    { columns: 120, rows: 40 },
    { columns: 40, rows: 12 },
  ])('shows a live run at $columns x $rows', async ({ columns, rows }) => {
    const { shows } = await onHeldRun({ columns, rows });
    const screen = await shows(/running.*until \[ -e/s);
    expect(screen).toMatch(/iteration 1 of 15|1\/15/);
    expect(screen).toContain('US-001');
    expect(screen).toContain('$0.25');
    expect(screen).toContain('closed');
    expect(screen).toMatch(/1 of 100/);
    for (const line of screen.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
  });

  it('draws itself anew when the terminal is resized', async () => {
    const { shows, resize, screen } = await onHeldRun();
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
    const { shows, press } = await onHeldRun();
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
    await shows('detach: the run continues without the monitor');
  });

  it('searches the log', async () => {
    const { shows, press, type } = await onHeldRun();
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

  it('pauses, continues, takes notes and stops the run', { tags: ['promise'] }, async () => {
    const { shows, press, type } = await onHeldRun();
    await shows('[overview]');
    await press('n');
    await type('the API moved');
    await press('Enter');
    await shows(/✓ .*note/i);
    await press('p');
    await shows(/✓ .*paus/);
    await stage.letGo();
    await shows('◌ paused');
    await press('p');
    await shows(/✓ .*(continues|resume)/);
    await shows(/review · US-001|implement · US-002|■ ended/);
    expect(await stage.project.read(`.ralph/runs/${await stage.latestRun()}/events.jsonl`)).toContain('the API moved');
  });

  it('stops after the iteration at s, and at once at S and y', async () => {
    const { shows, press } = await onHeldRun();
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
    const { shows, press } = await onHeldRun();
    await shows('[overview]');
    await press('a');
    await shows('✗ no question is open');
    await press('r');
    await shows(/[✓✗] .*(breaker|circuit)/);
  });

  it('goes on whatever keys come, and pasted colours are left out', async () => {
    const { shows, press, type } = await onHeldRun();
    await shows('[overview]');
    for (const input of ['\u001b[1;5P', '\u001b[0m', '\u001b[31m', '\u001b[0n']) await type(input);
    await press('n');
    await type('a \u001b[31mred\u001b[0m note');
    await shows('note for the next prompt: a red note▏');
    await press('Home', 'Right', 'X');
    await shows('note for the next prompt: aX▏ red note');
    await press('Escape');
    await shows('q detach');
  });

  it('shows a pause that somebody else asked for as long as it holds', async () => {
    const { shows, press, screen } = await onHeldRun();
    await shows('[overview]');
    expect((await stage.project.ralph(['pause'], stage.state)).code).toBe(0);
    await shows('pauses after this iteration: p cancels that');
    await press('p');
    await shows(/✓ .*(continues|resume)/);
    expect(await screen()).not.toContain('pauses after');
  });

  it("shows the agent's output in the pager and comes back", async () => {
    const { shows, press } = await onHeldRun({}, { PAGER: "sed 's,^,paged: ,'; read line < /dev/tty" });
    await shows('[overview]');
    await press('l');
    await shows(/paged: .*I look around first/);
    await press('Enter');
    await shows('[overview]');
    await press('L');
    await shows(/paged: .*I look around first/);
    await press('Enter');
    await shows('[overview]');
  });

  it('leaves the terminal as it was at q, and the run goes on', async () => {
    const { shows, press, screen } = await onHeldRun();
    await shows('[overview]');
    await press('q');
    await shows('left with 0');
    expect(await screen()).toMatch(/detached; run \S+ continues/);
    expect(await screen()).not.toContain('[overview]');
    await stage.letGo();
    expect((await run.ended).code).toBe(0);
  });

  it.each(['Ctrl-C', 'SIGTERM'])('leaves the terminal as it was at %s', async (way) => {
    const { shows, press, type, modes, processes } = await onHeldRun();
    await shows('[overview]');
    expect(await modes()).toEqual({ isAlternate: true, hasCursor: false });
    if (way === 'Ctrl-C') await press('C-c');
    else process.kill((await processes())[0]!, 'SIGTERM');
    await shows('left with 0');
    expect(await modes()).toEqual({ isAlternate: false, hasCursor: true });
    await type('echo typed');
    await press('Enter');
    await shows(/echo typed\ntyped$/m);
  });

  it('shows a run that is killed as cut off, and how it is picked up', async () => {
    const { shows } = await onHeldRun();
    await shows('● running');
    run.child.kill('SIGKILL');
    await shows(/✗ cut off.*`ralph run` recovers it/s);
  });

  it('shows the last run when none goes on, and the next one as soon as it starts', async () => {
    stage = await monitorStage({ stories: STORIES, steps: HELD });
    await stage.letGo();
    await stage.startRun(['--once']).ended;
    const { shows } = await stage.open('monitor');
    await shows(/■ ended.*--once/s);
    const first = await stage.latestRun();
    await stage.startRun().ended;
    const screen = await shows('COMPLETE');
    expect(screen).toContain(await stage.latestRun());
    expect(screen).not.toContain(first);
  });

  it('waits where no run was started yet', async () => {
    stage = await monitorStage({ stories: STORIES, steps: [...easySteps('US-001'), ...easySteps('US-002')] });
    const { shows } = await stage.open('monitor');
    await shows('No run here yet');
    await stage.startRun().ended;
    await shows('COMPLETE');
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('says everything without colours: %o', async (env) => {
    const { shows, painted } = await onHeldRun({}, env);
    expect(await shows(/\[overview\].*until \[ -e/s)).toMatch(/▸○ US-001.*to do/);
    expect(await painted()).not.toContain('\u001b[3');
  });

  it('keeps what is being typed when the terminal is resized', async () => {
    const { shows, press, type, resize } = await onHeldRun();
    await shows('[overview]');
    await press('n');
    await type('the API mo');
    await shows('the API mo');
    await resize(50, 14);
    await shows(/1\/15.*note for the next prompt: the API mo/s);
    await type('ved');
    await resize(110, 30);
    await shows(/iteration 1 of 15.*the API moved/s);
    await press('Enter');
    await shows(/✓ .*note/i);
  });
});

it('ralph monitor without a terminal says what to use instead', async () => {
  stage = await monitorStage({ stories: STORIES });
  const { code, stderr } = await stage.project.ralph(['monitor']);
  expect(code).toBe(2);
  expect(stderr).toContain('ralph status');
  expect(stderr).toContain('ralph log');
});
