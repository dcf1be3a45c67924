import { describe, expect, test } from 'vitest';
import {
  type CheckResult,
  type Config,
  JOURNAL_VERSION,
  type RunRecord,
  type SessionRecord,
} from '../../contracts/index.ts';
import { documentOf } from '../backlog/document.fixture.ts';
import { readReceipts } from '../backlog/index.ts';
import { aBadLine } from '../safeguards/ledger.fixture.ts';
import type { Evidence, Refusal } from './evidence.ts';
import { judgeIteration } from './judge-iteration.ts';
import { QUIET } from './verdict.fixture.ts';

const STORY = { id: 'A', title: 'one', description: '', acceptanceCriteria: ['works'], priority: 1, notes: '' };
const FRESH = { passes: false, reviewStatus: null, reviewCount: 0, reviewFeedback: '' };

const config = {
  review: { agents: null, panel: 1 },
  ...{ skipReview: false, reviewCap: 3, onReviewCap: 'approve', promise: 'COMPLETE', proof: 'none', rollback: 'auto' },
  ...{ onTestTamper: 'review', verifyCommands: [], commit: { templates: {}, verify: true, sign: false } },
  progress: { keep: 50 },
} as unknown as Config;

const record = { run: 'r1', baseline: null } as unknown as RunRecord;
const green: CheckResult = { command: 'npm test', ok: true, exitCode: 0, timedOut: false, durationMs: 5, tail: '' };
const red: CheckResult = { ...green, ok: false, exitCode: 1, tail: 'expected 1, got 2' };
const hook: Refusal = { kind: 'hook', hook: 'pre-commit', check: { ...red, command: 'git hook pre-commit' } };

function backlog(fields: object = {}) {
  const userStories = [{ ...STORY, ...FRESH, ...fields }];
  return documentOf('tasks-json', JSON.stringify({ project: 'p', branchName: 'b', description: '', userStories }));
}

/** An implement iteration that changed a file and calls its story finished by a tool; each test says what is different. */
function evidence(fields: Partial<Evidence> = {}, said: Partial<Evidence['agent']> = {}): Evidence {
  const document = backlog();
  const session = { hooked: true, edits: [], notes: [], patterns: [], tests: null, statusMessage: null, rescue: null };
  return {
    header: {
      ...{ version: JOURNAL_VERSION, run: 'r1', iteration: 4, mode: 'implement', story: 'A', attempt: 1 },
      ...{ startedAt: 1_000, checkpoint: null, trust: null },
    },
    agent: {
      ...{ ...QUIET.outcome, startedAt: 1_000, endedAt: 3_000, agent: 'scripted' },
      session: { ...session, claim: { kind: 'ready', source: 'tool' } },
      ...said,
    },
    ...{ config, ledger: [], record, limits: { storyMaxAttempts: 3, storyMaxCost: null } },
    before: { document, progress: '# Progress\n' },
    backlog: { document, problems: [] },
    head: { before: 'c0', after: 'c0' },
    tree: 't1',
    progress: { text: '# Progress\n', isUnreadable: false },
    work: [{ path: 'a.ts', status: 'modified' }],
    ...{ putBack: [], rescue: null, analyzers: { completion: false, blocked: null, notes: [] } },
    changedSinceReview: true,
    places: {
      ...{ name: 'p', backlog: 'ralph/tasks.json', progress: 'ralph/progress.txt' },
      ...{ root: '/w', commonDir: '/w/.git', stateDir: '/w/.git/ralph' },
    },
    ...{ lost: [], tampering: [], underReview: [], shownDone: null, checks: [green], proof: null, isStopped: false },
    ...{ range: null, agentCommits: null, refusals: [], kept: null },
    ...fields,
  };
}

const inReview = { ...evidence().header, mode: 'review' } as const;
const approving = {
  ...evidence().agent.session,
  claim: { kind: 'approved', source: 'tool' },
} as SessionRecord;

function review(fields: Partial<Evidence> = {}): Evidence {
  const document = backlog({ reviewStatus: 'needs_review' });
  const base = {
    header: inReview,
    before: { document, progress: null },
    backlog: { document, problems: [] },
    work: [],
  };
  return evidence({ ...base, range: { base: 'c0', head: 'c2', commits: 2 }, ...fields }, { session: approving });
}

describe('an accepted iteration', () => {
  test('is one commit of its work and the new texts of the files of the loop', () => {
    const outcome = judgeIteration(evidence({ agentCommits: { ref: 'refs/x', messages: ['wip'] } }));
    expect(outcome).toMatchObject({
      rollBack: false,
      commit: { subject: 'feat(A): one', body: '- wip', paths: ['a.ts'], runsHooks: true },
      ledger: { verdict: 'accepted', stateChanged: true, state: 'needs_review', base: 'c0', failure: null },
      events: [],
    });
    expect(outcome.files['ralph/tasks.json']).toContain('"needs_review"');
    expect(outcome.files['ralph/progress.txt']).toContain('#4 SUCCESS | accepted | implement | A one');
  });

  test('of a review that approves makes the story done, with a receipt', () => {
    const { files, commit, ledger } = judgeIteration(review());
    expect(commit).toMatchObject({ subject: 'review(A): approved', paths: [], runsHooks: false });
    expect(ledger).toMatchObject({ state: 'approved', reviewed: 'c0' });
    expect(readReceipts(files['ralph/reviews.json'] ?? '')).toMatchObject([
      { story: 'A', by: 'review', commits: { base: 'c0', head: 'c2', count: 2 }, verified: true },
    ]);
  });

  test('of a review with red checks sends the story back with their output', () => {
    const { files, ledger } = judgeIteration(review({ checks: [red], record: { ...record, baseline: [green] } }));
    expect(ledger).toMatchObject({ verdict: 'accepted', state: 'changes_requested' });
    expect(ledger.reason).toContain('changes are requested');
    expect(files['ralph/tasks.json']).toContain('expected 1, got 2');
  });
});

