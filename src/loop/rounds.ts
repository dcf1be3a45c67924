import type { AgentAdapter } from '../adapters/agents/index.ts';
import { loadOrThrow, type Marker } from '../adapters/workspace/index.ts';
import type { LedgerIteration, Overrun, Story } from '../contracts/index.ts';
import { AWAITS_APPROVAL, type BacklogDocument, isDone, modeOf, select } from '../rules/backlog/index.ts';
import { type Breaker, breakerOf, budgetText, exitBySignals, signalsOf, totalsOf } from '../rules/safeguards/index.ts';
import { sumDollars } from '../rules/text/index.ts';
import { candidatesFor, hasReviewers, workersOf } from './agent/candidates.ts';
import type { Between, RunContext } from './context.ts';
import { decide, type End, failureText, isUntilReached } from './decide.ts';
import { reopenLost } from './evidence/lost-work.ts';
import { type Approval, ask, type Passed, passGate } from './gate.ts';
import { iterate } from './iteration.ts';
import { applyCircuitReset, applyWords } from './steering/words.ts';

/** Select, pass the gate, iterate, decide; returns why the run ended, or in a turn what follows it. */
export async function iterateUntilDone(context: RunContext, marker: Marker): Promise<End | Between> {
  const { config, workspace, request } = context;
  const before = totalsOf(context.ledger, context.run).last;
  let iteration = before;
  let agent = lastAgent(context) ?? workersOf(context)[0]?.name ?? '';
  let breaker = breakerOf(context.ledger, config.circuit);
  let { document } = await loadOrThrow(workspace);
  for (;;) {
    const isSaid = await applyWords(context);
    if (isSaid) ({ document } = await loadOrThrow(workspace));
    if (await applyCircuitReset(context)) breaker = announceBreaker(context, breaker);
    const { stories } = document.backlog;
    context.showBacklog(document.backlog);
    if (isSaid && isUntilReached(request, stories)) return { reason: 'until' };
    const selection = select(stories, {
      skipReview: config.skipReview,
      ...(request.only ? { only: request.only } : {}),
    });
    if (selection.kind === 'complete') {
      if ((await reopenLost(context)).length === 0) return { reason: 'complete' };
      ({ document } = await loadOrThrow(workspace));
      continue;
    }
    const isBlocked = selection.kind === 'blocked' || selection.kind === 'wait';
    // The run does not wait at a gate when there is nothing to do behind it; an open breaker is the cause of that.
    const approval = isBlocked ? approvalOf(context, stories) : null;
    if (isBlocked && approval === null && !isCircuitOpen(context)) return cutShort(context) ?? { reason: 'blocked' };
    const [mode, story] = isBlocked ? (['implement', ''] as const) : [modeOf(selection), selection.story.id];
    const candidates = candidatesFor(context, mode, story);
    const passed = await passGate(context, candidates, approval);
    const cut = cutShort(context);
    if (cut) return cut;
    if (passed.kind === 'later') return passed.outcome;
    if (passed.kind === 'waited') {
      // A person may have changed the stories meanwhile.
      ({ document } = await loadOrThrow(workspace));
      const condition = await endByCondition(context, document);
      if (condition) return condition;
      continue;
    }
    if (passed.kind === 'end') return atTheGate(context, passed, breaker);
    if (isBlocked) continue;
    if (request.turn && iteration > before) return { kind: 'next' };
    const isReviewer = mode === 'review' && hasReviewers(context);
    const usual = isReviewer ? (candidates[0]?.name ?? '') : agent;
    if (passed.agent !== usual) {
      const reason = passed.reason || `${passed.agent} can be used again`;
      context.emit(0, { type: 'agent-switch', from: usual, to: passed.agent, reason });
    }
    if (!isReviewer) agent = passed.agent;
    iteration += 1;
    await marker.update(selection.story, modeOf(selection), stories);
    const line = await iterate(context, {
      iteration,
      document,
      work: selection,
      agent: agentNamed(context, passed.agent),
    });
    breaker = announceBreaker(context, breaker);
    if (line.overrun) announceOverrun(context, line, line.overrun);
    // Before any decision: a person who meanwhile approved the last story wants the run to end with it.
    await applyWords(context);
    ({ document } = await loadOrThrow(workspace));
    context.showBacklog(document.backlog);
    const enough = (document.format === 'prompt' ? endOfPrompt(context, line) : null) ?? cutShort(context);
    if (enough) return enough;
    const reason = decide({ line, request, stories: document.backlog.stories });
    if (reason === 'failure') return { reason, detail: failureText(line) };
    if (reason) return line.overrun ? { reason, detail: budgetText(line.overrun, null) } : { reason };
    // If nothing is left to do, the next selection says so: that is the better reason.
    const condition = document.backlog.stories.every(isDone) ? null : await endByCondition(context, document);
    if (condition) return condition;
  }
}

