import { expect, test } from 'vitest';
import { NO_USAGE } from '../../contracts/index.ts';
import { endText } from '../../rules/text/index.ts';
import { usage } from './events.fixture.ts';
import { coloured } from './paint.fixture.ts';
import { plain } from './paint.ts';
import { renderSummary, type SummaryView } from './summary.ts';

const view: SummaryView = {
  run: '20260101-100000-abcd',
  reason: 'iterations',
  exitCode: 1,
  detail: '',
  durationMs: 754_000,
  iterations: 4,
  costUsd: 1.2,
  usage,
  branch: 'ralph/login',
  lonePrompt: false,
  stories: [
    {
      id: 'US-001',
      title: 'Log in with a title that does not end where the terminal ends',
      state: 'done',
      iterations: 3,
      costUsd: 1.1,
    },
    { id: 'US-002', title: 'Log out', state: 'blocked', note: '3 failed attempts', iterations: 1, costUsd: 0.1 },
    { id: 'US-003', title: 'Remember me', state: 'to do', iterations: 0, costUsd: null },
  ],
  commits: [{ commit: '3f2a9c1d00', subject: 'feat(US-001): Log in' }],
  needs: [
    { kind: 'story', what: 'US-002 is blocked: 3 failed attempts', command: 'ralph stories show US-002' },
    {
      kind: 'weakened',
      what: 'the review of US-001 accepted a weakened test: a.test.ts:3: skipped (slow)',
      command: null,
    },
  ],
  rescues: 1,
};

const render = (parts: Partial<SummaryView> = {}) =>
  renderSummary({ ...view, ...parts }, { paint: plain, columns: 80 }).join('\n');

test('the summary tells the outcome, what needs a person, then stories, commits and where to look next', () => {
  expect(render()).toMatchInlineSnapshot(`
    "
    OUT OF ITERATIONS: stories are left
      run 20260101-100000-abcd · 4 iterations · 12m 34s · $1.20 · 33.1k tokens

    Needs you: 2
      US-002 is blocked: 3 failed attempts
        ralph stories show US-002
      the review of US-001 accepted a weakened test: a.test.ts:3: skipped (slow)

    Stories: 1 of 3 done
      story   state    iterations   cost  title
      US-001  done              3  $1.10  Log in with a title that does not end whe…
      US-002  blocked           1  $0.10  Log out · 3 failed attempts
      US-003  to do             -      -  Remember me

    Commits on ralph/login: 1
      3f2a9c1 feat(US-001): Log in

    Look next
      ralph log          what happened in each iteration
      git log -1 --stat  what was committed
      ralph rescue list  rolled-back work you can restore: 1
      ralph run          continue

    ralph run: out of iterations (exit 1)"
  `);
});

test('without a backlog it is the agent that has nothing left to do, and no story is listed', () => {
  const [, , lone] = view.stories;
  const text = render({
    reason: 'complete',
    exitCode: 0,
    lonePrompt: true,
    stories: [lone!],
    detail: 'called finished twice',
  });
  expect(text).toContain('COMPLETE: the agent has nothing left to do\n  called finished twice');
  expect(text).not.toContain('Stories:');
});

test('a prompt that is blocked says how to go on, and speaks of no stories', () => {
  const [, blocked] = view.stories;
  const text = render({
    reason: 'blocked',
    exitCode: 6,
    lonePrompt: true,
    stories: [blocked!],
    needs: [],
    detail: 'needs a key',
  });
  expect(text).toContain('NEEDS YOU: the agent cannot continue by itself\n  needs a key');
  expect(text).toMatch(/^ {2}ralph steer "…" .*PROMPT\.md$/m);
  expect(text).toMatch(/^ {2}ralph run .*continue/m);
  expect(text).not.toMatch(/stories|US-002 {2}/i);
});

test('what there is none of is not mentioned', () => {
  expect(
    render({
      reason: 'complete',
      exitCode: 0,
      stories: [],
      commits: [],
      needs: [],
      rescues: 0,
      costUsd: null,
      usage: NO_USAGE,
      branch: null,
    }),
  ).toMatchInlineSnapshot(`
    "
    COMPLETE: every story is done
      run 20260101-100000-abcd · 4 iterations · 12m 34s

    Look next
      ralph log     what happened in each iteration
      ralph finish  bring it to your branch, one commit per story

    ralph run: complete (exit 0)"
  `);
});

