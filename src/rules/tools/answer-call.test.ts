import { describe, expect, it } from 'vitest';
import type { Mode, SessionRecord } from '../../contracts/index.ts';
import { documentOf } from '../backlog/document.fixture.ts';
import type { BacklogDocument } from '../backlog/index.ts';
import { answerCall, type ToolState } from './answer-call.ts';
import { ALL_TOOLS, toolsOf } from './specs.ts';

const EMPTY: SessionRecord = {
  hooked: true,
  claim: null,
  edits: [],
  notes: [],
  patterns: [],
  tests: null,
  statusMessage: null,
  rescue: null,
};

function backlog(change: (stories: Record<string, unknown>[]) => void = () => {}): BacklogDocument {
  const userStories: Record<string, unknown>[] = ['US-001', 'US-002'].map((id, index) => ({
    ...{ id, title: `story ${id}`, acceptanceCriteria: ['it works'], priority: index + 1 },
    ...{ passes: false, reviewStatus: null, reviewCount: 0, dependsOn: [] },
  }));
  change(userStories);
  return documentOf('tasks-json', JSON.stringify({ userStories }));
}

function state(mode: Mode = 'implement', rest: Partial<ToolState> = {}): ToolState {
  const status = { implement: null, review: 'needs_review', 'review-fix': 'changes_requested' }[mode];
  const document = backlog((stories) => {
    if (status !== null) Object.assign(stories[0] ?? {}, { reviewStatus: status, reviewFeedback: 'fix it' });
  });
  return {
    question: 'Q7',
    mode,
    story: 'US-001',
    skipReview: false,
    reviewCap: 5,
    snapshot: document,
    agent: document,
    record: EMPTY,
    toAnswer: [],
    failure: '',
    ...rest,
  };
}

describe('looking', () => {
  it('shows the story of the iteration, or the one asked for', () => {
    expect(answerCall('get_story', {}, state()).answer.text).toContain('US-001: story US-001');
    expect(answerCall('get_story', { id: 'US-002' }, state()).answer.text).toContain('US-002: story US-002');
  });

  it('names the stories that there are when one is not', () => {
    expect(answerCall('get_story', { id: 'US-9' }, state()).answer).toEqual({
      isError: true,
      text: 'There is no story US-9. The stories are US-001, US-002.',
    });
  });

  it('marks the story of the iteration in the list', () => {
    expect(answerCall('list_stories', {}, state()).answer.text).toBe(
      '* US-001 · to do · story US-001\n  US-002 · to do · story US-002',
    );
  });

  it('tells why the last iteration failed', () => {
    expect(answerCall('get_failure_context', {}, state('implement', { failure: 'red' })).answer.text).toBe('red');
  });

  it('answers an unknown tool with one that would help', () => {
    expect(answerCall('approve', {}, state()).answer).toMatchObject({ isError: true, text: /complete_story/ });
  });
});

describe('complete_story', () => {
  it('is a claim that the checks decide about, and keeps its summary as the notes', () => {
    const outcome = answerCall('complete_story', { status: 'success', summary: 'Cart added.' }, state());
    expect(outcome).toMatchObject({
      needsChecks: true,
      record: {
        claim: { kind: 'ready', source: 'tool' },
        edits: [{ kind: 'set', id: 'US-001', fields: { notes: 'Cart added.' } }],
      },
    });
  });

  it('does not believe in success with failing tests', () => {
    const outcome = answerCall('complete_story', { status: 'success', summary: 's', tests: 'failing' }, state());
    expect(outcome).toMatchObject({ answer: { isError: true }, record: EMPTY });
  });

  it('takes a claim back when the story turns out unfinished', () => {
    const record = { ...EMPTY, claim: { kind: 'ready', source: 'tool' } } as const;
    const outcome = answerCall(
      'complete_story',
      { status: 'partial', summary: 'half' },
      state('implement', { record }),
    );
    expect(outcome.record).toMatchObject({ claim: null, notes: ['US-001 is not finished: half'] });
  });

  it('sets the story aside when it is blocked', () => {
    const outcome = answerCall('complete_story', { status: 'blocked', summary: 'no key' }, state());
    expect(outcome.record.claim).toEqual({ kind: 'blocked', source: 'tool', reason: 'no key' });
  });

  it('waits for the parts that the story was split into', () => {
    const parts = { parts: [{ title: 'Part', acceptance_criteria: ['done'] }] };
    const { record } = answerCall('split_story', parts, state());
    const outcome = answerCall('complete_story', { status: 'success', summary: 's' }, state('implement', { record }));
    expect(outcome.answer).toMatchObject({ isError: true });
    expect(outcome.answer.text).toContain('US-003');
  });

  it('is refused in a review', () => {
    const outcome = answerCall('complete_story', { status: 'success', summary: 's' }, state('review'));
    expect(outcome.answer).toMatchObject({ isError: true, text: /submit_review/ });
  });
});

