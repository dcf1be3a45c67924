import { describe, expect, it } from 'vitest';
import type { BacklogFormat, StoryEdit } from '../../contracts/index.ts';
import { documentOf } from '../backlog/document.fixture.ts';
import { type BacklogDocument, editBacklog } from '../backlog/index.ts';
import { compact } from '../progress.ts';
import { joinBacklogs, joinProgress } from './join.ts';

const tasks = JSON.stringify({
  project: 'demo',
  branchName: 'b',
  userStories: ['US-001', 'US-002', 'US-003'].map((id, i) => ({
    id,
    title: `Story ${id}`,
    description: '',
    acceptanceCriteria: ['It works'],
    priority: i + 1,
    passes: false,
    reviewStatus: null,
    reviewCount: 0,
    reviewFeedback: '',
    notes: '',
    dependsOn: [],
  })),
});
const plan = '# Plan\n\n- [ ] US-001: one\n- [ ] US-002: two\n- [ ] US-003: three\n';
const prd = JSON.stringify({
  branchName: 'b',
  userStories: ['US-001', 'US-002', 'US-003'].map((id, i) => ({ id, title: id, priority: i + 1, passes: false })),
});
const formats: readonly (readonly [BacklogFormat, string])[] = [
  ['tasks-json', tasks],
  ['prd-json', prd],
  ['markdown', plan],
];

const done = (id: string): StoryEdit => ({
  kind: 'set',
  id,
  fields: { passes: true, reviewStatus: 'approved', reviewCount: 1 },
});
const add = (id: string, dependsOn: readonly string[] = []): StoryEdit => ({
  kind: 'add',
  story: { id, title: `new ${id}`, acceptanceCriteria: ['It works'], dependsOn },
});

describe.each(formats)('joinBacklogs of %s', (format, text) => {
  const base = documentOf(format, text);
  const join = (onBranch: readonly StoryEdit[], inLane: readonly StoryEdit[], story = 'US-002'): BacklogDocument =>
    joinBacklogs({ base, branch: editBacklog(base, onBranch), lane: editBacklog(base, inLane), story });

  it('is what doing one after the other gives', () => {
    const joined = join([done('US-001')], [done('US-002')]);
    const serial = editBacklog(base, [done('US-001'), done('US-002')]);
    expect(joined.text).toBe(serial.text);
    expect(joined.reviewsText).toBe(serial.reviewsText);
  });

  it('takes no other story from the lane, whatever it says there', () => {
    const joined = join([], [done('US-001'), done('US-002')]);
    expect(joined.backlog.stories.map(({ passes }) => passes)).toEqual([false, true, false]);
  });

  it('adds stories under a free id, with what depends on them', () => {
    const joined = join([add('US-004')], [add('US-004'), add('US-005', ['US-004']), done('US-002')]);
    const stories = new Map(joined.backlog.stories.map((story) => [story.id, story]));
    expect(stories.size).toBe(6);
    const last = [...stories.values()].filter(({ title }) => title.includes('US-005'));
    expect(last).toHaveLength(1);
    expect(last[0]?.dependsOn).toContain('US-006');
  });

  it('keeps what a person changed on the branch meanwhile', () => {
    const title = (id: string, text: string): StoryEdit => ({ kind: 'set', id, fields: { notes: text } });
    const joined = join([title('US-003', 'by a person')], [title('US-003', 'by an agent'), done('US-002')]);
    const notes = joined.backlog.stories.find(({ id }) => id === 'US-003')?.notes;
    expect(notes).toContain('by a person');
    expect(notes).toContain('by an agent');
  });

  it('tells that a story is blocked', () => {
    const joined = join([done('US-001')], [{ kind: 'set', id: 'US-002', fields: { blocked: 'which one?' } }]);
    expect(joined.backlog.stories[1]?.blocked).toBe('which one?');
    expect(joined.backlog.stories[0]?.passes).toBe(true);
  });
});

const head = '# Log\n\n## Patterns\n- one\n---\n';
const entry = (n: number, story: string) =>
  `[2026-11-21T10:00:00.000Z] #${n} SUCCESS | accepted | implement | ${story}\n`;

describe('joinProgress', () => {
  const base = `${head}${entry(1, 'US-001')}`;

  it('puts the entries of the lane below those of the branch, with the numbers of the run', () => {
    const joined = joinProgress({
      base,
      branch: `${base}${entry(2, 'US-002')}`,
      lane: `${base}## US-003\nlearned something\n${entry(1, 'US-003')}`,
      numbers: new Map([[1, 3]]),
    });
    expect(joined).toBe(`${base}${entry(2, 'US-002')}## US-003\nlearned something\n${entry(3, 'US-003')}`);
  });

  it('adds patterns once', () => {
    const lane = base.replace('- one\n', '- one\n- two\n');
    const branch = base.replace('- one\n', '- one\n- three\n');
    const joined = joinProgress({ base, branch, lane, numbers: new Map() });
    expect(joined).toContain('- one\n- three\n- two\n---\n');
    expect(joinProgress({ base, branch: joined, lane, numbers: new Map() })).toBe(joined);
  });

  it('does not add again what the lane cut short', () => {
    const old = `${head}## US-001\nlearned\nmore\n${entry(1, 'US-001')}${entry(2, 'US-001')}`;
    const lane = compact(`${old}${entry(1, 'US-002')}`, 1).text;
    expect(lane).toContain('## US-001: learned');
    expect(joinProgress({ base: old, branch: old, lane, numbers: new Map([[1, 3]]) })).toBe(
      `${old}${entry(3, 'US-002')}`,
    );
  });

  it('leaves the log of the branch alone when the lane added nothing', () => {
    expect(joinProgress({ base, branch: `${base}x\n`, lane: base, numbers: new Map() })).toBe(`${base}x\n`);
  });
});
