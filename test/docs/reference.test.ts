import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markdownFiles } from '../../scripts/ci/docs.ts';
import { root } from '../../scripts/root.ts';
import { tasksSchema } from '../../scripts/schemas/tasks-schema.ts';
import { EVENT_TYPES } from '../../src/contracts/event-shape.ts';
import { ExitCode } from '../../src/contracts/index.ts';

/*
 * Tables that are written by hand, since they say more than the code knows, name what the code has and nothing else.
 * docs/commands.md, the settings and the rules of the guard are generated; their tests stand beside the generators.
 */

test('docs/backlog.md explains every field of tasks.json', () => {
  const story = tasksSchema.shape.userStories.element.shape;
  // A number for later formats: readers look at it, writers need not.
  const top = [...Object.keys(tasksSchema.shape).filter((key) => key !== '$schema'), 'version'];
  const [, ofTop = '', ofStory = ''] = section('docs/backlog.md', '## `tasks.json`').split(/^\| field \|.*$/m);
  expect(namesIn(ofTop)).toEqual(top.sort());
  expect(namesIn(ofStory)).toEqual(Object.keys(story).sort());
});

test('docs/events.md explains every type of event', () => {
  expect(namesIn(section('docs/events.md', '## Types'))).toEqual([...EVENT_TYPES].sort());
});

test('README.md explains every exit code', () => {
  const codes = section('README.md', '## Exit codes of `ralph run`');
  const explained = [...codes.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap((match) =>
    (match[1] ?? '').split(',').map(Number),
  );
  expect(explained.sort()).toEqual(Object.values(ExitCode).sort());
});

test('the documentation is short enough to be read', async () => {
  const files = await markdownFiles();
  const words = (path: string) => readFileSync(join(root, path), 'utf8').split(/\s+/).filter(Boolean).length;
  expect(words('README.md')).toBeLessThanOrEqual(700);
  expect(files.reduce((sum, path) => sum + words(path), 0)).toBeLessThanOrEqual(45_000);
});

/** The part of a page under a heading, the smaller headings below it included. */
function section(path: string, heading: string): string {
  const page = readFileSync(join(root, path), 'utf8');
  const [, rest] = page.split(`\n${heading}\n`);
  if (rest === undefined) throw new Error(`${path} has no heading '${heading}'`);
  return rest.split(/^## /m)[0] ?? '';
}

/** What stands in backticks in the first column of the tables of a text, sorted. */
function namesIn(text: string): readonly string[] {
  const cells = [...text.matchAll(/^\| (`[^|]*`) \|/gm)].map((match) => match[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')).sort();
}
