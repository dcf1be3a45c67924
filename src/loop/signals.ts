import type { Claim } from '../contracts/model.ts';
import type { AgentOutcome, Signals } from '../contracts/state.ts';
import { analyse } from '../rules/analysis/analyse.ts';
import type { Decision } from '../rules/safeguards/verdict.ts';

export { announcesEverything } from '../rules/analysis/analyse.ts';

/**
 * What an iteration on a lone prompt signals. A tool call that says so is as good as the words.
 * @param work paths that it changed
 */
export function signalsOfAnswer(
  { result, desk }: AgentOutcome,
  {
    claim,
    work,
    promise,
  }: { readonly claim: Claim | null; readonly work: readonly string[]; readonly promise: string },
): Signals {
  const text = result.text.trim() === '' ? (desk?.statusMessage ?? '') : result.text;
  const ranTests = (desk?.tests ?? null) !== null;
  const { signals } = analyse(text, { promise, changedFiles: work, ranTests });
  if (claim?.kind !== 'ready' || claim.source !== 'tool') return signals;
  return { done: true, completion: true, testOnly: false, confidence: Math.max(100, signals.confidence) };
}

/**
 * Without a backlog an agent that changes nothing may well be right: everything is done, or there is nothing left but
 * to test. That is for the windows to judge, not for the breaker.
 */
export function excuseIdle(decision: Decision, { done, testOnly }: Signals): Decision {
  if (decision.verdict !== 'no-progress' || (!done && !testOnly)) return decision;
  const reason = done ? 'nothing was changed: the agent says that everything is done' : 'only tests were run';
  return { ...decision, counts: 'ignored', reason };
}
