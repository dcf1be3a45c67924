import type { Git } from '../../adapters/git/index.ts';
import { appendLedger, loadOrThrow, type Workspace, writeFiles } from '../../adapters/workspace/index.ts';
import {
  type EventBody,
  FileProblemsError,
  LEDGER_VERSION,
  type LedgerLine,
  type LedgerReset,
  type ReviewFinding,
  type Story,
  type StoryDecision,
  type StoryFields,
} from '../../contracts/index.ts';
import {
  type BacklogDocument,
  editBacklog,
  feedbackText,
  isBlockedByReviews,
  mergeFindings,
  mergeReceipt,
  nextId,
  readFindings,
  removeStory,
  restOf,
  storyState,
  withoutApproval,
  withRequested,
} from '../../rules/backlog/index.ts';
import { userReceipt } from '../../rules/judge/index.ts';
import { attemptsOf } from '../../rules/safeguards/index.ts';
import {
  answerEdits,
  type PendingAddition,
  type PendingAnswer,
  type PendingDecision,
  type PendingEdit,
  type PendingWaiver,
  type Steering,
  type StoryWord,
} from '../../rules/steering/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { RunContext } from '../context.ts';

/*
 * What people say about stories has one path: it is appended to the steering file, and then applied by the process that holds
 * the run lock: a run between two iterations, or the command itself while no run is active.
 */

/** Something that a person said about a story and that is not in the ledger yet. */
type Word =
  | ({ readonly kind: 'answer' } & PendingAnswer)
  | ({ readonly kind: 'waiver' } & PendingWaiver)
  | ({ readonly kind: 'addition' } & PendingAddition)
  | ({ readonly kind: 'edit' } & PendingEdit)
  | ({ readonly kind: 'decision' } & PendingDecision);

/** Waivers come before decisions, which override them; additions too, because what follows may be about a new story. */
export function wordsOf({ answers, waivers, additions, edits, decisions }: Steering): readonly Word[] {
  return [
    ...answers.map((word) => ({ kind: 'answer', ...word }) as const),
    ...waivers.map((word) => ({ kind: 'waiver', ...word }) as const),
    ...additions.map((word) => ({ kind: 'addition', ...word }) as const),
    ...edits.map((word) => ({ kind: 'edit', ...word }) as const),
    ...decisions.map((word) => ({ kind: 'decision', ...word }) as const),
  ];
}

/** A word that was applied, with its line in the ledger. */
export type Applied =
  | {
      readonly kind: 'done';
      readonly word: Word;
      readonly line: LedgerLine;
      /** The backlog with it; the one from before when nothing in it changes. */
      readonly edited: BacklogDocument;
      readonly events: readonly EventBody[];
      /** Why no agent works on the story in spite of it; null when one can. */
      readonly left: string | null;
    }
  /** It was so already. */
  | { readonly kind: 'same'; readonly word: Word; readonly line: LedgerLine }
  /** An answer to no question needs no line: nothing is pending. */
  | { readonly kind: 'refused'; readonly word: Word; readonly line: LedgerLine | null; readonly why: string };

interface Place {
  readonly git: Git;
  readonly workspace: Workspace;
  readonly ledger: readonly LedgerLine[];
}

