import type { LedgerIteration } from '../contracts/state/ledger.ts';
import { sumDollars } from '../rules/amounts.ts';
import type { BacklogDocument } from '../rules/backlog/api.ts';
import { isDone } from '../rules/backlog/select.ts';
import type { RunContext } from './context.ts';
import type { End } from './decide.ts';

/** The end of the run where a plugin's exit condition, or the one that is built in, is met; null means go on. */
export async function endByCondition(context: RunContext, { backlog, format }: BacklogDocument): Promise<End | null> {
  const { ledger, run, record, plugins } = context;
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.run === run);
  const met = await plugins.exitWhen({
    startedAt: record.startedAt,
    iteration: lines.at(-1)?.iteration ?? 0,
    verdicts: lines.map(({ iteration, story, mode, verdict, reason, costUsd, durationMs }) => ({
      iteration,
      story,
      mode,
      verdict,
      reason,
      costUsd,
      durationMs,
    })),
    stories: backlog.stories.map((story) => ({
      id: story.id,
      title: story.title,
      done: isDone(story),
      blocked: story.blocked ?? null,
    })),
    costUsd: sumDollars(lines.map(({ costUsd }) => costUsd ?? 0)),
    lonePrompt: format === 'prompt',
  });
  if (met === null) return null;
  context.emit(0, { type: 'exit-condition', name: met.plugin, reason: met.value });
  return { reason: 'condition', detail: `${met.plugin}: ${met.value}` };
}