describe('submit_review', () => {
  it('approves, with notes', () => {
    const outcome = answerCall('submit_review', { verdict: 'approve', notes: 'read it all' }, state('review'));
    expect(outcome.record.claim).toEqual({ kind: 'approved', source: 'tool', notes: 'read it all' });
  });

  it('approves over weakened tests only with a reason for each, by its number', () => {
    const weakened = (path: string) =>
      ({ kind: 'test-deleted', path, line: 3, detail: 'a test is gone', severity: 'high' }) as const;
    const asked = state('review', { toAnswer: [weakened('a.test.ts'), weakened('b.test.ts')] });
    const approve = (...accepted_findings: unknown[]) =>
      answerCall('submit_review', { verdict: 'approve', accepted_findings }, asked);
    for (const silent of [
      approve(),
      approve({ finding: 1, reason: 'moved' }),
      approve({ finding: 1, reason: 'moved' }, { finding: 2, reason: ' ' }),
    ]) {
      expect(silent).toMatchObject({ answer: { isError: true, text: /finding 2: b\.test\.ts:3/ }, record: EMPTY });
    }
    const accepted = [1, 2].map((finding) => ({ finding, reason: 'the story removes it' }));
    expect(approve(...accepted).record.claim).toEqual({ kind: 'approved', source: 'tool', accepted });
  });

  it('asks for feedback with requested changes', () => {
    const outcome = answerCall('submit_review', { verdict: 'request_changes', feedback: ' ' }, state('review'));
    expect(outcome).toMatchObject({ answer: { isError: true, text: /item by item/ }, record: EMPTY });
  });

  it.each(['implement', 'review-fix'] as const)(
    'is refused to those who %s: nobody approves their own work',
    (mode) => {
      expect(answerCall('submit_review', { verdict: 'approve' }, state(mode))).toMatchObject({
        answer: { isError: true, text: /own work/ },
        record: EMPTY,
      });
    },
  );
});

describe('add_story and split_story', () => {
  const wish = { title: 'Log out', acceptance_criteria: ['a click ends the session'] };

  it('give the next free number, over several calls', () => {
    const first = answerCall('add_story', wish, state());
    const second = answerCall('add_story', wish, state('implement', { record: first.record }));
    expect(first.answer.text).toContain('US-003');
    expect(second.answer.text).toContain('US-004');
    expect(second.record.edits).toHaveLength(2);
  });

  it('number on behind what the agent wrote into the file itself', () => {
    const agent = backlog((stories) => stories.push({ ...stories[0], id: 'US-003', title: 'by hand' }));
    expect(answerCall('add_story', wish, state('implement', { agent })).answer.text).toContain('US-004');
  });

  it('are refused beyond the most that one iteration may add', () => {
    let record = EMPTY;
    for (let i = 0; i < 5; i++) record = answerCall('add_story', wish, state('implement', { record })).record;
    const sixth = answerCall('add_story', wish, state('implement', { record }));
    expect(sixth).toMatchObject({ answer: { isError: true }, record });
    expect(sixth.answer.text).toMatch(/5|five/);
  });

  it('are refused with a dependency that does not exist', () => {
    const outcome = answerCall('add_story', { ...wish, depends_on: ['US-9'] }, state());
    expect(outcome).toMatchObject({ answer: { isError: true, text: /US-9/ }, record: EMPTY });
  });

  it.each(['review', 'review-fix'] as const)('are refused in %s', (mode) => {
    expect(answerCall('add_story', wish, state(mode))).toMatchObject({ answer: { isError: true }, record: EMPTY });
  });

  it('let a split story depend on its parts', () => {
    const outcome = answerCall('split_story', { parts: [wish, { ...wish, title: 'Log in' }] }, state());
    expect(outcome.answer.isError).toBe(false);
    expect(outcome.record.edits.at(-1)).toEqual({
      kind: 'set',
      id: 'US-001',
      fields: { dependsOn: ['US-003', 'US-004'] },
    });
  });
});

describe('the rest', () => {
  it('sets a story aside with a question under the next free id', () => {
    const outcome = answerCall('ask_question', { question: 'Euro or dollar?' }, state());
    expect(outcome.record.claim).toMatchObject({ kind: 'blocked', reason: 'question Q7: Euro or dollar?' });
  });

  it('keeps notes and patterns for the log', () => {
    const noted = answerCall('log_progress', { text: 'did it' }, state());
    const both = answerCall('add_pattern', { pattern: 'use\nports' }, state('implement', { record: noted.record }));
    expect(both.record).toMatchObject({ notes: ['did it'], patterns: ['use ports'] });
  });

  it('passes a merge request on to a person', () => {
    expect(answerCall('request_merge', { title: 'Cart' }, state()).merge).toEqual({ title: 'Cart', body: '' });
  });
});

describe('the announced tools', () => {
  it('offer a verdict to reviewers only, and completion to workers only', () => {
    const names = (mode: Mode) => toolsOf(mode).map(({ name }) => name);
    expect(names('review')).toContain('submit_review');
    expect(names('review')).not.toContain('complete_story');
    expect(names('implement')).toContain('complete_story');
    expect(names('review-fix')).not.toContain('submit_review');
    expect(names('review-fix')).not.toContain('add_story');
  });

  it('are all answered', () => {
    for (const { name } of ALL_TOOLS) expect(answerCall(name, {}, state()).answer.text).not.toContain('no tool');
  });
});
