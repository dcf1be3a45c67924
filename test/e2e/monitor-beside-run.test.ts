import { afterEach, describe, expect, it } from 'vitest';
import { needs } from '../support/debian.ts';
import { type MonitorStage, monitorStage } from '../support/monitor.ts';
import type { Terminal } from '../support/terminal.ts';
import { until } from '../support/until.ts';

const missing = await needs('tmux');

let stage: MonitorStage;

afterEach(() => stage.close());

/** A run that is held in its first iteration, with the monitor in front of it. */
async function onRun(): Promise<Terminal> {
  stage = await monitorStage();
  const terminal = await stage.open(`run --tui --scenario '${stage.project.scenario}'`, { columns: 100, rows: 60 });
  await terminal.shows(/\[overview\].*until \[ -e/s);
  return terminal;
}

describe.skipIf(missing)('ralph run --tui', () => {
  it('has the monitor before its log, which goes when the run ends', async () => {
    const { shows } = await onRun();
    await stage.letGo();
    const screen = await shows('left with 0');
    expect(screen).toContain('COMPLETE');
    expect(screen).not.toContain('[overview]');
  });

  it('shows its log from q on', async () => {
    const { shows, press, modes } = await onRun();
    await press('q');
    expect(await shows(/detached; run \S+ continues/)).not.toContain('[overview]');
    expect(await modes()).toEqual({ isAlternate: false, hasCursor: true });
    await stage.letGo();
    expect(await shows('left with 0')).toMatch(/implement · US-002.*COMPLETE/s);
  });

  it('ends in order at Ctrl-C, as without it', async () => {
    const { shows, press, modes } = await onRun();
    await press('C-c');
    expect(await shows('left with 130')).toContain('INTERRUPTED');
    expect(await modes()).toEqual({ isAlternate: false, hasCursor: true });
  });

  it('gives the terminal back when the run is killed', async () => {
    const { type, press, screen, modes, processes } = await onRun();
    process.kill((await processes())[0]!, 'SIGKILL');
    await until(async () => !(await modes()).isAlternate);
    // The monitor has no parent any more that could be waited for: what is typed shows as soon as it is gone.
    await until(async () => {
      await type('echo typed');
      await press('Enter');
      return /echo typed\ntyped$/m.test(await screen());
    });
    expect((await modes()).hasCursor).toBe(true);
  });
});
