import { appendLedger, loadOrThrow, type Workspace, writeFiles } from '../../adapters/workspace/index.ts';
import { FileProblemsError, LEDGER_VERSION, type LedgerAddition, type NewStory } from '../../contracts/index.ts';
import { editBacklog, nextId, storyState } from '../../rules/backlog/index.ts';
import type { PendingAddition, PendingDecision, StoryWord } from '../../rules/steering/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import type { RunContext } from '../context.ts';
import { applyAnswer } from './answer.ts';
import { type Decided, decideStory } from './decide-story.ts';
import { waiveFinding } from './waive-finding.ts';

/**
 * Applies what people have since said about stories: answers to questions, stories that are new, approved, blocked or
 * to be done again. Only between iterations, so that the person has the last word.
 * @returns whether there was anything; then the backlog may have changed
 */
export async function applyWords(context: RunContext): Promise<boolean> {
  await context.steering.refresh();
  const answered = await applyAnswers(context);
  const waived = await applyWaivers(context);
  // Before decisions: they may concern a new story.
  const added = await applyAdditions(context);
  const decided = await applyDecisions(context);
  return answered || waived || added || decided;
}

/** The story of each answer is free again, and its prompts include question and answer from now on. */
async function applyAnswers({
  git,
  workspace,
  ledger,
  steering,
  clock,
}: Pick<RunContext, 'git' | 'workspace' | 'ledger' | 'steering' | 'clock'>): Promise<boolean> {
  const { answers } = steering.now();
  const place = { root: git.repo.root, stateDir: git.repo.stateDir, workspace };
  for (const answer of answers) {
    const applied = await applyAnswer({ ...place, ledger }, answer, clock.now());
    if ('line' in applied) ledger.push(applied.line);
  }
  return answers.length > 0;
}

/** Before decisions: approving or reopening a story overrides its waivers. */
async function applyWaivers({
  git,
  workspace,
  ledger,
  steering,
  clock,
  emit,
}: Pick<RunContext, 'git' | 'workspace' | 'ledger' | 'steering' | 'clock' | 'emit'>): Promise<boolean> {
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

async function applyAdditions({
  git,
  workspace,
  ledger,
  steering,
  clock,
  emit,
}: Pick<RunContext, 'git' | 'workspace' | 'ledger' | 'steering' | 'clock' | 'emit'>): Promise<boolean> {
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

function announce({ emit }: Pick<RunContext, 'emit'>, { story, ...word }: PendingDecision, decided: Decided): void {
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

/** The result of a request to add a story. */
type StoryAdded =
  | { readonly kind: 'added'; readonly line: LedgerAddition; readonly story: NewStory }
  | { readonly kind: 'refused'; readonly line: LedgerAddition; readonly why: string };

interface AddPlace {
  readonly root: string;
  readonly stateDir: string;
  readonly workspace: Workspace;
}

/**
 * Adds a story that a person asked for; the caller holds the run lock, and no iteration is under way. The ledger line
 * is written in every case, so that a request without effect is not repeated in every later run. If the process dies
 * between backlog and ledger, the request is handled again: an existing story with exactly the same text is the one.
 * @param renamed ids that stories added at the same time got instead of theirs: dependencies follow
 * @param at epoch ms
 */
async function addStory(
  { root, stateDir, workspace }: AddPlace,
  { id: word, folder, story: wanted, at: saidAt }: PendingAddition,
  renamed: ReadonlyMap<string, string>,
  at: number,
): Promise<StoryAdded> {
  const added = await tryToAdd();
  const story = added.kind === 'added' ? added.story.id : null;
  const line = { version: LEDGER_VERSION, kind: 'addition', word, story, at: Math.max(at, saidAt) } as const;
  await appendLedger(stateDir, line);
  return { ...added, line };

  async function tryToAdd(): Promise<WithoutLine<StoryAdded>> {
    if (folder !== workspace.specDir) return { kind: 'refused', why: `it was said about ${folder}` };
    const { document } = await loadOrThrow(workspace);
    if (document.format === 'prompt') return { kind: 'refused', why: `there are no stories in ${document.file}` };
    const { stories } = document.backlog;
    const there = stories.find(({ id }) => id === wanted.id);
    if (there?.title === wanted.title) return { kind: 'added', story: wanted };
    const dependsOn = wanted.dependsOn?.map((id) => renamed.get(id) ?? id);
    const isTaken = there !== undefined;
    const next = { ...wanted, ...(dependsOn && { dependsOn }), ...(isTaken && { id: nextId(stories) }) };
    try {
      const edited = editBacklog(document, [{ kind: 'add', story: next }]);
      await writeFiles(root, {
        [edited.file]: edited.text,
        ...(edited.reviewsText === null ? {} : { [edited.reviewsFile]: edited.reviewsText }),
      });
    } catch (error) {
      if (!(error instanceof FileProblemsError)) throw error;
      return {
        kind: 'refused',
        why: error.problems.flatMap(({ severity, message }) => (severity === 'error' ? message : [])).join('; '),
      };
    }
    return { kind: 'added', story: next };
  }
}

type WithoutLine<Outcome> = Outcome extends unknown ? Omit<Outcome, 'line'> : never;
