import { appendLedger } from '../../adapters/workspace/records/ledger.ts';
import { LEDGER_VERSION } from '../../contracts/state/ledger.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import { shellWord } from '../../rules/shell-word.ts';
import type { PendingDecision, StoryWord } from '../../rules/steering/steering.ts';
import type { RunContext } from '../context.ts';
import { type Decided, decideStory } from '../judge/decide-story.ts';
import { addStory } from './add-story.ts';
import { applyAnswer } from './answer.ts';
import { waiveFinding } from './waive-finding.ts';

/**
 * What people said about stories since: answers to questions, stories that are new, approved, blocked or to be
 * done again. Only between iterations, so that the last word is the person's.
 * @returns whether there was anything, and the backlog may be another
 */
export async function applyWords(context: RunContext): Promise<boolean> {
  await context.steering.refresh();
  const answered = await applyAnswers(context);
  const waived = await applyWaivers(context);
  // Before decisions: they may be about a story that is new.
  const added = await applyAdditions(context);
  const decided = await applyDecisions(context);
  return answered || waived || added || decided;
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

/** Before decisions: what approves or reopens a story has the last word about it. */
async function applyWaivers({ git, workspace, ledger, steering, clock, emit }: RunContext): Promise<boolean> {
  const { waivers } = steering.now();
  for (const waiver of waivers) {
    const { story, finding } = waiver;
    const waived = await waiveFinding({ git, workspace }, waiver, clock.now());
    ledger.push(waived.line);
    if (waived.kind === 'refused') {
      const text = `Nobody could waive ${finding}: ${waived.why}.`;
      emit(0, {
        type: 'notice',
        level: 'warning',
        text,
        mend: `\`ralph stories show ${shellWord(story)}\` lists what was found`,
      });
    }
    if (waived.kind !== 'waived' || !waived.backToReview) continue;
    const reason = `${finding}, the last open finding, was waived by a person`;
    emit(0, { type: 'story', story, from: waived.from, to: 'needs_review', reason });
  }
  return waivers.length > 0;
}

async function applyAdditions({ git, workspace, ledger, steering, clock, emit }: RunContext): Promise<boolean> {
  const { additions } = steering.now();
  const { root, stateDir } = git.repo;
  const renamed = new Map<string, string>();
  for (const addition of additions) {
    const { id, title } = addition.story;
    const added = await addStory({ root, stateDir, workspace }, addition, renamed, clock.now());
    ledger.push(added.line);
    if (added.kind === 'refused') {
      const text = `Nobody could add "${title}": ${added.why}.`;
      emit(0, { type: 'notice', level: 'warning', text, mend: `\`ralph stories add "${title}"\` adds it again` });
      continue;
    }
    const { id: got } = added.story;
    renamed.set(id, got);
    emit(0, { type: 'story', story: got, from: 'new', to: 'open', reason: 'added by a person' });
    if (got === id) continue;
    const text = `"${title}" was added as ${got}: ${id} is another story by now.`;
    emit(0, { type: 'notice', level: 'info', text });
  }
  return additions.length > 0;
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

function announce({ emit }: RunContext, { story, ...word }: PendingDecision, decided: Decided): void {
  if (decided.kind === 'refused') {
    const text = `Nobody could ${word.decision} ${story}: ${decided.why}.`;
    emit(0, { type: 'notice', level: 'warning', text, mend: '`ralph stories` lists those there are' });
  }
  if (decided.kind !== 'changed') return;
  const from = storyState(decided.before);
  emit(0, { type: 'story', story, from, ...becomes(word) });
}

function becomes(word: StoryWord): { readonly to: string; readonly reason: string } {
  if (word.decision === 'block') return { to: 'blocked', reason: word.reason };
  return word.decision === 'approve'
    ? { to: 'approved', reason: 'approved by a person' }
    : { to: 'open', reason: 'opened again by a person' };
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