/** What the run waits for when only a person's approval is missing; a turn leaves such a wait to its caller. */
function approvalOf({ config, clock, record, request }: RunContext, stories: readonly Story[]): Approval | null {
  if (config.gate !== 'story' || request.turn) return null;
  const mine = stories.filter(({ id, safeId }) => [id, safeId].includes(request.only ?? id));
  const ids = mine.flatMap(({ id, blocked }) => (blocked === AWAITS_APPROVAL ? [id] : []));
  if (ids.length === 0) return null;
  // A run that is started again continues its wait.
  const { waiting } = record;
  const since = waiting?.why === 'approval' ? waiting.since : clock.now();
  const text = `waits for your approval of ${ids.join(', ')}: \`ralph stories approve ID\` or \`ralph stories reject ID "…"\``;
  return { until: since + config.gateTimeoutMs, text };
}

function announceOverrun(context: RunContext, { iteration, story }: LedgerIteration, overrun: Overrun): void {
  context.emit(iteration, { type: 'budget', overrun, story: overrun.budget === 'story-cost' ? story : null });
}

/** Without a backlog the agent's signals decide, by what the last iterations of this run have in common. */
function endOfPrompt({ ledger, run }: Pick<RunContext, 'ledger' | 'run'>, { blocked }: LedgerIteration): End | null {
  if (blocked !== null) return { reason: 'blocked', detail: blocked };
  const exit = exitBySignals(signalsOf(ledger, run));
  return exit ? { reason: 'complete', detail: exit.reason } : null;
}

function isCircuitOpen(context: RunContext): boolean {
  const said = ask(context);
  return said.kind === 'end' && said.reason === 'circuit';
}

/** A closed gate explains itself once more at the end: an open breaker may be days old. */
function atTheGate(
  context: RunContext,
  { reason, text, overrun }: Extract<Passed, { kind: 'end' }>,
  breaker: Breaker,
): End {
  if (overrun) context.emit(0, { type: 'budget', overrun, story: null });
  if (reason === 'circuit') {
    const { evidence, fix } = breaker;
    context.emit(0, { type: 'circuit', from: 'open', to: 'open', reason: breaker.reason, evidence, fix });
  }
  return { reason, detail: text };
}

/** Reports a change of the breaker's state. @returns the current breaker */
function announceBreaker(context: RunContext, before: Breaker): Breaker {
  const after = breakerOf(context.ledger, context.config.circuit);
  if (after.state !== before.state) {
    const { reason, evidence, fix } = after;
    context.emit(0, { type: 'circuit', from: before.state, to: after.state, reason, evidence, fix });
  }
  return after;
}

function agentNamed({ agents }: Pick<RunContext, 'agents'>, name: string): AgentAdapter {
  const agent = agents.find((one) => one.name === name);
  if (!agent) throw new Error(`the gate chose an agent that this run does not have: ${name}`);
  return agent;
}

/** The agent that continues in the next turn: the one of the previous turn, not always the first. */
function lastAgent(context: RunContext): string | null {
  const { continues, ledger, run } = context;
  if (!continues) return null;
  const workers = workersOf(context).map(({ name }) => name);
  const last = ledger.findLast(
    (line): line is LedgerIteration =>
      line.kind === 'iteration' && line.run === run && workers.includes(line.agent) && !isReviewers(line),
  );
  return last?.agent ?? null;

  function isReviewers({ mode }: LedgerIteration): boolean {
    return mode === 'review' && hasReviewers(context);
  }
}

/**
 * What a signal means for the run. One that ends the process taking its turns does not end the run: only a person's
 * `ralph stop --now` does.
 */
function cutShort({ signal, request }: Pick<RunContext, 'signal' | 'request'>): End | Between | null {
  if (!signal.aborted) return null;
  if (signal.reason === 'stopped') return { reason: 'stopped' };
  if (request.turn) return { kind: 'next' };
  return { reason: signal.reason === 'terminated' ? 'terminated' : 'interrupted' };
}

/** The end of the run if an exit condition, a plugin's or the built-in one, is met; null means continue. */
export async function endByCondition(context: RunContext, { backlog, format }: BacklogDocument): Promise<End | null> {
  const { ledger, run, record, plugins } = context;
  const met = await plugins.exitWhen(() => {
    const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration' && line.run === run);
    return {
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
    };
  });
  if (met === null) return null;
  context.emit(0, { type: 'exit-condition', name: met.plugin, reason: met.value });
  return { reason: 'condition', detail: `${met.plugin}: ${met.value}` };
}
