import type { AgentOutcome, CheckResult, Claim, Signals, Violation } from '../../contracts/index.ts';
import { analyse } from '../analysis/index.ts';
import { describeFailure } from '../text/index.ts';
import type { WorkLeft } from './evidence.ts';

/** Confidence value while work continues. */
const GOES_ON = 20;

/**
 * What an iteration on a lone prompt signals; null when there is a backlog. A tool call or a plugin counts as much as
 * the agent's words.
 */
export function signalsOf({ before, agent, analyzers, config, work }: WorkLeft, said: Claim | null): Signals | null {
  if (before.document?.format !== 'prompt') return null;
  const { result, session } = agent;
  const text = result.text.trim() === '' ? (session?.statusMessage ?? '') : result.text;
  const ranTests = (session?.tests ?? null) !== null;
  const changedFiles = work.map(({ path }) => path);
  const { signals } = analyse(text, { promise: config.promise, changedFiles, ranTests });
  if (!analyzers.completion && (said?.kind !== 'ready' || said.source !== 'tool')) return signals;
  return { done: true, completion: true, testOnly: false, confidence: Math.max(100, signals.confidence) };
}

/**
 * Without a backlog only the checks can contradict an agent that calls everything done: while any check is red, the
 * work is not done, even if that check was red before.
 */
export function signalsAfterChecks(
  said: Signals | null,
  checks: readonly CheckResult[],
): { readonly signals: Signals | null; readonly doubts: readonly Violation[] } {
  const red = checks.find(({ ok }) => !ok);
  if (!said?.done || !red) return { signals: said, doubts: [] };
  const message = `Everything was called done, but \`${red.command}\` ${describeFailure(red)}. It is not done while a check fails.`;
  return {
    signals: { done: false, completion: true, testOnly: false, confidence: GOES_ON },
    doubts: [{ rule: 'signal/red-checks', message }],
  };
}

/**
 * Whether a worker's final message calls its work finished: by the promise, or in words with no other meaning. Under
 * `--skip-review` no reviewer follows, so only the promise counts.
 */
export function saysFinished(
  { result }: Pick<AgentOutcome, 'result'>,
  { promise, skipReview }: { readonly promise: string; readonly skipReview: boolean },
): boolean {
  if (!result.ok) return false;
  const said = analyse(result.text, { promise, changedFiles: [], ranTests: false });
  return said.promise || (!skipReview && said.claimsCompletion !== null && said.stuck === null);
}
