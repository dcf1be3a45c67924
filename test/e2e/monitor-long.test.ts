import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeBigRun } from '../support/big-run.ts';
import { needs } from '../support/debian.ts';
import { type MonitorStage, monitorStage } from '../support/monitor.ts';

const missing = await needs('tmux');
const EVENTS = 1_000_000;
const RUN = '20260101-000000-aaaa';

describe.skipIf(missing)('the monitor of a million events', () => {
  let stage: MonitorStage;
  beforeAll(async () => {
    stage = await monitorStage();
    await writeBigRun({ root: stage.project.root, run: RUN, events: EVENTS, iterations: 400 });
  });
  afterAll(() => stage.close());

  it('is there, goes back in the log and stays small', async () => {
    const { shows, press, processes } = await stage.open('monitor');
    await shows(/■ ended.*COMPLETE/s);
    await press('Tab', 'Tab', 'v', 'Home');
    await shows(/up to line \d+ of \d+ loaded/);
    for (let i = 0; i < 10; i += 1) await press('Home');
    await shows(/\[log\].*Step \d+ of iteration/s);
    expect(await memoryOf((await processes())[0]!)).toBeLessThan(400);
    await press('q');
    await shows('left with 0');
  });
});

/** MiB. */
async function memoryOf(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}
