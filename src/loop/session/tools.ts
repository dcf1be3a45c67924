import {
  appendMergeRequest,
  hooksWereCalled,
  openSpool,
  readDocument,
  readSpool,
  removeSpool,
} from '../../adapters/workspace/index.ts';
import type { SessionRecord } from '../../contracts/index.ts';
import { toAnswer, whyNotShown } from '../../rules/backlog/index.ts';
import { checkCommands, greenCommands, redAtBaseline } from '../../rules/judge/index.ts';
import { failingCheck, failureText } from '../../rules/prompt/index.ts';
import { everWorkedOn, lastFailure, lastViolations, nextQuestion } from '../../rules/safeguards/index.ts';
import { shellWord } from '../../rules/text/index.ts';
import { answerCall, type ToolAnswer, type ToolOutcome, type ToolState } from '../../rules/tools/index.ts';
import type { RunContext } from '../context.ts';
import { checkEach, runChecks } from '../evidence/checks.ts';
import { shownDone } from '../evidence/gather.ts';
import { tamperingUnderReview } from '../evidence/tampering.ts';
import type { Session } from '../ports.ts';
import { isLoopsOwn } from '../protect/loop-files.ts';
import { type AgentAtWork, NOTHING_RECORDED } from './record.ts';

/** A session and its record. */
export interface OpenSession extends Session {
  readonly record: () => SessionRecord;
  /** Records that hooks were called, where only their traces arrived. */
  readonly noteHooks: () => void;
  /** Characters that hooks told the agent since the last call. */
  readonly takeHookCharacters: () => number;
  /** Resolves once all requests are answered: an agent may leave without waiting. Never rejects. */
  readonly settled: () => Promise<void>;
}

const SUMMARY_LENGTH = 160;

/** The arguments of a call, shortened. */
export function summaryOf(args: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(args).slice(0, SUMMARY_LENGTH);
}

/** One tool call: judged, checked if it claims that work is finished, then recorded. */
export async function answerTool(
  context: RunContext,
  input: AgentAtWork,
  record: SessionRecord,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<{ readonly answer: ToolAnswer; readonly record: SessionRecord }> {
  const { iteration } = input.header;
  const { document } = input.snapshot;
  if (!document)
    return { answer: { text: 'The backlog cannot be read; continue without the tools.', isError: true }, record };
  const said = answerCall(name, args, await toolState(context, input, record));
  const outcome = await withChecks(context, input, await withEvidence(context, input, said));
  if (outcome.merge && !outcome.answer.isError) await announceMerge(context, input, outcome.merge);
  context.emit(iteration, {
    type: 'tool-call',
    tool: name,
    summary: summaryOf(args),
    refused: outcome.answer.isError ? outcome.answer.text : null,
  });
  return outcome.answer.isError ? { answer: outcome.answer, record } : outcome;
}

/** The state from which tools answer. The backlog must have been readable before the iteration. */
async function toolState(
  context: RunContext,
  { header, snapshot, checkpoint }: AgentAtWork,
  record: SessionRecord,
): Promise<ToolState> {
  const { config, ledger } = context;
  const document = snapshot.document;
  if (!document) throw new Error('the tools need the backlog from before the iteration');
  return {
    question: nextQuestion(ledger),
    mode: header.mode,
    story: header.story,
    skipReview: config.skipReview,
    reviewCap: config.reviewCap,
    snapshot: document,
    agent: (await readDocument(context.workspace)).document ?? document,
    record,
    toAnswer: header.mode === 'review' ? toAnswer(await tamperingUnderReview(context, checkpoint.head)) : [],
    failure: failureText(lastFailure(ledger, header.story), lastViolations(ledger, header.story)),
  };
}

/** If a story is reported finished without a change, evidence has to show that it was done before. */
async function withEvidence(context: RunContext, input: AgentAtWork, outcome: ToolOutcome): Promise<ToolOutcome> {
  const { header, checkpoint, snapshot } = input;
  const { claim } = outcome.record;
  const isAsked = outcome.needsChecks && !outcome.answer.isError && snapshot.document?.format !== 'prompt';
  if (!isAsked || everWorkedOn(context.ledger, header.story)) return outcome;
  const { changed } = await context.agentTree.soFar(header);
  if (changed.some(({ path }) => !isLoopsOwn(context.workspace, path))) return outcome;
  const why = whyNotShown(await shownDone(context, checkpoint, claim), context.config.skipReview);
  if (why === null) return outcome;
  const text = `Nothing was changed for this story, and ${why}. ${context.config.skipReview ? '' : SHOW_IT}`.trim();
  return { ...outcome, answer: { text, isError: true } };
}

const SHOW_IT =
  'If nothing has to be changed, call complete_story with `already_done: true` and `evidence`: commits, tests or files that were there before and show that every criterion is met. A review looks at them.';

/**
 * An agent that calls its story finished is believed once the checks pass; the judgement uses the same results for the
 * same tree.
 */
async function withChecks(
  context: RunContext,
  { header, snapshot, story, checkpoint }: AgentAtWork,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const backlog = snapshot.document?.backlog;
  if (!outcome.needsChecks || outcome.answer.isError || !backlog) return outcome;
  await context.baseline;
  const green = greenCommands(context.record, context.ledger);
  const redBefore = redAtBaseline(context.record, green);
  const own = new Set(story.verifyCommands ?? []);
  const commands = checkCommands(context.config, backlog, story);
  // In the work tree, beside a working agent, the author of a change is unknown, so changes stay.
  const results =
    context.room === null
      ? await checkEach(context, header.iteration, { commands, redBefore })
      : await runChecks(context, header.iteration, {
          commands,
          redBefore,
          tree: (await context.agentTree.soFar(header)).tree,
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
  { header }: AgentAtWork,
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
    fix: `look with \`git log ${shellWord(branch ?? 'HEAD')}\`, then merge or push it yourself; agents never do`,
  });
}

/** Replaces the control server inside, where agents cannot reach it. */
interface SessionSpool {
  readonly dir: string;
  /** Passes the agent's tool calls to the session, in sequence, once the agent has ended. */
  deliver(session: OpenSession): Promise<void>;
  remove(): Promise<void>;
}

/** A spool for the agent of this iteration; null where it can reach the control server. */
export async function sessionSpool(context: RunContext, input: AgentAtWork): Promise<SessionSpool | null> {
  const { isolation, git, workspace, emit } = context;
  const { iteration } = input.header;
  if (isolation.reach !== 'spool' || input.snapshot.document === null) return null;
  const { agent: _agent, record: _record, ...state } = await toolState(context, input, NOTHING_RECORDED);
  const { dir } = await openSpool(git.repo.root, iteration, { ...state, workspace });
  return {
    dir,
    async deliver(session) {
      const notice = (text: string) => emit(iteration, { type: 'notice', level: 'warning', text });
      if (hooksWereCalled(dir)) session.noteHooks();
      for (const { name, args } of readSpool(dir, notice)) await session.tool(name, args);
    },
    remove: () => removeSpool(dir),
  };
}
