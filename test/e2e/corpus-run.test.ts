import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { READY, write } from '../support/says.ts';

/** Backlogs found in the wild with their counts; they are not part of this repository. */
const corpus = process.env['CORPUS'] ?? new URL('../../../shared/corpus/', import.meta.url).pathname;
const table = `${corpus}/backlogs.tsv`;
/** Files with so few open stories that a run of each takes seconds; `CORPUS_OPEN=1000` runs them all. */
const most = Number(process.env['CORPUS_OPEN'] ?? 2);
const rows = existsSync(table)
  ? readFileSync(table, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
      .filter(([, , stories, done]) => Number(stories) > Number(done) && Number(stories) - Number(done) <= most)
  : [];

let project: Project;
afterEach(() => project?.remove());

/** Where a file of this kind stands in a project. */
function placeOf(file: string): string {
  if (file.endsWith('tasks.json')) return 'ralph/tasks.json';
  return file.endsWith('.md') ? 'ralph/plan.md' : 'ralph/prd.json';
}

interface Listed {
  readonly stories: readonly { readonly id: string; readonly state: string }[];
}

async function list(): Promise<Listed['stories']> {
  const { stdout } = await project.ralph(['stories', '--json']);
  return (JSON.parse(stdout) as Listed).stories;
}

describe.skipIf(rows.length === 0)('backlogs found in the wild, worked on where they stand', () => {
  test.each(rows)('%s: a run finishes what is open and changes nothing but markers', async (file = '') => {
    const text = readFileSync(`${corpus}/backlogs/${file}`, 'utf8');
    project = await makeProject({
      backlog: { path: placeOf(file), text },
      files: { 'ralph.config.json': '{ "maxAllowedIterations": 500 }\n' },
      steps: [{ when: {}, do: [write('src/{{ITERATION}}.txt', '{{STORY_ID}}\n'), READY] }],
    });
    const held = (await list()).filter(({ state }) => state === 'blocked').map(({ id }) => id);
    const { code, stdout, stderr } = await project.run(['--skip-review', '--max-iterations', '500']);
    expect({ code, stderr }, stdout).toEqual({ code: held.length > 0 ? 6 : 0, stderr: '' });
    const open = (await list()).filter(({ state }) => !state.startsWith('done')).map(({ id }) => id);
    expect(open).toEqual(held);
    const after = await project.read(placeOf(file));
    expect(withoutMarkers(after)).toBe(withoutMarkers(text));
    expect(await project.git('status', '--porcelain')).toBe('');
  });
});

/** The text without what a tool may change: marks in boxes, and the words, flags and flag members of stories. */
function withoutMarkers(text: string): string {
  return text
    .replace(/(^\s*(?:[-*+]|\d+[.)]|#{1,6})\s+\[)[^\]](?=\])/gm, '$1')
    .replace(/,?\s*"(?:passes|done|completed?|status|state|implemented)"\s*:\s*(?:true|false|"[^"]*"|\[\])/g, '');
}
