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

/** What an iteration came to, as far as a log or the ledger knows it. */
interface Judged {
  readonly verdict: Verdict;
  readonly mode: Mode;
  /** The review state that it gave the story; null when it gave none. */
  readonly claim: string | null;
  /** The kind of the agent's error. */
  readonly error: string | null;
}

const REFUSED: Readonly<Record<string, string>> = {
  auth: 'login refused',
  model: 'model refused',
  unavailable: 'agent unavailable',
  network: 'provider unreachable',
};

const VERDICT_TEXT: Readonly<Partial<Record<Verdict, string>>> = {
  'no-progress': 'no progress',
  'timed-out': 'timed out',
  'agent-error': 'agent failed',
};

/** What became of an iteration, in words; JSON and the progress log keep the verdict's name. */
export function resultOf({ verdict, mode, claim, error }: Judged): Outcome {
  const tone = Object.hasOwn(VERDICT_TONE, verdict) ? VERDICT_TONE[verdict] : 'warn';
  if (verdict === 'limited')
    return { text: error !== null && Object.hasOwn(REFUSED, error) ? (REFUSED[error] ?? '') : 'usage limit', tone };
  if (verdict !== 'accepted') return { text: VERDICT_TEXT[verdict] ?? oneLine(verdict), tone };
  if (claim === 'blocked') return { text: 'blocked', tone: 'warn' };
  if (mode !== 'review' || claim === null) return { text: verdict, tone };
  return claim === 'changes_requested' ? { text: 'changes requested', tone: 'accent' } : { text: 'approved', tone };
}

/** The same; null while it is under way, or when it was cut off. */
export function resultIn(row: Omit<Judged, 'verdict'> & { readonly verdict: Verdict | null }): Outcome | null {
  return row.verdict === null ? null : resultOf({ ...row, verdict: row.verdict });
}

interface Outcome {
  readonly text: string;
  readonly tone: Tone;
}

/** How a run ended: a headline, and a few words for tables. */
const OUTCOME: Readonly<Record<EndReason, Outcome & { readonly short: string }>> = {
  complete: { text: 'COMPLETE: every story is done', short: 'complete', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: stories are left', short: 'out of iterations', tone: 'warn' },
  blocked: { text: 'NEEDS YOU: only blocked stories are left', short: 'blocked, needs you', tone: 'warn' },
  circuit: { text: 'STOPPED: no progress (the circuit breaker is open)', short: 'stopped: no progress', tone: 'bad' },
  budget: { text: 'STOPPED: a budget is spent', short: 'budget spent', tone: 'warn' },
  limit: { text: "STOPPED: the provider's usage limit is reached", short: 'usage limit', tone: 'warn' },
  unavailable: {
    text: 'NEEDS YOU: the agent or its isolation cannot be used',
    short: 'unavailable, needs you',
    tone: 'bad',
  },
  stopped: { text: 'STOPPED: at your request', short: 'stopped', tone: 'warn' },
  once: { text: 'STOPPED: after one iteration (--once)', short: 'stopped after one iteration', tone: 'accent' },
  failure: {
    text: 'STOPPED: an iteration failed (--stop-on-failure)',
    short: 'stopped at the first failure',
    tone: 'warn',
  },
  until: { text: 'STOPPED: after the requested story (--until)', short: 'stopped after --until', tone: 'good' },
  interrupted: { text: 'INTERRUPTED', short: 'interrupted', tone: 'warn' },
  terminated: { text: 'TERMINATED', short: 'terminated', tone: 'warn' },
  condition: { text: 'STOPPED: an exit condition is met, stories are left', short: 'exit condition', tone: 'accent' },
  error: { text: 'FAILED: the run could not continue', short: 'failed', tone: 'bad' },
};

/** How a run ended, in a few words; a reason from a later version is shown verbatim. */
export function endText(reason: EndReason): string {
  return Object.hasOwn(OUTCOME, reason) ? OUTCOME[reason].short : oneLine(reason);
}

/** Without a backlog there are no stories to speak of: the agent itself reports its progress. */
const OUTCOME_OF_PROMPT: Readonly<Partial<Record<EndReason, Outcome>>> = {
  complete: { text: 'COMPLETE: the agent has nothing left to do', tone: 'good' },
  iterations: { text: 'OUT OF ITERATIONS: the agent has not said that it is done', tone: 'warn' },
  blocked: { text: 'NEEDS YOU: the agent cannot continue by itself', tone: 'warn' },
  condition: { text: 'STOPPED: an exit condition is met', tone: 'good' },
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

/** What `resultOf` says already. */
const PLAIN: ReadonlySet<string> = new Set(['the review approved the story', 'the review requested changes']);

/** The reason of a verdict, to stand beside its result; empty when that says it. */
export function reasonText(reason: string): string {
  if (PLAIN.has(reason)) return '';
  const why = reason.replace(/^the agent is blocked: /, '');
  const question = questionIn(why);
  return question ? `${question.id} waits for your answer` : oneLine(why);
}

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
  approval: 'waits for you',
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

const LIMIT: Readonly<Record<string, string>> = {
  five_hour: '5-hour usage limit',
  seven_day: 'weekly usage limit',
  rate_limit: 'rate limit',
};

/** A provider's limit, by the client's name for it. */
export function limitText(kind: string): string {
  return (Object.hasOwn(LIMIT, kind) && LIMIT[kind]) || `provider limit (${oneLine(kind.replaceAll('_', ' '))})`;
}
