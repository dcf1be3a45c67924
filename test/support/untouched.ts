import { execFileSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { Played } from '../../src/commands/selftest/play.ts';
import { makeProject, type Project } from '../../src/commands/selftest/project.ts';
import { completeAfter, type Row } from '../../src/commands/selftest/rows/row.ts';
import type { RalphEvent } from '../../src/contracts/index.ts';

/** A project in which nothing has happened yet, for a test to break an invariant in. */
export interface Untouched extends Project {
  git(...args: readonly string[]): string;
  change(path: string, how: (text: string) => string): Promise<void>;
  /** Sets fields of a story; counted from 0. */
  editStory(at: number, fields: object): Promise<void>;
}

export const ROW: Row = {
  name: 'a-row',
  category: 'claims',
  does: 'does this and that',
  steps: [],
  expect: completeAfter(),
};

/** Makes one that is removed with the test. */
export async function untouched(): Promise<Untouched> {
  const project = await makeProject(ROW, null);
  onTestFinished(() => rm(project.folder, { recursive: true, force: true }));
  const { root } = project;
  const change: Untouched['change'] = async (path, how) =>
    writeFile(`${root}/${path}`, how(await readFile(`${root}/${path}`, 'utf8')));
  return {
    ...project,
    change,
    git: (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim(),
    editStory: (at, fields) =>
      change('ralph/tasks.json', (text) => {
        const file = JSON.parse(text);
        Object.assign(file.userStories[at], fields);
        return JSON.stringify(file);
      }),
  };
}

/** A run that went as the row expects, apart from `fields`. */
export function played(fields: Partial<Played> = {}): Played {
  const { exitCode, reason, verdicts } = ROW.expect;
  return { exitCode, reason, verdicts, timedOut: false, run: 'r1', events: [], stderr: '', said: '', ...fields };
}

/** The event of a review that approved a story. */
export function approval(story: string): RalphEvent {
  return {
    ts: '2026-01-01T00:00:00.000Z',
    run: 'r1',
    iteration: 1,
    type: 'verdict',
    verdict: 'accepted',
    mode: 'review',
    story,
    claim: 'approved',
    reason: '',
    counts: 'good',
    attempts: 0,
  };
}
