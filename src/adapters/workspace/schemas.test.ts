import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { tasksJsonSchema, tasksSchema } from '../../../scripts/schemas/tasks-schema.ts';
import { wholeStory } from '../../../test/support/tasks.ts';
import { configSchema, toConfig } from '../../contracts/index.ts';
import { loadBacklog, validateBacklog } from '../../rules/backlog/index.ts';
import { configJsonSchema, settings } from './config/settings.ts';

const published = async (name: string) =>
  JSON.parse(await readFile(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8'));

test('the published JSON Schemas are current (else: npx tsx scripts/schemas.ts)', async () => {
  expect(await published('config.schema.json')).toEqual(configJsonSchema());
  expect(await published('tasks.schema.json')).toEqual(tasksJsonSchema());
});

test('every setting explains itself and has a valid default', () => {
  for (const setting of settings()) expect(setting.description, setting.key).toMatch(/^[A-Z].*\.$/);
  expect(toConfig(configSchema.parse({})).maxIterations).toBe(15);
});

const STORY = wholeStory({ id: 'US-001' });

test.each<[string, object]>([
  ['nothing', {}],
  ['an unknown field', { anything: { at: 'all' } }],
  ['a number for an id', { id: 3.5 }],
  ['no title', { title: undefined }],
  ['no criteria', { acceptanceCriteria: [] }],
  ['criteria of a wrong type', { acceptanceCriteria: 'a' }],
  ['a text for passes', { passes: 'yes' }],
  ['an unknown review status', { reviewStatus: 'great' }],
  ['a negative review count', { reviewCount: -1 }],
  ['a broken review count', { reviewCount: 1.5 }],
  ['a text for the priority', { priority: 'high' }],
  ['a text for dependsOn', { dependsOn: 'US-000' }],
  ['own commands', { verifyCommands: ['npm test'], labels: ['x'], estimate: 'S', paths: ['src'], model: 'm' }],
])('the published schema and `ralph validate` agree on a story with %s', (_title, change) => {
  const tasks = {
    project: 'p',
    branchName: 'ralph/p',
    description: '',
    verifyCommands: ['npm test'],
    userStories: [{ ...STORY, ...change }],
  };
  const bytes = new TextEncoder().encode(JSON.stringify(tasks));
  const { document, problems } = loadBacklog({
    format: 'tasks-json',
    file: 'tasks.json',
    bytes,
    reviewsFile: 'reviews.json',
    reviewsBytes: null,
  });
  const all = [...problems, ...(document === null ? [] : validateBacklog(document))];
  expect(tasksSchema.safeParse(JSON.parse(JSON.stringify(tasks))).success).toBe(all.length === 0);
});
