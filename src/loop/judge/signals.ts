import type { CheckResult, Claim, Violation } from '../../contracts/model.ts';
import type { AgentOutcome } from '../../contracts/state/agent-outcome.ts';
import type { Signals } from '../../contracts/state/ledger.ts';
import { analyse } from '../../rules/analysis/analyse.ts';
import { howItFailed } from '../../rules/check-words.ts';
import type { Decision } from '../../rules/safeguards/verdict.ts';

/** Confidence of work that goes on. */
const GOES_ON = 20;

export { announcesEverything } from '../../rules/analysis/analyse.ts';

/**
 * What an iteration on a lone prompt signals. A tool call that says so is as good as the words, and so is a plugin.
 * @param work paths that it changed
 * @param completion a plugin calls the work finished
 */
export function signalsOfAnswer(
  { result, desk }: AgentOutcome,
  {
    claim,
    work,
    promise,
    completion,
  }: {
    readonly claim: Claim | null;
    readonly work: readonly string[];
    readonly promise: string;
    readonly completion: boolean;
  },
): Signals {
  const text = result.text.trim() === '' ? (desk?.statusMessage ?? '') : result.text;
  const ranTests = (desk?.tests ?? null) !== null;
  const { signals } = analyse(text, { promise, changedFiles: work, ranTests });
  if (!completion && (claim?.kind !== 'ready' || claim.source !== 'tool')) return signals;
  return { done: true, completion: true, testOnly: false, confidence: Math.max(100, signals.confidence) };
}

/**
 * Without a backlog nobody but the checks can contradict an agent that calls everything done: while one is red, it is
 * not, whatever was red before.
 */
export function unlessRed(
  said: Signals | null,
  checks: readonly CheckResult[],
): { readonly signals: Signals | null; readonly doubts: readonly Violation[] } {
  const red = checks.find(({ ok }) => !ok);
  if (!said?.done || !red) return { signals: said, doubts: [] };
  const message = `Everything was called done, but \`${red.command}\` ${howItFailed(red)}. It is not done while a check fails.`;
  const doubts = [{ rule: 'signal/red-checks', message }];
  return { signals: { done: false, completion: true, testOnly: false, confidence: GOES_ON }, doubts };
}

/**
 * Whether a worker's final message calls its work finished: by the promise, or in words that can mean nothing else. Under
 * `--skip-review` nobody looks at it again, so that only the promise will do.
 */
export function saysFinished(
  { result }: Pick<AgentOutcome, 'result'>,
  { promise, skipReview }: { readonly promise: string; readonly skipReview: boolean },
): boolean {
  if (!result.ok) return false;
  const said = analyse(result.text, { promise, changedFiles: [], ranTests: false });
  return said.promise || (!skipReview && said.claimsCompletion !== null && said.stuck === null);
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
