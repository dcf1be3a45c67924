import type { Claim, LedgerLine, SaidFinding } from '../../../contracts/index.ts';
import { findingsIn, isSameFinding } from './findings.ts';

/** What one agent of a panel said in its review. */
interface Vote {
  readonly agent: string;
  readonly claim: Claim;
}

/** The votes of the round under way: reviews since the story's state last changed. */
export function votesOf(ledger: readonly LedgerLine[], story: string): readonly Vote[] {
  let votes: readonly Vote[] = [];
  for (const line of ledger) {
    if ((line.kind !== 'iteration' && line.kind !== 'reset') || line.story !== story) continue;
    if (line.kind === 'reset' || line.stateChanged) votes = [];
    else if (line.vote) votes = [...votes, { agent: line.agent, claim: line.vote }];
  }
  return votes;
}

/** The one verdict of a panel: an approval only if each agent approves; otherwise all findings, with who found each. */
export function mergeVotes(votes: readonly Vote[], criteria: readonly string[]): Claim {
  const approvals = votes.flatMap(({ agent, claim }) => (claim.kind === 'approved' ? { agent, claim } : []));
  if (approvals.length === votes.length) {
    const notes = approvals.flatMap(({ agent, claim }) => (claim.notes ? `${agent}: ${claim.notes}` : []));
    return {
      kind: 'approved',
      source: votes.at(-1)?.claim.source ?? 'tool',
      ...(notes.length === 0 ? {} : { notes: notes.join('\n\n') }),
      accepted: approvals.flatMap(({ claim }) => claim.accepted ?? []),
    };
  }
  const findings: (SaidFinding & { readonly by: readonly string[] })[] = [];
  for (const { agent, claim } of votes) {
    if (claim.kind !== 'changes-requested') continue;
    for (const said of claim.findings ?? findingsIn(claim.feedback, criteria)) {
      const at = findings.findIndex((known) => isSameFinding(known, said));
      const known = findings[at];
      if (known === undefined) findings.push({ ...said, by: [agent] });
      else if (!known.by.includes(agent)) findings[at] = { ...known, by: [...known.by, agent] };
    }
  }
  const feedback = findings.map(({ claim, by }, i) => `${i + 1}. ${claim} (found by ${by.join(', ')})`).join('\n');
  return { kind: 'changes-requested', source: votes.at(-1)?.claim.source ?? 'tool', feedback, findings };
}
