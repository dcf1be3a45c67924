import type { Git } from '../../adapters/git/index.ts';
import { appendLedger, loadOrThrow, type Workspace, writeFiles } from '../../adapters/workspace/index.ts';
import {
  LEDGER_VERSION,
  type LedgerLine,
  type LedgerReset,
  type Story,
  type StoryDecision,
  type StoryFields,
} from '../../contracts/index.ts';
import { type BacklogDocument, editBacklog, mergeReceipt, storyState } from '../../rules/backlog/index.ts';
import { personReceipt } from '../../rules/judge/index.ts';
import { attemptsOf } from '../../rules/safeguards/index.ts';
import type { PendingDecision, StoryWord } from '../../rules/steering/index.ts';

/** A story before any work on it; what people wrote (title, criteria, notes) stays. */
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

/** The result of a decision. */
export type Decided =
  | { readonly kind: 'changed'; readonly line: LedgerReset; readonly before: Story }
  /** The story was already in that state. */
  | { readonly kind: 'same'; readonly line: LedgerReset }
  | { readonly kind: 'refused'; readonly line: LedgerReset; readonly why: string };

interface DecisionPlace {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly ledger: readonly LedgerLine[];
}

/**
 * Carries out a person's decision about a story; the caller holds the run lock, and no iteration is under way. The
 * backlog comes first: if the ledger line is lost, the decision is carried out again with the same result. The line is
 * written in every case, so that a decision without effect is not repeated in every later run.
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
  // Never older than the decision, even if the clock is: the ledger shows that it was handled.
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
    const range = decision === 'approve' ? await git.storyRange(outcome.before.safeId) : null;
    const reviews =
      decision === 'approve'
        ? mergeReceipt(
            edited.reviewsText,
            personReceipt({ ledger, range, document, story: outcome.before, at: line.at }),
          )
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
    return isAlready(before, word, ledger) ? { kind: 'same', line } : { kind: 'changed', line, before };
  }
}

/** Whether a story is already in the requested state: then there is nothing to do. */
export function isAlready(story: Story, word: StoryWord, ledger: readonly LedgerLine[]): boolean {
  const state = storyState(story);
  if (word.decision === 'block') return story.blocked === word.reason;
  if (word.decision === 'approve') return state === 'done';
  const fresh = story.reviewCount === 0 && story.reviewFeedback === '';
  return state === 'to do' && fresh && attemptsOf(ledger, story.id) === 0;
}
