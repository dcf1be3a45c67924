import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { writeBacklogSnapshot } from '../../adapters/workspace/index.ts';
import { tempTree } from '../../adapters/workspace/temp-tree.fixture.ts';
import { writeAtomic } from '../../platform/index.ts';
import { loadSource } from '../../rules/backlog/index.ts';
import { runOfSession, stopFacts } from './run-facts.ts';

const STORY = { id: 'US-1', title: 'Add', description: 'd', acceptanceCriteria: ['works'], priority: 1 };
const backlog = (fields: object = {}) =>
  JSON.stringify(
    { userStories: [{ ...STORY, passes: false, reviewStatus: null, reviewCount: 0, ...fields }] },
    null,
    2,
  );

const marker = (parts: object = {}) =>
  JSON.stringify({
    version: 1,
    run: 'r1',
    heartbeat: new Date().toISOString(),
    pid: process.pid,
    host: hostname(),
    skipReview: false,
    reviewCap: 5,
    iterationMode: 'implement',
    story: 'US-1',
    ...parts,
  });

async function project(parts: object = {}) {
  const root = await tempTree({ '.ralph-active': marker(parts), 'ralph/tasks.json': backlog(), 'ralph/prd.md': '# p' });
  const source = {
    format: 'tasks-json',
    file: 'ralph/tasks.json',
    text: backlog(),
    reviewsFile: 'ralph/reviews.json',
    reviewsText: null,
  } as const;
  const { document } = loadSource(source);
  if (document) await writeBacklogSnapshot(root, document);
  return root;
}

const RUN = { RALPH_RUN_ID: 'r1' };

describe('the run of a session', () => {
  test('is told by the marker', async () => {
    const found = await runOfSession(await project(), RUN);
    expect(found?.facts).toMatchObject({ run: 'r1', mode: 'implement', story: 'US-1', rollbackAtOnce: false });
    expect(found?.facts.loopFiles).toEqual(['ralph/tasks.json', 'ralph/progress.txt']);
    expect(found?.facts.isProtected('ralph/prd.md')).toBe(true);
    expect(found?.facts.isProtected('ralph/tasks.json')).toBe(false);
  });

  test("is none for a person's own session beside it", async () => {
    expect(await runOfSession(await project(), {})).toBeNull();
    expect(await runOfSession(await project(), { RALPH_RUN_ID: 'another' })).toBeNull();
  });

  test('is none when its heartbeat stopped', async () => {
    expect(await runOfSession(await project({ heartbeat: '2020-01-01T00:00:00Z' }), RUN)).toBeNull();
  });

  test('is none without a marker', async () => {
    expect(await runOfSession(await tempTree(), RUN)).toBeNull();
  });
});

describe('a stop', () => {
  async function factsFor(text: string | null) {
    const root = await project();
    if (text !== null) await writeAtomic(`${root}/ralph/tasks.json`, text);
    const run = await runOfSession(root, RUN);
    return run === null ? null : stopFacts(root, run);
  }

  test('is fine while the backlog keeps the rules', async () => {
    expect(await factsFor(null)).toEqual({ violations: [], uncommitted: [] });
    expect(await factsFor(backlog({ reviewStatus: 'needs_review' }))).toEqual({ violations: [], uncommitted: [] });
  });

  test('names a self-approval with story and field', async () => {
    const facts = await factsFor(backlog({ passes: true, reviewStatus: 'approved', reviewCount: 1 }));
    expect(facts?.violations).toContainEqual(expect.objectContaining({ story: 'US-1', field: 'passes' }));
  });

  test('names a backlog that cannot be read', async () => {
    const facts = await factsFor('{ broken');
    expect(facts?.violations).toMatchObject([{ rule: 'transition/backlog-unreadable' }]);
  });

  test('leaves a file that is no native backlog any more to settle', async () => {
    expect(await factsFor('{"other": 1}')).toEqual({ violations: [], uncommitted: [] });
  });
});
