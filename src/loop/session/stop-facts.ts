import { readDocument } from '../../adapters/workspace/index.ts';
import type { SessionRecord, Violation } from '../../contracts/index.ts';
import { parseStatusBlock } from '../../rules/analysis/index.ts';
import { mergeClaims } from '../../rules/backlog/index.ts';
import { asksForCommits, type StopFacts } from '../../rules/hooks/index.ts';
import { judgeBacklog } from '../../rules/judge/index.ts';
import type { RunContext } from '../context.ts';
import { isProtected, loopFiles } from '../protect/loop-files.ts';
import type { AgentAtWork } from './record.ts';

/** What the agent would leave if it stopped now, judged as it would be at the end. */
export async function stopFacts(context: RunContext, input: AgentAtWork, record: SessionRecord): Promise<StopFacts> {
  const [violations, uncommitted] = await Promise.all([
    violationsNow(context, input, record),
    asksForCommits(input.header.mode, context.config) ? uncommittedNow(context, input) : [],
  ]);
  return { violations, uncommitted };
}

async function violationsNow(
  context: RunContext,
  { header, snapshot }: AgentAtWork,
  record: SessionRecord,
): Promise<readonly Violation[]> {
  const { config, workspace } = context;
  const now = await readDocument(workspace);
  const judgement = judgeBacklog({ ...header, ...config, before: snapshot, now, edits: record.edits });
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

/**
 * Work of this iteration that no commit holds yet; files that were dirty before and are unchanged are not the agent's.
 */
async function uncommittedNow(context: RunContext, { header }: AgentAtWork): Promise<readonly string[]> {
  const { agentTree, git, workspace } = context;
  const after = await agentTree.soFar(header);
  if (after.changed.length === 0) return [];
  const own = new Set(loopFiles(workspace));
  const touched = new Set(after.changed.map(({ path }) => path));
  return (await git.changes(after.head, after.tree))
    .map(({ path }) => path)
    .filter((path) => touched.has(path) && !own.has(path) && !isProtected(workspace, path));
}

/** The agent's last message, as its client reports it with a Stop. */
export function lastMessage(payload: unknown): string {
  const message = (payload as { readonly last_assistant_message?: unknown } | null)?.last_assistant_message;
  return typeof message === 'string' ? message : '';
}
