// @module-tag long
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { needs } from '../support/debian.ts';
import { HELD, type MonitorStage, monitorStage, STORIES } from '../support/monitor.ts';
import { easySteps } from '../support/project.ts';

const missing = await needs('tmux');

let stages: MonitorStage[] = [];

afterEach(async () => {
  await Promise.all(stages.map((stage) => stage.close()));
  stages = [];
});

async function open(...options: Parameters<typeof monitorStage>): Promise<MonitorStage> {
  const stage = await monitorStage(...options);
  stages.push(stage);
  return stage;
}

describe.skipIf(missing)('ralph monitor of several runs', () => {
  it('goes from one work tree of a repository to the other by digits', async () => {
    const stage = await open();
    const { project } = stage;
    const other = join(project.outside, 'second');
    // Agents in there are not held.
    await writeFile(join(project.outside, 'go'), '');
    await project.git('worktree', 'add', '-q', '-b', 'second', other);
    const held = await stage.heldRun();
    const { code, stderr } = await stage.startRun(['--project-dir', other, '--no-branch']).ended;
    expect(code, stderr).toBe(0);
    const { shows, press } = await stage.open('monitor');
    const screen = await shows(/\[\d repo ●\].*until \[ -e/s);
    const digitOf = (name: string) => new RegExp(`(\\d) ${name} `).exec(screen)?.[1] ?? '';
    await press(digitOf('second'));
    await shows(/\[\d second ■\].*COMPLETE/s);
    await press('7');
    await shows('✗ there is no stream 7');
    await press(digitOf('repo'));
    await shows(/\[\d repo ●\].*until \[ -e/s);
    await stage.letGo();
    await shows(/\[\d repo ■\]/);
    expect((await held.ended).code).toBe(0);
  });

  it('shows every project of the machine with --all, from anywhere', async () => {
    const one = await open();
    const two = await open(
      { stories: [{ id: 'US-007', title: 'Elsewhere' }], steps: [...easySteps('US-007')] },
      join(one.project.outside, 'state'),
    );
    await two.startRun().ended;
    await one.heldRun();
    const alone = await two.open('monitor');
    expect(await alone.shows(/■ ended.*US-007/s)).not.toMatch(/\[\d repo/);
    const all = await two.open(`monitor --all --project-dir '${two.project.outside}'`);
    const screen = await all.shows(/\[1 repo .\] +2 repo ./);
    const live = /(\d) repo ●/.exec(screen)?.[1] ?? '';
    await all.press(live);
    await all.shows(/US-001.*until \[ -e/s);
    await all.press(live === '1' ? '2' : '1');
    await all.shows(/COMPLETE.*US-007/s);
  });

  it('goes to older and newer runs by [ and ]', async () => {
    const stage = await open({ stories: STORIES, steps: HELD });
    await stage.letGo();
    await stage.startRun(['--once']).ended;
    const first = await stage.latestRun();
    await stage.startRun().ended;
    const { shows, press } = await stage.open('monitor');
    await shows('COMPLETE');
    await press('[');
    expect(await shows('(an earlier run; ] shows later ones)')).toContain(first);
    await shows('after one iteration');
    await press('[');
    await shows('✗ there is no older run here');
    await press(']');
    expect(await shows('COMPLETE')).not.toContain(first);
    await press(']');
    await shows('✗ there is no newer run here');
  });
});

describe.skipIf(missing)('a question in the monitor', () => {
  it('is answered by a', async () => {
    const ask = { tool: { name: 'ask_question', arguments: { question: 'Euro or dollar?' } } };
    const stage = await open({
      stories: STORIES,
      steps: [{ when: { story: 'US-001', attempt: 1 }, do: [ask, { say: 'I ask.' }] }, ...easySteps('US-002')],
    });
    await stage.startRun().ended;
    const { shows, press, type } = await stage.open('monitor');
    await shows(/■ ended.*1 waits for you/s);
    await press('a');
    await shows('answer Q1, Euro or dollar?:');
    await type('euros only');
    await press('Enter');
    await shows(/✓ .*Q1/);
    expect(await stage.project.stories()).not.toContainEqual(expect.objectContaining({ blocked: expect.anything() }));
  });
});
