import type { Verdict } from '../../contracts/model.ts';

/** Verdicts after which nothing of an iteration counts. */
const NOTHING: readonly (Verdict | null)[] = ['rejected', 'no-progress', 'timed-out', 'agent-error'];

/** Did an iteration come to nothing, by its own fault? One that was limited or interrupted did not. */
export function cameToNothing(verdict: Verdict | null): boolean {
  return NOTHING.includes(verdict);
}

/** Beginnings of the sentences of `rules/safeguards/verdict.ts`, and what they have in common. */
const CAUSES: readonly (readonly [sentence: RegExp, cause: string])[] = [
  [/^a check that was green before is red/, 'a green check turned red'],
  [/^the story was called finished, but its own check/, 'called finished, own check red'],
  [/^tests or checks were weakened/, 'tests or checks were weakened'],
  [/^the review changed files/, 'a review changed files'],
  [/^the agent ran out of time/, 'the agent ran out of time'],
  [/^the agent ended with an error/, 'the agent ended with an error'],
  [/^the review ended without a verdict/, 'a review without a verdict'],
  [/^nothing was changed and nothing was claimed/, 'nothing changed, nothing claimed'],
  [/^the story was called finished, but nothing was changed for it/, 'called finished, nothing changed'],
];

/** What iterations that came to nothing for similar reasons have in common; else just the verdict. */
export function causeOf(verdict: Verdict, reason: string): string {
  return CAUSES.find(([sentence]) => sentence.test(reason))?.[1] ?? verdict;
}