/** What a word is applied to. */
interface Before {
  readonly document: BacklogDocument;
  readonly ledger: readonly LedgerLine[];
  readonly specDir: string;
  /** Ids that stories added at the same time got instead of their own: dependencies follow. */
  readonly renamed: ReadonlyMap<string, string>;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * Applies words one after the other; the caller holds the run lock, and no iteration is under way. The backlog comes
 * first: if the ledger line is lost, the word is applied again with the same result. A word without effect gets its
 * line too, so that it is not repeated in every later run.
 * @param now epoch ms; a line is never older than its word, even if the clock is
 */
export async function applyAll(
  { git, workspace, ledger: earlier }: Place,
  words: readonly Word[],
  now: () => number,
): Promise<readonly Applied[]> {
  const { root, stateDir } = git.repo;
  const ledger = [...earlier];
  const renamed = new Map<string, string>();
  const all: Applied[] = [];
  for (const word of words) {
    const { document } = await loadOrThrow(workspace);
    const at = Math.max(now(), 'at' in word ? word.at : 0);
    const applied = apply(word, { document, ledger, specDir: workspace.specDir, renamed, at });
    if (applied.kind === 'done' && applied.edited !== document) {
      const { edited } = applied;
      const reviews = isApproval(word) ? await withReceipt(git, document, ledger, applied) : edited.reviewsText;
      await writeFiles(root, {
        [edited.file]: edited.text,
        ...(reviews === null ? {} : { [edited.reviewsFile]: reviews }),
      });
    }
    if (word.kind === 'addition' && applied.line?.kind === 'addition' && applied.line.story !== null)
      renamed.set(word.story.id, applied.line.story);
    if (applied.line !== null) {
      await appendLedger(stateDir, applied.line);
      ledger.push(applied.line);
    }
    all.push(applied);
  }
  return all;
}

function isApproval(word: Word): boolean {
  return word.kind === 'decision' && word.decision === 'approve';
}

async function withReceipt(
  git: Git,
  document: BacklogDocument,
  ledger: readonly LedgerLine[],
  { edited, line }: Extract<Applied, { kind: 'done' }>,
): Promise<string | null> {
  const story = line.kind === 'reset' ? document.backlog.stories.find(({ id }) => id === line.story) : undefined;
  if (story === undefined) return edited.reviewsText;
  const range = await git.storyRange(story.safeId);
  const { at } = line as LedgerReset;
  return mergeReceipt(edited.reviewsText, userReceipt({ ledger, range, document, story, at }));
}

/** Pure. */
function apply(word: Word, before: Before): Applied {
  switch (word.kind) {
    case 'answer':
      return answer(word, before);
    case 'waiver':
      return waive(word, before);
    case 'addition':
      return add(word, before);
    case 'edit':
      return change(word, before);
    case 'decision':
      return decide(word, before);
  }
}

/** The story is free again if it waits for the answer; its prompts include question and answer from now on. */
function answer(word: Extract<Word, { kind: 'answer' }>, { document, ledger, at }: Before): Applied {
  const outcome = answerEdits(document, ledger, word, at);
  if ('refused' in outcome) return { kind: 'refused', word, line: null, why: outcome.refused };
  const { edits, line, unawaited } = outcome;
  const edited = edits.length === 0 ? document : editBacklog(document, edits);
  return { kind: 'done', word, line, edited, events: [], left: unawaited };
}

function waive(word: Extract<Word, { kind: 'waiver' }>, { document, at }: Before): Applied {
  const { story: id, finding, reason } = word;
  const line = { version: LEDGER_VERSION, kind: 'waiver', story: id, finding, at } as const;
  const story = document.backlog.stories.find((one) => one.id === id);
  if (story === undefined) return { kind: 'refused', word, line, why: `there is no story ${id} in ${document.file}` };
  const known = readFindings(document.reviewsText, id);
  const found = known.find((one) => one.id === finding);
  if (found === undefined) return { kind: 'refused', word, line, why: `no review of ${id} found ${finding}` };
  if (isWaived(found, reason)) return { kind: 'same', word, line };
  const waived: ReviewFinding = { ...found, state: 'waived', ...(reason === '' ? {} : { reason }) };
  const findings = known.map((one) => (one === found ? waived : one));
  const isSettled = isSettledBy(story, findings);
  const isFreed = story.blocked === undefined || (isSettled && isBlockedByReviews(story.blocked));
  const freed: StoryFields = story.blocked !== undefined && isFreed ? { blocked: null } : {};
  const fields = isSettled ? { ...BACK_TO_REVIEW, ...freed } : { reviewFeedback: feedbackOf(story, findings) };
  const isEdit = fields.reviewFeedback !== story.reviewFeedback;
  const edited = isEdit ? editBacklog(document, [{ kind: 'set', id, fields }]) : document;
  const why = `${finding}, the last open finding, was waived by the user`;
  return {
    ...{ kind: 'done', word, line },
    edited: { ...edited, reviewsText: mergeFindings(edited.reviewsText, id, findings) },
    events:
      isSettled && isFreed
        ? [{ type: 'story', story: id, from: storyState(story), to: 'needs_review', reason: why }]
        : [],
    left: isFreed ? null : (story.blocked ?? null),
  };
}

const BACK_TO_REVIEW: StoryFields = { reviewStatus: 'needs_review', reviewFeedback: '' };

/** Whether a finding is waived, for the given reason if there is one. */
export function isWaived({ state, reason: known = '' }: ReviewFinding, reason: string): boolean {
  return state === 'waived' && (reason === '' || reason === known);
}

/** What is left to address: the open findings, and all other feedback. */
function feedbackOf({ reviewFeedback }: Story, findings: readonly ReviewFinding[]): string {
  const isSaid = findings.some(({ state, claim }) => state === 'waived' && reviewFeedback.includes(claim));
  if (!isSaid) return reviewFeedback;
  const open = findings.filter(({ state }) => state === 'open');
  return [feedbackText(open), restOf(reviewFeedback, findings)].filter((part) => part !== '').join('\n\n');
}

/** Whether nothing is left to address: no open finding, and no other feedback, such as a red check. */
function isSettledBy({ reviewStatus, reviewFeedback }: Story, findings: readonly ReviewFinding[]): boolean {
  const isSentBack = reviewStatus === 'changes_requested';
  return isSentBack && findings.every(({ state }) => state !== 'open') && restOf(reviewFeedback, findings) === '';
}

/** An existing story with the same id and title is the one: the process that added it died before the ledger line. */
function add(word: Extract<Word, { kind: 'addition' }>, { document, specDir, renamed, at }: Before): Applied {
  const { id, title } = word.story;
  const { lineFor, refused } = answersTo(word, at);
  if (word.folder !== specDir) return refused(`it is about ${word.folder}`);
  if (document.format === 'prompt') return refused(`there are no stories in ${document.file}`);
  const { stories } = document.backlog;
  const there = stories.find((one) => one.id === id);
  const done = (edited: BacklogDocument, got: string): Applied => {
    const text = `"${title}" was added as ${got}: ${id} is now another story.`;
    return {
      ...{ kind: 'done', word, line: lineFor(got), edited, left: null },
      events: [
        { type: 'story', story: got, from: 'new', to: 'open', reason: 'added by the user' },
        ...(got === id ? [] : [{ type: 'notice', level: 'info', text } as const]),
      ],
    };
  };
  if (there?.title === title) return done(document, id);
  const dependsOn = word.story.dependsOn?.map((one) => renamed.get(one) ?? one);
  const got = there === undefined ? id : nextId(stories);
  try {
    return done(
      editBacklog(document, [{ kind: 'add', story: { ...word.story, ...(dependsOn && { dependsOn }), id: got } }]),
      got,
    );
  } catch (error) {
    if (!(error instanceof FileProblemsError)) throw error;
    return refused(errorsOf(error));
  }
}

function change(word: Extract<Word, { kind: 'edit' }>, { document, specDir, renamed, at }: Before): Applied {
  const { folder, fields } = word;
  const id = renamed.get(word.story) ?? word.story;
  const { lineFor, refused } = answersTo(word, at);
  if (folder !== specDir) return refused(`it is about ${folder}`);
  if (!document.backlog.stories.some((one) => one.id === id)) return refused(`there is no story ${id}`);
  try {
    const edited = fields === null ? removeStory(document, id) : editBacklog(document, [{ kind: 'set', id, fields }]);
    const text = `${id} was ${fields === null ? 'removed' : 'changed'} by a person.`;
    return {
      ...{ kind: 'done', word, line: lineFor(id), edited, left: null },
      events: [{ type: 'notice', level: 'info', text }],
    };
  } catch (error) {
    if (!(error instanceof FileProblemsError)) throw error;
    return refused(errorsOf(error));
  }
}

function answersTo(word: Extract<Word, { kind: 'addition' | 'edit' }>, at: Before['at']) {
  const lineFor = (story: string | null) =>
    ({ version: LEDGER_VERSION, kind: 'addition', word: word.id, story, at }) as const;
  return { lineFor, refused: (why: string): Applied => ({ kind: 'refused', word, line: lineFor(null), why }) };
}

function errorsOf({ problems }: FileProblemsError): string {
  return problems.flatMap(({ severity, message }) => (severity === 'error' ? message : [])).join('; ');
}

/** A story before any work on it; what people wrote (title, criteria, notes) stays. */
export const UNTOUCHED: StoryFields = {
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: '',
  blocked: null,
};

const DECISIONS: Readonly<
  Record<StoryDecision, { readonly fields: StoryFields; readonly to: string; readonly reason: string }>
> = {
  approve: {
    fields: { passes: true, reviewStatus: 'approved', blocked: null },
    ...{ to: 'approved', reason: 'approved by the user' },
  },
  reopen: { fields: UNTOUCHED, to: 'open', reason: 'reopened by the user' },
};

function decide(word: Extract<Word, { kind: 'decision' }>, { document, ledger, at }: Before): Applied {
  const { story: id, decision } = word;
  const line: LedgerReset = { version: LEDGER_VERSION, kind: 'reset', story: id, at, decision };
  const story = document.backlog.stories.find((one) => one.id === id);
  if (document.format === 'prompt')
    return { kind: 'refused', word, line, why: `there are no stories in ${document.file}` };
  if (story === undefined) return { kind: 'refused', word, line, why: `there is no story ${id} in ${document.file}` };
  if (isAlready(story, word, ledger)) return { kind: 'same', word, line };
  if (word.decision === 'reject') return reject(word, story, line, document);
  const { fields, to, reason } =
    word.decision === 'block'
      ? { fields: { blocked: word.reason }, to: 'blocked', reason: word.reason }
      : DECISIONS[word.decision];
  const edited = editBacklog(document, [{ kind: 'set', id, fields }]);
  const event = { type: 'story', story: id, from: storyState(story), to, reason } as const;
  return { kind: 'done', word, line, edited, events: [event], left: null };
}

/** Changes requested by a person: reviews and attempts start again, and an approval stays as a part of the evidence. */
function reject(
  word: Extract<Word, { decision: 'reject' }>,
  story: Story,
  line: LedgerReset,
  document: BacklogDocument,
): Applied {
  const { id } = story;
  const findings = withRequested(readFindings(document.reviewsText, id), word.changes);
  const open = feedbackText(findings.filter(({ state }) => state === 'open'));
  const isSentBack = story.reviewStatus === 'changes_requested' && story.reviewFeedback !== '';
  const rest = isSentBack ? restOf(story.reviewFeedback, findings) : '';
  const reviewFeedback = rest === '' ? open : `${open}\n\n${rest}`;
  const fields = { ...UNTOUCHED, reviewStatus: 'changes_requested', reviewFeedback } as const;
  const edited = editBacklog(document, [{ kind: 'set', id, fields }]);
  const kept = withoutApproval(edited.reviewsText, id, new Date(line.at).toISOString());
  const reviewsText = mergeFindings(kept, id, findings);
  const reason = 'changes requested by the user';
  return {
    ...{ kind: 'done', word, line, edited: { ...edited, reviewsText }, left: null },
    events: [{ type: 'story', story: id, from: storyState(story), to: 'changes_requested', reason }],
  };
}

/** Whether a story is already in the requested state: then there is nothing to do. */
export function isAlready(story: Story, word: StoryWord, ledger: readonly LedgerLine[]): boolean {
  const state = storyState(story);
  if (word.decision === 'block') return story.blocked === word.reason;
  if (word.decision === 'approve') return state === 'done';
  if (word.decision === 'reject') return false;
  const fresh = story.reviewCount === 0 && story.reviewFeedback === '';
  return state === 'to do' && fresh && attemptsOf(ledger, story.id) === 0;
}

const DONE = { approve: 'approved', reopen: 'reopened', block: 'blocked', reject: 'rejected' } as const;

/** What did not work, and what to do instead. */
function refusal(word: Word): { readonly failed: string; readonly fix: string } | null {
  switch (word.kind) {
    case 'answer':
      return null;
    case 'waiver':
      return {
        failed: `${word.finding} could not be waived`,
        fix: `\`ralph stories show ${shellWord(word.story)}\` lists what was found`,
      };
    case 'addition':
      return {
        failed: `"${word.story.title}" could not be added`,
        fix: `\`ralph stories add "${word.story.title}"\` adds it again`,
      };
    case 'edit':
      return {
        failed: `${word.story} could not be ${word.fields === null ? 'removed' : 'changed'}`,
        fix: '`ralph stories` lists them',
      };
    case 'decision':
      return { failed: `${word.story} could not be ${DONE[word.decision]}`, fix: '`ralph stories` lists them' };
  }
}

/**
 * Applies what people have said since about stories. Only between iterations, so that the person has the last word.
 * @param inLanes stories that lanes work on: changes requested in them wait, or what is landed would replace them
 * @returns whether there was anything; then the backlog may have changed
 */
export async function applyWords(
  context: Pick<RunContext, 'git' | 'workspace' | 'ledger' | 'steering' | 'clock' | 'emit'>,
  inLanes: ReadonlySet<string> = new Set(),
): Promise<boolean> {
  const { ledger, steering, clock, emit } = context;
  await steering.refresh();
  const waits = (word: Word) => word.kind === 'decision' && word.decision === 'reject' && inLanes.has(word.story);
  const words = wordsOf(steering.now()).filter((word) => !waits(word));
  for (const applied of await applyAll(context, words, () => clock.now())) {
    const { word, line } = applied;
    if (line !== null) ledger.push(line);
    if (applied.kind === 'done') for (const event of applied.events) emit(0, event);
    const about = applied.kind === 'refused' ? refusal(word) : null;
    if (applied.kind === 'refused' && about !== null)
      emit(0, {
        type: 'notice',
        level: 'warning',
        text: `${about.failed}: ${applied.why}.`,
        fix: about.fix,
      });
  }
  return words.length > 0;
}

/**
 * Closes the breaker if a person has since asked for it. The line is never older than the request, even if the clock
 * is: the ledger shows that it was granted.
 * @returns whether there was such a request
 */
export async function applyCircuitReset({
  git,
  ledger,
  steering,
  clock,
}: Pick<RunContext, 'git' | 'ledger' | 'steering' | 'clock'>): Promise<boolean> {
  await steering.refresh();
  const { circuitReset } = steering.now();
  if (circuitReset === null) return false;
  const at = Math.max(clock.now(), circuitReset);
  const line = { version: LEDGER_VERSION, kind: 'circuit-reset', at } as const;
  await appendLedger(git.repo.stateDir, line);
  ledger.push(line);
  return true;
}