test('a detail stands below the outcome', () => {
  expect(render({ reason: 'error', exitCode: 2, detail: 'the branch was moved by someone' })).toContain(
    '\n  the branch was moved by someone\n',
  );
});

test('a long backlog shows the stories that were worked on and counts the rest', () => {
  const stories = Array.from({ length: 500 }, (_, i) => ({
    id: `US-${i}`,
    title: 't',
    state: 'to do' as const,
    iterations: i < 2 ? 1 : 0,
    costUsd: null,
  }));
  const text = render({ stories, needs: [] });
  expect(text.match(/^ {2}US-/gm)).toHaveLength(2);
  expect(text).toContain('… and 498 more: ralph stories');
});

test.each([
  ['circuit', 3, 'STOPPED: no progress', 'ralph run --reset-circuit'],
  ['budget', 5, 'STOPPED: a budget', 'ralph run'],
  ['limit', 5, 'usage limit', 'ralph run --on-usage-limit wait'],
  ['stopped', 1, 'STOPPED', 'ralph run'],
  ['failure', 1, 'STOPPED: an iteration failed', 'ralph run'],
  ['unavailable', 7, 'NEEDS YOU', 'ralph doctor'],
  ['terminated', 143, 'TERMINATED', 'ralph run'],
] as const)('a run that ended with %s says why and how to go on', (reason, exitCode, outcome, command) => {
  const lines = render({ reason, exitCode, detail: 'what the gate said' }).split('\n');
  expect(lines[1]).toContain(outcome);
  expect(lines[2]).toBe('  what the gate said');
  expect(lines.find((line) => line.startsWith(`  ${command}  `))).toBeDefined();
  expect(lines.at(-1)).toBe(`ralph run: ${endText(reason)} (exit ${exitCode})`);
});

test('a story that waits for an answer shows the question and the command that answers it', () => {
  const [, blocked] = view.stories;
  const asking = { ...blocked!, title: 'Sum', note: 'question Q4: Net or gross?' };
  const needs = [{ kind: 'story', what: 'US-002 asks: Net or gross?', command: 'ralph answer Q4 "…"' }] as const;
  const text = render({ reason: 'blocked', exitCode: 6, stories: [asking], needs });
  expect(text).toContain('Sum · asks Q4: Net or gross?');
  expect(text).toContain('US-002 asks: Net or gross?\n    ralph answer Q4 "…"');
});

test('commands name the work tree where the person is not in it, and the lanes of a run that had some', () => {
  const placed = (root: string | null, lanes: number) =>
    renderSummary(view, { paint: plain, columns: 80, place: { root, lanes } }).join('\n');
  const far = placed('/projects/app/.ralph/worktrees/PRD-2', 1);
  expect(far).toMatch(/^ {2}ralph log --project-dir \/projects\/app\/\.ralph\/worktrees\/PRD-2 /m);
  expect(far).toMatch(/^ {2}git -C \/projects\/app\/\.ralph\/worktrees\/PRD-2 log -1 --stat /m);
  expect(far).toMatch(/^ {2}ralph run --project-dir \/projects\/app\/\.ralph\/worktrees\/PRD-2 +continue$/m);
  expect(placed("/home/una/it's here", 1)).toContain("git -C '/home/una/it'\\''s here' log -1");
  expect(placed(null, 3)).toMatch(/^ {2}ralph run --parallel 3 +continue$/m);
  expect(placed(null, 3)).toMatch(/^ {2}ralph log +what/m);
});

test('colours mark the outcome and the states', () => {
  const text = renderSummary({ ...view, reason: 'complete', exitCode: 0 }, { paint: coloured, columns: 80 }).join('\n');
  expect(text).toContain('\u001b[32mCOMPLETE: what was asked for is done\u001b[39m');
  expect(text).toContain('\u001b[33mblocked');
});
