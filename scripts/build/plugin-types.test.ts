import { expect, test } from 'vitest';
import { pluginTypes } from './plugin-types.ts';

test('the types of plugins stand by themselves, and what an event has depends on its type', async () => {
  const types = await pluginTypes();
  expect(types).not.toMatch(/^\s*import |from ["']|import\(/m);
  expect(types).toMatch(/readonly type: "verdict";\s+readonly verdict: Verdict;/);
  const declared = [...types.matchAll(/^(?:export )?(?:declare )?(?:type|interface|const|function) (\w+)/gm)];
  const names = declared.map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a public type and one of the events that share a name stay two', async () => {
  const types = await pluginTypes();
  expect(types).toMatch(/^export interface StoryState \{/m);
  expect(types).toMatch(/^interface StoryRow \{[^}]*readonly state: EventStoryState;/m);
  expect(types).toMatch(/^type EventStoryState = "done" \|/m);
});
