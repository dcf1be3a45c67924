import { loadOrThrow } from '../../adapters/workspace/backlog/document.ts';
import type { EndReason, Story } from '../../contracts/model.ts';
import type { LeftBudgets } from '../../loop/turn.ts';
import { isDone } from '../../rules/backlog/select.ts';
import { spentBy } from '../../rules/safeguards/budgets.ts';
import { workspaceOfStream } from '../tree.ts';
import { takeTurn } from '../turn.ts';
import { openLaneRun } from './begin.ts';
import { type Crew, type Lane, setWork, withHeld } from './crew.ts';
import { tellOfLane } from './forward.ts';
import { abandon } from './misfit.ts';
import { takeOver } from './take-over.ts';

/** What came of a turn in a lane; `end`: the whole run ends for that reason. */
export type LaneTurn =
  | { readonly kind: 'goes-on' }
  | { readonly kind: 'to-land' }
  | { readonly kind: 'end'; readonly reason: EndReason; readonly detail: string };

/** One iteration on the story of a lane. */
export async function turnInLane(crew: Crew, lane: Lane): Promise<LaneTurn> {
  const { context, flags, openRun } = crew;
  const { work } = lane;
  if (work === null) throw new Error(`lane ${lane.number} has no story`);
  await openLaneRun(crew, lane);
  const { outcome } = await takeTurn({
    root: lane.git.repo.root,
    stateDir: lane.git.repo.stateDir,
    specDir: context.workspace.specDir,
    // It stands at a commit; nobody else changes anything there.
    flags: { ...flags, branch: false, requireGreen: false },
    // The breaker of the run decides for all lanes.
    request: { only: work.story, until: null, once: false, resetCircuit: true, limits: {} },
    left: leftOf(crew),
    openRun,
    env: context.env,
    signal: context.signal,
    onEvent: (event) => tellOfLane(crew, lane, event),
  });
  const isFinished = outcome.kind === 'done' && (outcome.reason === 'complete' || outcome.reason === 'blocked');
  await takeOver(crew, lane, isFinished);
  if (isFinished) {
    const head = await lane.git.resolve('HEAD');
    if (head === null) throw new Error(`lane ${lane.number} stands at no commit`);
    const story = await storyIn(crew, lane, work.story);
    if (story === undefined || !(story.blocked !== undefined || isDone(story))) {
      // Begun anew it would come to the same, again and again.
      await abandon(crew, lane, 'nothing could be done for it there');
      throw new Error(`lane ${lane.number} found nothing to do for ${work.story}, which is not done`);
    }
    await setWork(lane, { ...work, landing: { head, blocked: !isDone(story), move: null } });
    return { kind: 'to-land' };
  }
  if (outcome.kind === 'done') return { kind: 'end', reason: outcome.reason, detail: outcome.text };
  lane.notBefore = outcome.kind === 'later' ? (outcome.until ?? context.clock.now()) : 0;
  return { kind: 'goes-on' };
}

/** The story as the lane leaves it. */
async function storyIn({ context }: Crew, { git }: Lane, id: string): Promise<Story | undefined> {
  const workspace = await workspaceOfStream(git.repo.root, context.workspace.specDir);
  const { document } = await loadOrThrow(workspace);
  return document.backlog.stories.find((story) => story.id === id);
}

/** What is left of the budgets of the run. Lanes that are at work have not told yet what they use. */
function leftOf(crew: Crew): LeftBudgets {
  const { ledger, run, steering } = withHeld(crew);
  const { maxCost, maxTokens } = steering.limits();
  const { costUsd, tokens } = spentBy(ledger, run);
  return {
    costUsd: maxCost === null ? null : Math.max(0, maxCost - costUsd),
    tokens: maxTokens === null ? null : Math.max(0, maxTokens - tokens),
  };
}
