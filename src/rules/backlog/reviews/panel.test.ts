import { expect, test } from 'vitest';
import type { Claim } from '../../../contracts/index.ts';
import { aLine } from '../../safeguards/ledger.fixture.ts';
import { restOf } from './findings.ts';
import { mergeVotes, votesOf } from './panel.ts';

const approved: Claim = { kind: 'approved', source: 'tool', notes: 'read all of it' };
const refused: Claim = {
  kind: 'changes-requested',
  source: 'tool',
  feedback: '- src/a.ts:3: adds the tax twice\n- the error of `pay` is swallowed',
};
const sameAndMore: Claim = {
  kind: 'changes-requested',
  source: 'status-block',
  feedback: '1. src/a.ts:4: adds the tax twice\n2. src/b.ts: no test covers refunds',
};

test('a panel approves only when each of its agents does', () => {
  const both = [
    { agent: 'claude', claim: approved },
    { agent: 'codex', claim: approved },
  ];
  expect(mergeVotes(both, [])).toMatchObject({
    kind: 'approved',
    notes: 'claude: read all of it\n\ncodex: read all of it',
  });
  const one = mergeVotes(
    [
      { agent: 'claude', claim: approved },
      { agent: 'codex', claim: refused },
    ],
    [],
  );
  expect(one).toMatchObject({ kind: 'changes-requested', findings: [{ by: ['codex'] }, { by: ['codex'] }] });
});

test('findings of both are numbered, and one that both found is there once, with both names', () => {
  const claim = mergeVotes(
    [
      { agent: 'claude', claim: refused },
      { agent: 'codex', claim: sameAndMore },
    ],
    [],
  );
  if (claim.kind !== 'changes-requested') throw new Error('not refused');
  expect(claim.feedback.split('\n')).toEqual([
    '1. src/a.ts:3: adds the tax twice (found by claude, codex)',
    '2. the error of `pay` is swallowed (found by claude)',
    '3. src/b.ts: no test covers refunds (found by codex)',
  ]);
  // Nothing is left beside the findings for the agent that fixes them.
  expect(restOf(claim.feedback, claim.findings ?? [])).toBe('');
});

test('votes count until the state of the story changes, or a person resets it', () => {
  const vote = (agent: string) => ({ ...aLine({ story: 'US-1', mode: 'review' }), agent, vote: approved });
  const names = (...lines: Parameters<typeof votesOf>[0]) => votesOf(lines, 'US-1').map(({ agent }) => agent);
  expect(names(vote('claude'), { ...vote('codex'), story: 'US-2' })).toEqual(['claude']);
  expect(names(vote('claude'), { ...vote('codex'), stateChanged: true }, vote('gemini'))).toEqual(['gemini']);
  expect(names(vote('claude'), { version: 1, kind: 'reset', story: 'US-1', at: 0 })).toEqual([]);
});
