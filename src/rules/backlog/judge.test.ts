import { describe, expect, it } from 'vitest';
import type { Story } from '../../contracts/index.ts';
import { fixing, judged, reviewing } from './judged.fixture.ts';
import { aBacklog, aStory } from './story.fixture.ts';

describe('judge, what an agent may do', () => {
  it('finds nothing in an untouched backlog', () => {
    expect(judged({ before: [aStory('A')], after: [aStory('A')] })).toEqual({
      claim: null,
      violations: [],
      edits: [],
      warnings: [],
    });
  });

  it('takes null → needs_review of the selected story as the claim that it is ready', () => {
    const result = judged({ before: [aStory('A')], after: [aStory('A', { reviewStatus: 'needs_review' })] });
    expect(result).toEqual({ claim: { kind: 'ready', source: 'backlog' }, violations: [], edits: [], warnings: [] });
  });

  it('applies priorities and notes of any story while implementing', () => {
    const result = judged({
      before: [aStory('A'), aStory('B')],
      after: [aStory('A', { notes: 'half done' }), aStory('B', { priority: 3, notes: 'n' })],
    });
    expect(result).toMatchObject({
      violations: [],
      edits: [
        { kind: 'set', id: 'A', fields: { notes: 'half done' } },
        { kind: 'set', id: 'B', fields: { priority: 3, notes: 'n' } },
      ],
    });
  });

  it('puts titles and descriptions back, and the wish for others into the notes, once', () => {
    const wish = 'The agent proposes the title: "Easier"';
    const judgedAgain = (notes: string) =>
      judged({
        before: [aStory('A', { notes }), aStory('B')],
        after: [aStory('A', { notes, title: 'Easier' }), aStory('B', { description: 'More' })],
      });
    expect(judgedAgain('half done')).toMatchObject({
      violations: [
        { rule: 'transition/text', story: 'A', field: 'title', to: 'Easier' },
        { rule: 'transition/text', story: 'B', field: 'description' },
      ],
      edits: [
        { kind: 'set', id: 'A', fields: { notes: `half done\n${wish}` } },
        { kind: 'set', id: 'B', fields: { notes: 'The agent proposes the description: "More"' } },
      ],
    });
    expect(judgedAgain(wish).edits).toEqual([
      { kind: 'set', id: 'B', fields: { notes: 'The agent proposes the description: "More"' } },
    ]);
  });

  it('applies new stories, and a split that makes the original depend on them', () => {
    const result = judged({
      before: [aStory('A')],
      after: [aStory('A', { dependsOn: ['A2'] }), aStory('A2', { notes: 'rest' })],
    });
    expect(result.violations).toEqual([]);
    expect(result.edits).toMatchObject([
      { kind: 'add', story: { id: 'A2', notes: 'rest' } },
      { kind: 'set', id: 'A', fields: { dependsOn: ['A2'] } },
    ]);
  });

  it('applies criteria appended to the story under work', () => {
    const acceptanceCriteria = ['It works', 'It is fast'];
    const result = judged({ before: [aStory('A')], after: [aStory('A', { acceptanceCriteria })] });
    expect(result).toMatchObject({ violations: [], edits: [{ id: 'A', fields: { acceptanceCriteria } }] });
  });

  it('takes a complete review as its verdict', () => {
    const approved = { ...reviewing, reviewStatus: 'approved', passes: true, reviewCount: 1, notes: 'fine' } as const;
    expect(judged({ mode: 'review', before: [reviewing], after: [approved] })).toMatchObject({
      claim: { kind: 'approved', notes: 'fine' },
      violations: [],
    });
    const sentBack = {
      ...reviewing,
      reviewStatus: 'changes_requested',
      reviewFeedback: 'rename it',
      reviewCount: 1,
    } as const;
    expect(judged({ mode: 'review', before: [reviewing], after: [sentBack] })).toMatchObject({
      claim: { kind: 'changes-requested', feedback: 'rename it' },
      violations: [],
    });
  });

  it('lets a review that finds issues take back passes', () => {
    const before = { ...reviewing, passes: true };
    const after = { ...reviewing, reviewStatus: 'changes_requested', reviewFeedback: 'x', reviewCount: 1 } as const;
    expect(judged({ mode: 'review', before: [before], after: [after] })).toMatchObject({
      claim: { kind: 'changes-requested' },
      violations: [],
    });
  });

  it('takes a cleared changes_requested → needs_review as the claim that the items are addressed', () => {
    const after = { ...fixing, reviewStatus: 'needs_review', reviewFeedback: '' } as const;
    expect(judged({ mode: 'review-fix', before: [fixing], after: [after] })).toMatchObject({
      claim: { kind: 'ready' },
      violations: [],
    });
  });

  it('takes a tick in a format without review fields as a claim, not as an offence', () => {
    const markdown = { format: 'markdown' } as const;
    const tick = (story: Story) => ({ before: [story], after: [{ ...story, passes: true }], snapshotFields: markdown });
    expect(judged({ ...tick(aStory('A')) })).toMatchObject({ claim: { kind: 'ready' }, violations: [] });
    expect(judged({ ...tick(fixing), mode: 'review-fix' })).toMatchObject({ claim: { kind: 'ready' }, violations: [] });
    expect(judged({ ...tick(reviewing), mode: 'review' })).toMatchObject({
      claim: { kind: 'approved' },
      violations: [],
    });
  });

  it('lets the selected story alone become done under --skip-review', () => {
    const finished = { passes: true } as const;
    const options = { skipReview: true };
    expect(judged({ before: [aStory('A')], after: [aStory('A', finished)], options })).toMatchObject({
      claim: { kind: 'ready' },
      violations: [],
    });
    expect(
      judged({ before: [aStory('A'), aStory('B')], after: [aStory('A'), aStory('B', finished)], options }),
    ).toMatchObject({
      claim: null,
      violations: [{ rule: 'transition/other-story-reviewed', story: 'B', field: 'passes' }],
    });
  });

  it('leaves alone what was odd before and did not change', () => {
    const odd = aStory('B', { passes: true, reviewStatus: null, reviewCount: 99 });
    expect(judged({ before: [aStory('A'), odd], after: [aStory('A', { notes: 'x' }), odd] }).violations).toEqual([]);
  });
});

