import { appendLedger } from '../adapters/workspace/ledger.ts';
import { LEDGER_VERSION } from '../contracts/state.ts';
import { storyState } from '../rules/backlog/story-state.ts';
import type { PendingDecision } from '../rules/steering/steering.ts';
import { applyAnswer } from './answer.ts';
import type { RunContext } from './context.ts';
import { type Decided, decideStory } from './decide-story.ts';

/**
 * What people said about stories since: answers to questions, approvals, and stories that are to be done again. Only
 * between iterations, so that the last word is the person's.
 * @returns whether there was anything, and the backlog may be another
 */
export async function applyWords(context: RunContext): Promise<boolean> {
  await context.steering.refresh();
  const answered = await applyAnswers(context);
  const decided = await applyDecisions(context);
  return answered || decided;
}

/** The story of each answer is free again, and its prompts carry question and answer from now on. */
async function applyAnswers({ git, workspace, ledger, steering, clock }: RunContext): Promise<boolean> {
  const { answers } = steering.now();
  const place = { root: git.repo.root, stateDir: git.repo.stateDir, workspace };
  for (const answer of answers) {
    const applied = await applyAnswer({ ...place, ledger }, answer, clock.now());
    if ('line' in applied) ledger.push(applied.line);
  }
  return answers.length > 0;
}

async function applyDecisions(context: RunContext): Promise<boolean> {
  const { git, workspace, ledger, steering, clock } = context;
  const { decisions } = steering.now();
  for (const decision of decisions) {
    const decided = await decideStory({ git, workspace, ledger }, decision, clock.now());
    ledger.push(decided.line);
    announce(context, decision, decided);
  }
  return decisions.length > 0;
}

function announce({ emit }: RunContext, { story, decision }: PendingDecision, decided: Decided): void {
  if (decided.kind === 'refused') {
    const text = `Nobody could ${decision} ${story}: ${decided.why}.`;
    emit(0, { type: 'notice', level: 'warning', text, mend: '`ralph stories` lists those there are' });
  }
  if (decided.kind !== 'changed') return;
  const from = storyState(decided.before);
  const [to, reason] =
    decision === 'approve' ? ['approved', 'approved by a person'] : ['open', 'opened again by a person'];
  emit(0, { type: 'story', story, from, to, reason });
}

/**
 * Closes the breaker where a person asked for that since. The line is never older than the wish, whatever the clock
 * does: the ledger shows that it was granted.
 * @returns whether there was such a wish
 */
export async function applyCircuitReset({ git, ledger, steering, clock }: RunContext): Promise<boolean> {
  await steering.refresh();
  const { circuitReset } = steering.now();
  if (circuitReset === null) return false;
  const at = Math.max(clock.now(), circuitReset);
  const line = { version: LEDGER_VERSION, kind: 'circuit-reset', at } as const;
  await appendLedger(git.repo.stateDir, line);
  ledger.push(line);
  return true;
}
