import { describe, expect, test } from 'vitest';
import { documentOf } from '../document.fixture.ts';
import { editBacklog } from '../document.ts';
import { standingOf } from './standing.ts';

/** The text after a story was marked, and marked back again. */
function marked(text: string, id: string, passes: boolean): string {
  const before = documentOf('prd-json', text);
  const after = editBacklog(before, [{ kind: 'set', id, fields: { passes } }]);
  expect(after.backlog.stories.find((story) => story.id === id)?.passes).toBe(passes);
  const back = editBacklog(after, [{ kind: 'set', id, fields: { passes: !passes } }]);
  expect(back.backlog.stories.find((story) => story.id === id)?.passes).toBe(!passes);
  return after.text;
}

describe('a mark that is an object', () => {
  test.each([
    [
      'a state beside other things',
      '[{"id":"1","title":"a","status":{"state":"todo","assignee":"una","history":["x"]}}]',
      '[{"id":"1","title":"a","status":{"state":"done","assignee":"una","history":["x"]}}]',
    ],
    [
      'a flag',
      '[{"id":"1","title":"a","steps":[],"completed":{"status": false, "evidence":["a.log"]}}]',
      '[{"id":"1","title":"a","steps":[],"completed":{"status": true, "evidence":["a.log"]}}]',
    ],
    [
      'fields of a tracker',
      '{"workItems":[{"id":"1","summary":"a","fields":{"status":{"name":"To Do","id":3}}}]}',
      '{"workItems":[{"id":"1","summary":"a","fields":{"status":{"name":"Done","id":3}}}]}',
    ],
    [
      'nothing inside that says anything',
      '{"tasks":[{"id":"1","title":"a","passes":{"unit":true,"e2e":false}}]}',
      '{"tasks":[{"id":"1","title":"a","passes":{"unit":true,"e2e":false},"done":true}]}',
    ],
    [
      'nothing inside, beside another flag',
      '{"tasks":[{"id":"1","title":"a","passes":{"unit":true},"status":"open"}]}',
      '{"tasks":[{"id":"1","title":"a","passes":{"unit":true},"status":"done"}]}',
    ],
    [
      'a list with something in it',
      '{"tasks":[{"id":"1","title":"a","passes":["one met"]}]}',
      '{"tasks":[{"id":"1","title":"a","passes":["one met"],"done":true}]}',
    ],
    [
      'an empty list',
      '{"tasks":[{"id":"1","title":"a","passes":[]}]}',
      '{"tasks":[{"id":"1","title":"a","passes":true}]}',
    ],
    [
      'a count',
      '{"tasks":[{"id":"1","title":"a","completed":3}]}',
      '{"tasks":[{"id":"1","title":"a","completed":3,"passes":true}]}',
    ],
  ])('keeps what it holds: %s', (_name, before, after) => {
    expect(marked(before, '1', true)).toBe(after);
  });

  test('what blocks a story is taken out, lists and counts under such names are not', () => {
    const text = '{"tasks":[{"id":"1","title":"a","status":"open","blocked":true,"blocker":"key","skipped":["x"]}]}';
    const after = editBacklog(documentOf('prd-json', text), [{ kind: 'set', id: '1', fields: { blocked: null } }]);
    expect(after.text).toBe('{"tasks":[{"id":"1","title":"a","status":"open","blocked":false,"skipped":["x"]}]}');
  });
});

test('done is said in the words of the tool', () => {
  const task = (more: string) => `{"tasks":[{"id":1,"title":"a",${more}}]}`;
  expect(marked(task('"status":"pending","testStrategy":"t"'), '1', true)).toContain('"status":"done"');
  expect(marked(task('"state":"open"'), '1', true)).toContain('"state":"closed"');
  expect(marked(task('"completed":"N"'), '1', true)).toContain('"completed":"Y"');
  expect(marked(task('"status":"offen"'), '1', true)).toContain('"status":"erledigt"');
  expect(marked(task('"progress":40'), '1', true)).toContain('"progress":100');
  expect(marked(task('"progress":"40%"'), '1', true)).toContain('"progress":"100%"');
  expect(marked(task('"verified":false'), '1', true)).toContain('"verified":true');
});

test('stories in a map are found by their key, also where keys look like numbers', () => {
  const text =
    '{"tasks":{"b":{"title":"b","done":false},"10":{"title":"ten","done":false},"2":{"title":"two","done":false}}}';
  expect(marked(text, '2', true)).toBe(text.replace('"two","done":false', '"two","done":true'));
});

test.each([
  [
    'done',
    'Done',
    'DONE',
    '✅ Done',
    '✅',
    'Completed',
    'closed',
    'shipped',
    'verified',
    '100%',
    'x',
    'done (2026-01-02)',
    'true',
    'Y',
    'live',
    'erledigt',
    'Terminé',
    'hecho',
    'completado',
    'voltooid',
    'klaar',
    'готово',
    '已完成',
    'zrobione',
  ],
  [
    'open',
    'todo',
    'in_progress',
    'In Review',
    'partial',
    'deferred',
    '⏸️ DEFERRED',
    '⚠️ PARTIAL',
    '95%',
    'not done',
    'done except tests',
    'FIXED_LOCALLY_NOT_DEPLOYED',
    'completed with issues',
    '❌',
    'false',
    'live testing',
    'nicht erledigt',
    'done?',
    'approved for development',
    'completed for iOS',
    'accepted',
    '未完成',
    '',
  ],
  [
    'off',
    'Cancelled',
    "won't fix",
    'wont_do',
    'on-hold until May',
    'blocked',
    'out of scope',
    'N/A',
    'skipped (no key)',
  ],
])('%s', (standing, ...words) => {
  expect(words.map((word) => [word, standingOf(word)])).toEqual(words.map((word) => [word, standing]));
});
