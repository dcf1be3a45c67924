import type {
  BreakerState,
  CheckResult,
  EndReason,
  Mode,
  StoryState,
  Verdict,
  WaitReason,
} from '../../contracts/index.ts';
import { oneLine } from './printable.ts';

/** The meaning of a piece of text; its look is decided only here. */
export type Tone = 'good' | 'bad' | 'warn' | 'dim' | 'strong' | 'accent';

export const VERDICT_TONE: Readonly<Record<Verdict, Tone>> = {
  accepted: 'good',
  advanced: 'accent',
  rejected: 'bad',
  'no-progress': 'warn',
  'timed-out': 'bad',
  interrupted: 'warn',
  'agent-error': 'bad',
  limited: 'warn',
};

interface Outcome {
  readonly text: string;
  readonly tone: Tone;
}

const OUTCOME: Readonly<Record<EndReason, Outcome>> = {
  complete: { text: 'COMPLETE: every story is done', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: stories are left', tone: 'warn' },
  blocked: { text: 'BLOCKED: only blocked stories are left', tone: 'warn' },
  circuit: { text: 'CIRCUIT OPEN: the loop is not getting anywhere', tone: 'bad' },
  budget: { text: 'BUDGET: a budget is spent', tone: 'warn' },
  limit: { text: "LIMIT: the provider's usage limit is reached", tone: 'warn' },
  unavailable: { text: 'UNAVAILABLE: the agent or its isolation cannot be used', tone: 'bad' },
  stopped: { text: 'STOPPED: as a person asked', tone: 'warn' },
  once: { text: 'ONCE: one iteration, as asked', tone: 'accent' },
  until: { text: 'UNTIL: the story asked for is done', tone: 'good' },
  interrupted: { text: 'INTERRUPTED', tone: 'warn' },
  terminated: { text: 'TERMINATED', tone: 'warn' },
  condition: { text: 'EXIT CONDITION: one is met, stories are left', tone: 'accent' },
  error: { text: 'ERROR: the run could not go on', tone: 'bad' },
};

/** Without a backlog there are no stories to speak of: the agent itself reports its progress. */
const OUTCOME_OF_PROMPT: Readonly<Partial<Record<EndReason, Outcome>>> = {
  complete: { text: 'COMPLETE: the agent has nothing left to do', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: the agent has not called it done', tone: 'warn' },
  blocked: { text: 'BLOCKED: the agent cannot go on without you', tone: 'warn' },
  condition: { text: 'EXIT CONDITION: one is met', tone: 'good' },
};

/** Outcome of a run that was limited to some of the stories. */
const COMPLETE_IN_PART: Outcome = { text: 'COMPLETE: what was asked for is done', tone: 'good' };

/**
 * The outcome of a run in words; a reason from a later version is shown verbatim.
 * @param stories as the run left them, if that is known
 */
export function outcomeOf(
  reason: EndReason,
  lonePrompt: boolean,
  stories?: { readonly total: number; readonly done: number },
): Outcome {
  if (lonePrompt && Object.hasOwn(OUTCOME_OF_PROMPT, reason)) return OUTCOME_OF_PROMPT[reason] ?? OUTCOME[reason];
  if (reason === 'complete' && !lonePrompt && stories && stories.done < stories.total) return COMPLETE_IN_PART;
  return Object.hasOwn(OUTCOME, reason) ? OUTCOME[reason] : { text: `ENDED: ${oneLine(reason)}`, tone: 'warn' };
}

/** The used part of the iteration limit; interrupted and limited iterations are free. */
export function usedText(used: number, limit: number): string {
  return `${used} of ${limit} used`;
}

export const STATE_TONE: Readonly<Record<StoryState, Tone | null>> = {
  done: 'good',
  'done, unreviewed': 'good',
  blocked: 'warn',
  'needs review': 'accent',
  'changes requested': 'accent',
  'to do': null,
};

/** The question that a blocked story waits for; null when something else blocks it. */
export function questionIn(blocked: string | undefined): { readonly id: string; readonly text: string } | null {
  const [, id, text] = /^question (Q\d+): (.*)$/s.exec(blocked ?? '') ?? [];
  return id === undefined || text === undefined ? null : { id, text };
}

export const MODE_TEXT: Readonly<Record<Mode, string>> = {
  implement: 'implement',
  review: 'review',
  'review-fix': 'fix after review',
};

/** What a run waits for, in two or three words. */
export const WAIT_TEXT: Readonly<Record<WaitReason, string>> = {
  pause: 'paused',
  cooldown: 'breaker cools down',
  limit: 'usage limit',
  rate: 'calls per hour',
};

export const BREAKER_TONE: Readonly<Record<BreakerState, Tone>> = { closed: 'good', 'half-open': 'warn', open: 'bad' };

/**
 * The candidate most like `word` (edit distance, case ignored), for "did you mean"; null when even the nearest is no
 * likely typo, because more than a third of its letters differ.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, one row of the table at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** A text as one word for a POSIX shell, for commands that people copy or programs run; quoted only if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** How a red check ended, as text after its command: `failed with exit code 1`. */
export function describeFailure({ exitCode, timedOut, tests }: Omit<CheckResult, 'command' | 'tail'>): string {
  if (timedOut) return 'ran out of time';
  if (exitCode === null) return 'was killed by a signal';
  if (exitCode !== 0) return `failed with exit code ${exitCode}`;
  const failed = tests?.failed ? `that ${tests.failed} of its tests failed` : 'that its tests failed';
  return `ended with exit code 0, but its output says ${failed}`;
}

/** `refs/ralph/rescue/<run>/3-1` → the name that the user types. */
export function rescueName(ref: string): string {
  return ref.replace(/^refs\/ralph\/rescue\//, '');
}

/** The words of a text: tables write lists of names this way. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}
