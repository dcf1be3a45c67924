import { appendMergeRequest } from '../../adapters/workspace/worktrees/merge-requests.ts';
import type { DeskRecord } from '../../contracts/state/agent-outcome.ts';
import { whyNotShown } from '../../rules/backlog/already-done.ts';
import { toAnswer } from '../../rules/backlog/reviews/weakened.ts';
import { failingCheck, failureText } from '../../rules/prompt/failure.ts';
import { lastFailure, lastViolations } from '../../rules/safeguards/attempts.ts';
import { nextQuestion } from '../../rules/safeguards/questions.ts';
import { shellWord } from '../../rules/shell-word.ts';
import { answerCall, type ToolOutcome, type ToolState } from '../../rules/tools/answer-call.ts';
import type { ToolAnswer } from '../../rules/tools/api.ts';
import { everWorkedOn } from '../agent/prompt.ts';
import type { RunContext } from '../context.ts';
import { afterSoFar } from '../inside/guest.ts';
import { shownDone } from '../judge/already-done.ts';
import { checkCommands } from '../judge/check-commands.ts';
import { checkEach, greenCommands, redAtBaseline, runChecks } from '../judge/checks.ts';
import { tamperingUnderReview } from '../judge/tampering.ts';
import { isLoopsOwn } from '../keep/loop-files.ts';
import { readBacklog } from '../keep/snapshot.ts';
import type { DeskInput } from './input.ts';

const SUMMARY_LENGTH = 160;

/** One call of a tool: judged, checked where it claims that work is finished, then recorded. */
export async function answerTool(
  context: RunContext,
  input: DeskInput,
  record: DeskRecord,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly answer: ToolAnswer; readonly record: DeskRecord }> {
  const { iteration } = input.header;
  const { document } = input.snapshot;
  if (!document)
    return { answer: { text: 'The backlog is not there; go on without the tools.', isError: true }, record };
  const said = answerCall(name, args, await toolState(context, input, record));
  const outcome = await withChecks(context, input, await withEvidence(context, input, said));
  if (outcome.merge && !outcome.answer.isError) await announceMerge(context, input, outcome.merge);
  const summary = JSON.stringify(args).slice(0, SUMMARY_LENGTH);
  context.emit(iteration, {
    type: 'tool-call',
    tool: name,
    summary,
    refused: outcome.answer.isError ? outcome.answer.text : null,
  });
  return outcome.answer.isError ? { answer: outcome.answer, record } : outcome;
}

/** What a tool answers from. The backlog must have been readable before the iteration. */
export async function toolState(
  context: RunContext,
  { header, snapshot, checkpoint }: DeskInput,
  record: DeskRecord,
): Promise<ToolState> {
  const { config, ledger } = context;
  const document = snapshot.document;
  if (!document) throw new Error('tools need the backlog as it was before the iteration');
  return {
    question: nextQuestion(ledger),
    mode: header.mode,
    story: header.story,
    skipReview: config.skipReview,
    reviewCap: config.reviewCap,
    snapshot: document,
    agent: (await readBacklog(context)).document ?? document,
    record,
    toAnswer: header.mode === 'review' ? toAnswer(await tamperingUnderReview(context, checkpoint.head)) : [],
    failure: failureText(lastFailure(ledger, header.story), lastViolations(ledger, header.story)),
  };
}

/** Where nothing was changed for a story that is called finished, evidence has to show that it was done before. */
async function withEvidence(context: RunContext, input: DeskInput, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { header, checkpoint, snapshot } = input;
  const { claim } = outcome.record;
  const isAsked = outcome.needsChecks && !outcome.answer.isError && snapshot.document?.format !== 'prompt';
  if (!isAsked || everWorkedOn(context.ledger, header.story)) return outcome;
  const { changed } = await afterSoFar(context, header, checkpoint);
  if (changed.some(({ path }) => !isLoopsOwn(context.workspace, path))) return outcome;
  const why = whyNotShown(await shownDone(context, checkpoint, claim), context.config.skipReview);
  if (why === null) return outcome;
  const text = `Nothing was changed for this story, and ${why}. ${context.config.skipReview ? '' : SHOW_IT}`.trim();
  return { ...outcome, answer: { text, isError: true } };
}

const SHOW_IT =
  'If nothing has to be changed, call complete_story with `already_done: true` and `evidence`: commits, tests or files that were there before and show that every criterion is met. A review looks at them.';

/** An agent that calls its story finished is believed once the checks pass; settle takes the same results for the same tree. */
async function withChecks(
  context: RunContext,
  { header, snapshot, story, checkpoint }: DeskInput,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const backlog = snapshot.document?.backlog;
  if (!outcome.needsChecks || outcome.answer.isError || !backlog) return outcome;
  await context.baseline;
  const green = greenCommands(context.record, context.ledger);
  const redBefore = redAtBaseline(context.record, green);
  const own = new Set(story.verifyCommands ?? []);
  const commands = checkCommands(context.config, backlog, story);
  // In the work tree nobody can tell beside a working agent whose change it was: there it stays.
  const results =
    context.room === null
      ? await checkEach(context, header.iteration, { commands, redBefore })
      : await runChecks(context, header.iteration, {
          commands,
          redBefore,
          tree: (await afterSoFar(context, header, checkpoint)).tree,
          head: checkpoint.head,
        });
  const failing = results.filter(({ ok, command }) => !ok && (own.has(command) || !redBefore.has(command)));
  if (failing.length === 0) return outcome;
  const outputs = failing.map(failingCheck).join('\n\n');
  return {
    ...outcome,
    answer: { text: `The story is not finished: the loop ran its checks.\n\n${outputs}`, isError: true },
  };
}

async function announceMerge(
  context: RunContext,
  { header }: DeskInput,
  { title, body }: { readonly title: string; readonly body: string },
): Promise<void> {
  const { clock, emit, git } = context;
  const branch = await git.currentBranch();
  const at = new Date(clock.now()).toISOString();
  appendMergeRequest(git.repo.root, { at, run: header.run, story: header.story, branch, title, body });
  emit(header.iteration, {
    type: 'notice',
    level: 'info',
    text: `The agent asks you to merge ${branch ?? 'its work'}: ${title}`,
    mend: `look with \`git log ${shellWord(branch ?? 'HEAD')}\`, then merge or push it yourself; agents never do`,
  });
}
