import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { needs } from '../support/debian.ts';
import { type MonitorStage, monitorStage } from '../support/monitor.ts';
import { easySteps } from '../support/project.ts';

const missing = await needs('tmux');

let stage: MonitorStage | null = null;

afterEach(async () => {
  await stage?.close();
  stage = null;
});

const backlogOf = (prd: number, story: string): string =>
  JSON.stringify({
    project: `prd-${prd}`,
    branchName: `ralph/prd-${prd}`,
    userStories: [
      { id: story, title: `Of PRD ${prd}`, acceptanceCriteria: ['it is there'], priority: 1, passes: false },
    ],
  });

describe.skipIf(missing)('ralph monitor of streams', () => {
  it('tells the one that works from the one that waits for its turn', async () => {
    stage = await monitorStage({
      backlog: { path: '.ralph/PRD-1/tasks.json', text: backlogOf(1, 'US-001') },
      files: { '.ralph/PRD-2/tasks.json': backlogOf(2, 'US-101') },
      steps: [
        ...easySteps('US-001'),
        {
          when: { story: 'US-101', mode: 'implement' },
          // Beside the repository, seen from the work tree of the stream.
          do: [
            { run: 'until [ -e ../../../../go ]; do sleep 0.1; done' },
            { write: { path: 'made.txt', content: '' } },
            { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } },
          ],
        },
        ...easySteps('US-101'),
      ],
    });
    const { project } = stage;
    const state = { XDG_STATE_HOME: join(project.outside, 'state') };
    const streams = project.start(
      ['stream', 'start', '1', '2', '--parallel', '1', '--agent', 'scripted', '--scenario', project.scenario],
      state,
    );
    try {
      const { shows, press } = await stage.open('monitor', { columns: 110 });
      await press('o');
      const list = await shows(/● running +PRD-2 .*◦ between +PRD-1 /s);
      expect(list).toMatch(/◦ between +PRD-1 +0\/1 +\S+ +ralph\/prd-1/);
      // From the main work tree, which is on show, to the one below it.
      await press('Down', 'Enter');
      expect(await shows('between two turns')).toContain('`ralph stream start 1` continues');
      expect(await shows('for its turn')).not.toContain('cut off');
      await writeFile(join(project.root, '..', 'go'), '');
      await shows('COMPLETE');
    } finally {
      await writeFile(join(project.root, '..', 'go'), '').catch(() => {});
      streams.child.kill('SIGTERM');
      await streams.ended;
    }
  });
});
