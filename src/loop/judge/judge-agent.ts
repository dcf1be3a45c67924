import type { Violation } from '../../contracts/model.ts';
import type { DeskRecord } from '../../contracts/state/agent-outcome.ts';
import type { IterationHeader } from '../../contracts/state/journal.ts';
import type { Judgement } from '../../rules/backlog/api.ts';
import { judge } from '../../rules/backlog/judge.ts';
import { propose } from '../../rules/backlog/propose.ts';
import type { RunContext } from '../context.ts';
import { readBacklog, type Snapshot } from '../keep/snapshot.ts';

/**
 * What the agent's backlog amounts to against the snapshot: its file as it is now, with what it announced through its
 * tools laid over it. The Stop hook and settle ask the same question here.
 */
export async function judgeAgent(
  context: RunContext,
  { mode, story: selected }: IterationHeader,
  snapshot: Snapshot,
  record: Pick<DeskRecord, 'edits'> | undefined,
): Promise<Judgement> {
  const { skipReview, reviewCap } = context.config;
  const loaded = await readBacklog(context);
  const edits = record?.edits ?? [];
  const proposal = loaded.document && edits.length > 0 ? propose(loaded.document, edits) : null;
  const judgement = judge({
    mode,
    selected,
    skipReview,
    reviewCap,
    snapshot: snapshot.document,
    agent: proposal?.document ?? loaded.document,
    problems: loaded.problems,
  });
  const clashes = (proposal?.refused ?? []).map(
    ({ problems }): Violation => ({
      rule: 'tool/clash',
      message: `What was announced through a tool clashes with the file: ${problems.map(({ message }) => message).join('; ')}.`,
    }),
  );
  return { ...judgement, violations: [...judgement.violations, ...clashes] };
}