describe('work that is rolled back', () => {
  const broken = { checks: [red], record: { ...record, baseline: [green] } };

  test('leaves a reason, its checks and what was kept of it', () => {
    const first = judgeIteration(evidence(broken));
    expect(first).toMatchObject({ rollBack: true, commit: null, ledger: { verdict: 'rejected', rescue: null } });
    const { ledger, files } = judgeIteration(
      evidence({ ...broken, kept: { rescue: 'refs/r/1', diffStat: ' a.ts | 2' } }),
    );
    expect(ledger).toMatchObject({
      rescue: 'refs/r/1',
      failure: { reason: first.ledger.reason, checks: [red], rescue: 'refs/r/1', diffStat: ' a.ts | 2' },
    });
    expect(files['ralph/progress.txt']).toContain('kept at refs/r/1');
  });

  test('stays as a wip commit with `rollback: never`, but never beside a secret', () => {
    const never = { ...config, rollback: 'never' } as Config;
    const kept = judgeIteration(evidence({ ...broken, config: never }));
    expect(kept).toMatchObject({
      rollBack: false,
      commit: { subject: 'wip(A): one', paths: ['a.ts'], runsHooks: false },
    });
    const secrets: Refusal = { kind: 'secrets', files: [{ path: 'a.ts', names: ['KEY'] }] };
    const gone = judgeIteration(evidence({ ...broken, config: never, refusals: [secrets] }));
    expect(gone).toMatchObject({ rollBack: true, commit: null });
    expect(gone.ledger.violations).toMatchObject([{ rule: 'secret', field: 'a.ts' }]);
  });

  test('of a review is all that it changed; its verdict does not stand', () => {
    const touched = judgeIteration(review({ work: [{ path: 'a.ts', status: 'modified' }] }));
    expect(touched).toMatchObject({
      rollBack: true,
      commit: null,
      ledger: { verdict: 'rejected', stateChanged: false },
    });
    const leftover = judgeIteration(review({ work: [{ path: 'notes.txt', status: 'added' }] }));
    expect(leftover).toMatchObject({ rollBack: true, commit: { paths: [] }, ledger: { verdict: 'accepted' } });
  });

  test('blocks the story at its last attempt', () => {
    const { ledger } = judgeIteration(evidence({ ...broken, ledger: [aBadLine(), aBadLine()] }));
    expect(ledger.blocked).toBe(`3 failed attempts; the last: ${ledger.reason}`);
  });
});

test('a commit hook that refuses is more evidence: the same question has another answer', () => {
  const before = judgeIteration(evidence());
  const after = judgeIteration(evidence({ refusals: [hook] }));
  expect(before.ledger.verdict).toBe('accepted');
  expect(after).toMatchObject({ rollBack: true, commit: null });
  expect(after.ledger).toMatchObject({ verdict: 'rejected', reason: 'the commit hook pre-commit refused the work' });
  expect(after.ledger.failure?.checks).toEqual([hook.check]);
});

test('a stop during the checks leaves nothing to conclude from', () => {
  const { ledger, rollBack } = judgeIteration(evidence({ isStopped: true, checks: [red] }));
  expect({ verdict: ledger.verdict, counts: ledger.counts, rollBack }).toEqual({
    ...{ verdict: 'interrupted', counts: 'ignored', rollBack: true },
  });
});

test('what was put back, and a log that was rewritten, are told to the agent', () => {
  const { ledger, events } = judgeIteration(
    evidence({
      putBack: [
        { kind: 'file', path: 'ralph/prd.md', how: 'deleted' },
        { kind: 'hidden', path: '.mcp.json', how: 'added', kept: '/x/1', isBack: true },
      ],
      progress: { text: '# Other\n', isUnreadable: false },
    }),
  );
  expect(ledger.violations.map(({ rule, field }) => `${rule} ${field}`)).toEqual([
    'protected-file ralph/prd.md',
    'protected-file .mcp.json',
    'progress/rewritten ralph/progress.txt',
  ]);
  expect(events.map(({ type }) => type)).toEqual(['violation', 'violation', 'violation']);
});

test('the same evidence always comes to the same', () => {
  for (const one of [evidence(), review(), evidence({ refusals: [hook] })]) {
    expect(judgeIteration(one)).toEqual(judgeIteration(one));
  }
});
