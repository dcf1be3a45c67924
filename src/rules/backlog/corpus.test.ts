import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { BacklogFormat } from '../../contracts/index.ts';
import { documentOf, loadText } from './document.fixture.ts';
import { editBacklog } from './document.ts';

/** Backlogs found in the wild with their counts; they are not part of this repository. */
const corpus = new URL('../../../../shared/corpus/', import.meta.url);
const table = new URL('backlogs.tsv', corpus);
const rows = existsSync(table)
  ? readFileSync(table, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'))
  : [];

function formatOf(file: string): BacklogFormat {
  return file.endsWith('.md') ? 'markdown' : file.endsWith('tasks.json') ? 'tasks-json' : 'prd-json';
}

function read(file: string): string {
  return readFileSync(new URL(`backlogs/${file}`, corpus), 'utf8');
}

describe.skipIf(rows.length === 0)('backlogs found in the wild', () => {
  test('every file of the corpus is in the table', () => {
    expect(rows.map(([file]) => file).toSorted()).toEqual(readdirSync(new URL('backlogs/', corpus)).toSorted());
  });

  test.each(rows)('%s: stories and finished stories are counted right', (file = '', _valid, stories, done) => {
    const { document, problems } = loadText(formatOf(file), read(file));
    if (stories === '0') {
      expect(document).toBeNull();
      expect(problems).toMatchObject([{ severity: 'error', rule: 'schema/no-stories' }]);
      return;
    }
    const found = document?.backlog.stories ?? [];
    expect([found.length, found.filter((story) => story.passes).length]).toEqual([Number(stories), Number(done)]);
    expect(new Set(found.map((story) => story.safeId)).size).toBe(found.length);
    expect(found.every((story) => story.title !== '')).toBe(true);
  });

  test.each(rows.filter(([, , stories]) => stories !== '0'))(
    '%s: marking a story done changes that story alone',
    (file = '') => {
      const before = documentOf(formatOf(file), read(file));
      const { stories } = before.backlog;
      for (const index of new Set([0, Math.floor(stories.length / 2), stories.length - 1])) {
        const story = stories[index];
        if (!story) continue;
        const passes = !story.passes;
        const after = editBacklog(before, [
          { kind: 'set', id: story.id, fields: { passes, reviewStatus: passes ? 'approved' : null } },
        ]);
        const expected = stories.map((other) =>
          other === story ? { ...other, passes, reviewStatus: passes ? 'approved' : null } : other,
        );
        expect(after.backlog.stories.map((other) => ({ ...other, line: 0 }))).toEqual(
          expected.map((other) => ({ ...other, line: 0 })),
        );
        if (before.format === 'markdown') expect(differences(before.text, after.text)).toBe(1);
      }
    },
  );

  test.each(rows.filter(([, , stories]) => stories !== '0'))('%s: a story can be added', (file = '') => {
    const before = documentOf(formatOf(file), read(file));
    const story = { id: 'ZZ-901', title: 'A new story', acceptanceCriteria: ['It works'] };
    const after = editBacklog(before, [{ kind: 'add', story }]);
    const ids = before.backlog.stories.map(({ id }) => id);
    expect(after.backlog.stories.map(({ id }) => id).filter((id) => id !== 'ZZ-901')).toEqual(ids);
    const added = after.backlog.stories.find(({ id }) => id === 'ZZ-901');
    expect(added).toMatchObject({ title: 'A new story', acceptanceCriteria: ['It works'], passes: false });
  });
});

function differences(a: string, b: string): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY;
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count += 1;
  return count;
}
