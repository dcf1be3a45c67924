import type { Git } from '../../adapters/git/port.ts';
import { loadOrThrow, writeFiles } from '../../adapters/workspace/backlog/document.ts';
import type { Workspace } from '../../adapters/workspace/layout.ts';
import { appendLedger } from '../../adapters/workspace/records/ledger.ts';
import type { Story, StoryFields } from '../../contracts/model.ts';
import { LEDGER_VERSION, type LedgerLine, type LedgerReset } from '../../contracts/state/ledger.ts';
import type { StoryDecision } from '../../contracts/state/steering.ts';
import type { BacklogDocument } from '../../rules/backlog/api.ts';
import { editBacklog } from '../../rules/backlog/edit.ts';
import { mergeReceipt } from '../../rules/backlog/reviews/reviews.ts';
import { storyState } from '../../rules/backlog/story-state.ts';
import { attemptsOf } from '../../rules/safeguards/attempts.ts';
import type { PendingDecision, StoryWord } from '../../rules/steering/steering.ts';
import { personReceipt } from './receipt.ts';

/** As a story is before anyone worked on it; what people wrote (title, criteria, notes) stays. */
export const UNTOUCHED: StoryFields = {
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: '',
  blocked: null,
};

const FIELDS: Readonly<Record<StoryDecision, StoryFields>> = {
  approve: { passes: true, reviewStatus: 'approved', blocked: null },
  reopen: UNTOUCHED,
};

function fieldsOf(word: StoryWord): StoryFields {
  return word.decision === 'block' ? { blocked: word.reason } : FIELDS[word.decision];
}

/** What a decision came to. */
export type Decided =
  | { readonly kind: 'changed'; readonly line: LedgerReset; readonly before: Story }
  /** The story was so already. */
  | { readonly kind: 'same'; readonly line: LedgerReset }
  | { readonly kind: 'refused'; readonly line: LedgerReset; readonly why: string };

interface DecisionPlace {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly ledger: readonly LedgerLine[];
}

/**
 * Carries out what a person decided about a story; the caller holds the run lock, and no iteration is under way. The
 * backlog first: should the ledger line get lost, the same is done again, to the same end. The line is written whatever
 * came of it, so that a word that leads nowhere is not said to every run to come.
 * @param at epoch ms
 */
export async function decideStory(
  { git, workspace, ledger }: DecisionPlace,
  word: PendingDecision,
  at: number,
): Promise<Decided> {
  const { story: id, decision, at: saidAt } = word;
  const { root, stateDir } = git.repo;
  const { document } = await loadOrThrow(workspace);
  // Never older than the word, whatever the clock does: the ledger shows that it was heard.
  const line: LedgerReset = {
    version: LEDGER_VERSION,
    kind: 'reset',
    story: id,
    at: Math.max(at, saidAt),
    decision,
  };
  const story = document.backlog.stories.find((one) => one.id === id);
  const outcome = judge(document, story);
  if (outcome.kind === 'changed') {
    const edited = editBacklog(document, [{ kind: 'set', id, fields: fieldsOf(word) }]);
    const reviews =
      decision === 'approve'
        ? mergeReceipt(edited.reviewsText, await personReceipt({ git, ledger }, document, outcome.before, line.at))
        : edited.reviewsText;
    await writeFiles(root, {
      [edited.file]: edited.text,
      ...(reviews === null ? {} : { [edited.reviewsFile]: reviews }),
    });
  }
  await appendLedger(stateDir, line);
  return outcome;

  function judge({ format, file }: BacklogDocument, before: Story | undefined): Decided {
    if (format === 'prompt') return { kind: 'refused', line, why: `there are no stories in ${file}` };
    if (before === undefined) return { kind: 'refused', line, why: `there is no story ${id} in ${file}` };
    return isSo(before, word, ledger) ? { kind: 'same', line } : { kind: 'changed', line, before };
  }
}

/** Whether a story is already as somebody wants it: then there is nothing to do. */
export function isSo(story: Story, word: StoryWord, ledger: readonly LedgerLine[]): boolean {
  const state = storyState(story);
  if (word.decision === 'block') return story.blocked === word.reason;
  if (word.decision === 'approve') return state === 'done';
  const fresh = story.reviewCount === 0 && story.reviewFeedback === '';
  return state === 'to do' && fresh && attemptsOf(ledger, story.id) === 0;
}
