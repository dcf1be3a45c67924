import { afterEach, describe, expect, it } from 'vitest';
import { needs } from '../support/debian.ts';
import { type MonitorStage, monitorStage } from '../support/monitor.ts';
import { APPROVED, READY, write } from '../support/says.ts';

const missing = await needs('tmux');

let stage: MonitorStage;
afterEach(() => stage.close());

describe.skipIf(missing)('ralph monitor of a run that waits for approval', () => {
  it('approves a story at A and y, and sends one back with words at x', async () => {
    stage = await monitorStage({
      stories: [{ id: 'US-001', title: 'Log in' }],
      steps: [
        { when: { mode: 'implement' }, do: [write('login.txt', 'one\n'), READY] },
        { when: { mode: 'review-fix' }, do: [{ 'expect-prompt': 'say two' }, write('login.txt', 'two\n'), READY] },
        { when: { mode: 'review' }, do: [APPROVED] },
      ],
    });
    const { ended } = stage.startRun(['--gate', 'story']);
    const { shows, press, type } = await stage.open('monitor', { columns: 100, rows: 30 });
    await shows(/waits for your approval/);
    await press('x');
    await shows(/US-001/);
    await type('say two');
    await press('Enter');
    await shows(/✓ .*US-001/);
    await shows('fix after review · US-001');
    // The header may still show the state of a moment ago.
    await shows(/\[4\/15\] review[\s\S]*blocked +US-001/);
    await press('A');
    await shows('y/n');
    await press('y');
    await shows(/✓ .*approved/);
    const { code, stdout } = await ended;
    expect(code, stdout).toBe(0);
    expect(await stage.project.read('login.txt')).toBe('two\n');
    expect(await stage.project.stories()).toMatchObject([{ passes: true }]);
    await press('q');
    await shows('left with 0');
  });
});