describe('judge, of what is illegal', () => {
  const A = aStory('A');
  const B = aStory('B');

  it('counts self-approval as ready, and an illegal review as no verdict', () => {
    expect(judged({ before: [A], after: [{ ...A, passes: true, reviewStatus: 'approved' }] }).claim).toMatchObject({
      kind: 'ready',
    });
    const miscounted = { ...reviewing, reviewCount: 3, reviewStatus: 'approved', passes: true } as const;
    expect(judged({ mode: 'review', before: [reviewing], after: [miscounted] }).claim).toBeNull();
    expect(
      judged({
        mode: 'review',
        before: [reviewing],
        after: [{ ...reviewing, reviewCount: 1, reviewStatus: 'approved' }],
      }).claim,
    ).toBeNull();
  });

  it('adds a new story born done as an open one, and at most five', () => {
    const born = judged({
      before: [A],
      after: [A, aStory('N', { passes: true, reviewStatus: 'approved', verifyCommands: ['true'] })],
    });
    expect(born.edits).toMatchObject([
      { kind: 'add', story: { id: 'N' } },
      { kind: 'set', id: 'A' },
    ]);
    expect(born.edits[0]).not.toHaveProperty('story.passes');
    expect(born.edits[0]).not.toHaveProperty('story.verifyCommands');
    const many = judged({
      before: [A],
      after: [A, ...[1, 2, 3, 4, 5, 6, 7].map((n) => aStory(`N${n}`, { dependsOn: n === 5 ? ['N6'] : [] }))],
    });
    expect(many.edits.map((edit) => (edit.kind === 'add' ? edit.story.id : edit.id))).toEqual(['N1', 'N2', 'N3', 'N4']);
  });

  it('keeps a proposal for the checks in the notes, once', () => {
    const after = aBacklog([A], { verifyCommands: ['npm run lint'] });
    const { edits } = judged({ before: [A], after });
    const notes = 'Proposed verifyCommands: ["npm run lint"]';
    expect(edits).toEqual([{ kind: 'set', id: 'A', fields: { notes } }]);
    expect(judged({ before: [{ ...A, notes }], after: { ...after, stories: [{ ...A, notes }] } }).edits).toEqual([]);
  });

  it('refuses a split that closes a circle once other dependencies are restored', () => {
    const waiting = aStory('B', { dependsOn: ['A'] });
    const result = judged({
      before: [A, waiting],
      after: [{ ...A, dependsOn: ['N'] }, B, aStory('N', { dependsOn: ['B'] })],
    });
    expect(result.violations.map((v) => v.rule)).toContain('transition/split-cycle');
    expect(result.edits.filter((edit) => edit.kind === 'set')).toEqual([]);
  });
});

describe('judge, on what is missing', () => {
  it('says what is wrong with a backlog it cannot read, and applies nothing', () => {
    const problem = {
      severity: 'error',
      rule: 'schema/json',
      file: 'ralph/tasks.json',
      line: 3,
      message: 'unexpected end',
      fix: '',
    } as const;
    const result = judged({ before: [aStory('A')], after: [], options: { agent: null, problems: [problem] } });
    expect(result).toMatchObject({ claim: null, edits: [], violations: [{ rule: 'transition/backlog-unreadable' }] });
    expect(result.violations[0]?.message).toContain('ralph/tasks.json:3: unexpected end');
    expect(judged({ before: [], after: [], options: { agent: null } }).violations[0]?.message).toContain(
      'it is missing',
    );
  });

  it('without a snapshot skips transitions with a warning and holds the invariants against every story', () => {
    const after = [
      aStory('A', { reviewStatus: 'needs_review' }),
      aStory('B', { reviewCount: -1 }),
      aStory('C', { passes: true }),
    ];
    const result = judged({ before: [], after, options: { snapshot: null } });
    expect(result.claim).toEqual({ kind: 'ready', source: 'backlog' });
    expect(result.violations).toMatchObject([{ rule: 'invariant/review-count', story: 'B' }]);
    expect(result.warnings).toEqual([expect.stringContaining('no snapshot')]);
    expect(result.edits).toEqual([]);
  });

  it('warns of a count above a lowered cap and lets one more review come on top', () => {
    const many = { ...reviewing, reviewCount: 4 };
    const after = [{ ...many, reviewCount: 5, reviewStatus: 'approved', passes: true } as const];
    const result = judged({ mode: 'review', before: [many], after, options: { reviewCap: 2 } });
    expect(result).toMatchObject({
      claim: { kind: 'approved' },
      violations: [],
      warnings: ['A has been reviewed 5 times, more than the review cap of 2'],
    });
  });
});
