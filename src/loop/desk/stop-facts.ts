import type { Violation } from '../../contracts/model.ts';
import type { DeskRecord } from '../../contracts/state/agent-outcome.ts';
import { parseStatusBlock } from '../../rules/analysis/status-block.ts';
import { mergeClaims } from '../../rules/backlog/claims.ts';
import type { StopFacts } from '../../rules/hooks/api.ts';
import type { RunContext } from '../context.ts';
import { afterSoFar } from '../inside/guest.ts';
import { judgeAgent } from '../judge/judge-agent.ts';
import { isProtected, loopFiles } from '../keep/loop-files.ts';
import type { DeskInput } from './input.ts';

/** What the agent would leave if it stopped now, judged as settle will judge it. */
export async function stopFacts(context: RunContext, input: DeskInput, record: DeskRecord): Promise<StopFacts> {
  const [violations, uncommitted] = await Promise.all([
    violationsNow(context, input, record),
    uncommittedNow(context, input),
  ]);
  return { violations, uncommitted };
}

async function violationsNow(
  context: RunContext,
  { header, snapshot }: DeskInput,
  record: DeskRecord,
): Promise<readonly Violation[]> {
  const judgement = await judgeAgent(context, header, snapshot, record);
  const merged = mergeClaims({
    mode: header.mode,
    story: header.story,
    skipReview: context.config.skipReview,
    tool: record.claim,
    backlog: judgement.claim,
    block: parseStatusBlock(record.statusMessage ?? ''),
  });
  return [...judgement.violations, ...merged.violations];
}

/** Work of this iteration that no commit holds yet; what was dirty before and nobody touched is not the agent's. */
async function uncommittedNow(context: RunContext, { header, checkpoint }: DeskInput): Promise<readonly string[]> {
  const { git, workspace } = context;
  const after = await afterSoFar(context, header, checkpoint);
  if (after.changed.length === 0) return [];
  const own = new Set(loopFiles(workspace));
  const touched = new Set(after.changed.map(({ path }) => path));
  return (await git.changes(after.head, after.tree))
    .map(({ path }) => path)
    .filter((path) => touched.has(path) && !own.has(path) && !isProtected(workspace, path));
}

/** What the agent said last, as its client reports it with a Stop. */
export function lastMessage(payload: unknown): string {
  const message = (payload as { readonly last_assistant_message?: unknown } | null)?.last_assistant_message;
  return typeof message === 'string' ? message : '';
}
