import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Git } from '../../adapters/git/index.ts';
import { findWorkspace, loadOrThrow, readLedger } from '../../adapters/workspace/index.ts';
import { tempTree } from '../../adapters/workspace/temp-tree.fixture.ts';
import type { LedgerLine, Story } from '../../contracts/index.ts';
import { readReceipts } from '../../rules/backlog/index.ts';
import { aStory } from '../../rules/backlog/story.fixture.ts';
import { aBadLine, aLine } from '../../rules/safeguards/ledger.fixture.ts';
import type { PendingDecision } from '../../rules/steering/index.ts';
import { applyAll, isAlready, UNTOUCHED } from './words.ts';

const WORKED_ON = {
  ...{ id: 'US-001', title: 'one', description: '', acceptanceCriteria: ['works'], priority: 1, notes: 'by hand' },
  ...{ passes: false, reviewStatus: 'changes_requested', reviewCount: 2, reviewFeedback: 'no' },
};

function nativeText(stories: readonly object[] = [WORKED_ON]): string {
  return JSON.stringify({ project: 'p', branchName: 'b', description: '', userStories: stories }, null, 2);
}

/** A workspace on the disk; only the commits of a story, which nothing here is about, are made up. */
async function aPlace(files: Readonly<Record<string, string>> = { 'ralph/tasks.json': nativeText() }) {
  const root = await tempTree({ 'ralph/prd.md': '# P\n', 'state/': '', ...files });
  const stateDir = join(root, 'state');
  const git = {
    repo: { root, stateDir },
    storyRange: async () => ({ base: 'b', head: 'h', commits: 3 }),
  } as unknown as Git;
  const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
  const say = (word: PendingDecision, ledger: readonly LedgerLine[] = [], at = 50) =>
    applyAll({ git, workspace, ledger }, [{ kind: 'decision', ...word }], () => at).then(([applied]) => applied);
  const story = async () => (await loadOrThrow(workspace)).document.backlog.stories[0];
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return { say, story, read, ledger: () => readLedger(stateDir) };
}

const approve = { story: 'US-001', decision: 'approve', at: 10 } as const;
const reopen = { story: 'US-001', decision: 'reopen', at: 10 } as const;
const block = { story: 'US-001', decision: 'block', reason: 'no key', at: 10 } as const;

describe('what a person decides about a story', () => {
  test('approves it, blocked or not, with a receipt that names the person and the commits', async () => {
    const place = await aPlace({ 'ralph/tasks.json': nativeText([{ ...WORKED_ON, blocked: 'no key' }]) });
    const ledger = [aBadLine({ story: 'US-001' }), aLine({ story: 'US-002' })];
    const decided = await place.say(approve, ledger);
    expect(decided).toMatchObject({ kind: 'done' });
    const story = await place.story();
    expect(story).toMatchObject({ passes: true, reviewStatus: 'approved', reviewCount: 2, notes: 'by hand' });
    expect(story?.blocked).toBeUndefined();
    const receipt = {
      ...{ story: 'US-001', by: 'person', verified: false, reviews: 2, approvedAt: new Date(50).toISOString() },
      ...{ attempts: 1, commits: { base: 'b', head: 'h', count: 3 } },
    };
    expect(readReceipts(place.read('ralph/reviews.json'))).toMatchObject([receipt]);
  });

  test('sends it back to the beginning; what people wrote stays, and there is no receipt', async () => {
    const place = await aPlace({ 'ralph/tasks.json': nativeText([{ ...WORKED_ON, blocked: 'no key' }]) });
    expect(await place.say(reopen)).toMatchObject({ kind: 'done' });
    const story = await place.story();
    expect(story).toMatchObject({
      passes: false,
      reviewStatus: null,
      reviewCount: 0,
      reviewFeedback: '',
      title: 'one',
    });
    expect(story).toMatchObject({ notes: 'by hand' });
    expect(story?.blocked).toBeUndefined();
    expect(() => place.read('ralph/reviews.json')).toThrow();
  });

  test('takes it out of the loop with the reason, and leaves its review state', async () => {
    const place = await aPlace();
    await place.say(block);
    expect(await place.story()).toMatchObject({ blocked: 'no key', reviewStatus: 'changes_requested', reviewCount: 2 });
  });

  test('keeps review state beside a backlog of another tool', async () => {
    const place = await aPlace({ 'ralph/plan.md': '# Plan\n\n- [ ] US-001 one\n' });
    await place.say(approve);
    expect(place.read('ralph/plan.md')).toContain('- [x] US-001 one');
    expect(await place.story()).toMatchObject({ passes: true, reviewStatus: 'approved' });
  });

  test('is written into the ledger, never older than the word, whatever came of it', async () => {
    const line = { version: 1, kind: 'reset', story: 'US-001', decision: 'reopen' };
    const place = await aPlace();
    expect((await place.say(reopen))?.line).toEqual({ ...line, at: 50 });
    expect(await place.say({ ...reopen, at: 90 })).toMatchObject({ kind: 'same', line: { ...line, at: 90 } });
    const none = await place.say({ ...reopen, story: 'US-009' });
    expect(none).toMatchObject({ kind: 'refused', why: 'there is no story US-009 in ralph/tasks.json' });
    expect((await place.ledger()).map((one) => 'at' in one && one.at)).toEqual([50, 90, 50]);
  });

  test('leads nowhere where a prompt stands instead of stories', async () => {
    const root = await tempTree({ 'PROMPT.md': 'Go on.\n', 'state/': '' });
    const workspace = await findWorkspace({ root, cwd: root, flags: {}, env: {} });
    const git = { repo: { root, stateDir: join(root, 'state') } } as unknown as Git;
    const word = { kind: 'decision', ...approve, story: 'loop' } as const;
    const [decided] = await applyAll({ git, workspace, ledger: [] }, [word], () => 1);
    expect(decided).toMatchObject({ kind: 'refused', why: 'there are no stories in PROMPT.md' });
    expect(readFileSync(join(root, 'PROMPT.md'), 'utf8')).toBe('Go on.\n');
  });
});

describe('a story is so already', () => {
  const fresh = aStory('US-001');
  const done = { passes: true, reviewStatus: 'approved' } as const;
  test.each<[string, boolean, Partial<Story>, PendingDecision, readonly LedgerLine[]]>([
    ['approved: done', true, done, approve, []],
    ['approved: not done', false, {}, approve, []],
    ['blocked for that reason', true, { blocked: 'no key' }, block, []],
    ['blocked for another', false, { blocked: 'no time' }, block, []],
    ['not blocked', false, done, block, []],
    ['untouched', true, {}, reopen, []],
    ['untouched, another one was tried', true, {}, reopen, [aBadLine({ story: 'US-002' })]],
    ['tried', false, {}, reopen, [aBadLine({ story: 'US-001' })]],
    ['reviewed once', false, { reviewCount: 1 }, reopen, []],
    ['with feedback', false, { reviewFeedback: 'no' }, reopen, []],
    ['in review', false, { reviewStatus: 'needs_review' }, reopen, []],
    ['done', false, done, reopen, []],
  ])('%s: %s', (_, expected, fields, word, ledger) => {
    expect(isAlready({ ...fresh, ...fields }, word, ledger)).toBe(expected);
  });
});

test('an untouched story is one that nobody worked on', () => {
  expect(isAlready({ ...aStory('US-001'), ...UNTOUCHED, blocked: undefined } as unknown as Story, reopen, [])).toBe(
    true,
  );
});
