import type { Config } from '../../contracts/config.ts';
import type { NewStory } from '../../contracts/model.ts';
import type { LedgerLine } from '../../contracts/state/ledger.ts';
import type { RunLimits } from '../../contracts/state/run-record.ts';
import type { SteeringEntry, StoryDecision } from '../../contracts/state/steering.ts';
import { isIgnored } from '../safeguards/attempts.ts';

/** What people asked of a run from outside, as far as it still holds. */
export interface Steering {
  /** The gate stays closed until somebody resumes the run. */
  readonly paused: boolean;
  readonly stop: 'after-iteration' | 'now' | null;
  /** The limits that were changed, and nothing else. */
  readonly limits: Partial<RunLimits>;
  /** Notes that no prompt has carried yet, oldest first. */
  readonly notes: readonly PendingNote[];
  /** Answers that the ledger does not have yet, in the order of their questions' first answer. */
  readonly answers: readonly PendingAnswer[];
  /** The last word about each story that the ledger does not have yet, in the order they were said. */
  readonly decisions: readonly PendingDecision[];
  /** Stories to add, oldest first, that the ledger does not have yet. */
  readonly additions: readonly PendingAddition[];
  /** Findings that do not matter, and the ledger does not have yet, in the order they were said. */
  readonly waivers: readonly PendingWaiver[];
  /** When a person last asked to close the breaker, epoch ms; null once the ledger has it. */
  readonly circuitReset: number | null;
}

export interface PendingNote {
  readonly id: string;
  readonly text: string;
  /** Epoch ms. */
  readonly at: number;
}

export interface PendingAnswer {
  /** `Q<n>`. */
  readonly question: string;
  readonly text: string;
}

/** What a person decides about a story; `block` takes it out of the loop. */
export type StoryWord = { readonly decision: StoryDecision } | { readonly decision: 'block'; readonly reason: string };

export type PendingDecision = StoryWord & {
  readonly story: string;
  /** Epoch ms. */
  readonly at: number;
};

export interface PendingAddition {
  /** Of the word: the ledger names it once it was heard. */
  readonly id: string;
  /** Spec folder whose backlog it is for. */
  readonly folder: string;
  readonly story: NewStory;
  /** Epoch ms. */
  readonly at: number;
}

export interface PendingWaiver {
  readonly story: string;
  readonly finding: string;
  readonly reason: string;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * Folds what people said into what holds now. Pausing, stopping and limits are said to one run; notes, answers and
 * decisions about stories are for whichever run comes next. A later word replaces an earlier one of the same kind, but a question is answered once:
 * the first answer holds. `resume` takes back a pause and a stop that has not happened yet.
 *
 * A note was carried once an iteration that counts names it: one that was interrupted, or that a provider's limit
 * ended, starts again, and its next try must be told again. An answer was taken once the ledger has it, and so was the
 * wish to close the breaker. A decision about a story is settled by any later one that the ledger has, the wish to add
 * one by the line that names it.
 *
 * @param entries in the order of the file
 */
export function steeringOf(entries: readonly SteeringEntry[], ledger: readonly LedgerLine[], run: string): Steering {
  const { carried, answered, resetAt, decidedAt, added, waivedAt } = settledBy(ledger);
  let paused = false;
  let stop: Steering['stop'] = null;
  let limits: Partial<RunLimits> = {};
  let circuitReset: number | null = null;
  const notes = new Map<string, PendingNote>();
  const answers = new Map<string, PendingAnswer>();
  const decisions = new Map<string, PendingDecision>();
  const additions = new Map<string, PendingAddition>();
  const waivers = new Map<string, PendingWaiver>();
  for (const entry of entries) {
    if ('run' in entry && entry.run !== run) continue;
    switch (entry.kind) {
      case 'pause':
        paused = true;
        break;
      case 'resume':
        paused = false;
        stop = null;
        break;
      case 'stop':
        stop = entry.now ? 'now' : 'after-iteration';
        break;
      case 'limits':
        limits = { ...limits, ...entry.limits };
        break;
      case 'note':
        if (!carried.has(entry.id)) notes.set(entry.id, { id: entry.id, text: entry.text, at: entry.at });
        break;
      case 'answer':
        if (answered.has(entry.question) || answers.has(entry.question)) break;
        answers.set(entry.question, { question: entry.question, text: entry.text });
        break;
      case 'circuit-reset':
        if (entry.at > resetAt) circuitReset = entry.at;
        break;
      case 'story':
      case 'block': {
        const { story, at } = entry;
        decisions.delete(story);
        if (at <= (decidedAt.get(story) ?? Number.NEGATIVE_INFINITY)) break;
        decisions.set(story, { story, ...wordIn(entry), at });
        break;
      }
      case 'add': {
        const { id, folder, story, at } = entry;
        if (!added.has(id)) additions.set(id, { id, folder, story, at });
        break;
      }
      case 'waive': {
        const { story, finding, reason, at } = entry;
        const key = waiverKey(entry);
        if (at > (waivedAt.get(key) ?? Number.NEGATIVE_INFINITY)) waivers.set(key, { story, finding, reason, at });
        break;
      }
    }
  }
  return {
    paused,
    stop,
    limits,
    notes: [...notes.values()],
    answers: [...answers.values()],
    decisions: [...decisions.values()],
    additions: [...additions.values()],
    waivers: [...waivers.values()],
    circuitReset,
  };
}

function wordIn(entry: Extract<SteeringEntry, { kind: 'story' | 'block' }>): StoryWord {
  return entry.kind === 'block' ? { decision: 'block', reason: entry.reason } : { decision: entry.decision };
}

function waiverKey({ story, finding }: Pick<PendingWaiver, 'story' | 'finding'>): string {
  return JSON.stringify([story, finding]);
}

/** The limits that a run starts with. */
export function limitsOf(config: Pick<Config, keyof RunLimits>): RunLimits {
  const { maxIterations, calls, maxCost, maxTokens, maxDurationMs, storyMaxCost, storyMaxAttempts } = config;
  return { maxIterations, calls, maxCost, maxTokens, maxDurationMs, storyMaxCost, storyMaxAttempts };
}

/** The limits that hold now: those it started with, with what people changed since. */
export function effectiveLimits(configured: RunLimits, { limits }: Pick<Steering, 'limits'>): RunLimits {
  return { ...configured, ...limits };
}

/** Of each limit the lower of two; null is none. */
export function lowerLimits(one: RunLimits, other: RunLimits): RunLimits {
  const lower = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b));
  return {
    maxIterations: Math.min(one.maxIterations, other.maxIterations),
    calls: Math.min(one.calls, other.calls),
    maxCost: lower(one.maxCost, other.maxCost),
    maxTokens: lower(one.maxTokens, other.maxTokens),
    maxDurationMs: lower(one.maxDurationMs, other.maxDurationMs),
    storyMaxCost: lower(one.storyMaxCost, other.storyMaxCost),
    storyMaxAttempts: Math.min(one.storyMaxAttempts, other.storyMaxAttempts),
  };
}

/**
 * What the ledger shows to be dealt with: ids of notes, questions, when the breaker was last closed, each story decided
 * about, words that added a story, and each finding waived.
 */
function settledBy(ledger: readonly LedgerLine[]): {
  readonly carried: ReadonlySet<string>;
  readonly answered: ReadonlySet<string>;
  readonly resetAt: number;
  readonly decidedAt: ReadonlyMap<string, number>;
  readonly added: ReadonlySet<string>;
  readonly waivedAt: ReadonlyMap<string, number>;
} {
  const carried = new Set<string>();
  const answered = new Set<string>();
  const decidedAt = new Map<string, number>();
  const added = new Set<string>();
  const waivedAt = new Map<string, number>();
  let resetAt = Number.NEGATIVE_INFINITY;
  for (const line of ledger) {
    if (line.kind === 'circuit-reset') resetAt = Math.max(resetAt, line.at);
    if (line.kind === 'answer') answered.add(line.question);
    if (line.kind === 'reset') decidedAt.set(line.story, Math.max(line.at, decidedAt.get(line.story) ?? line.at));
    if (line.kind === 'addition') added.add(line.word);
    if (line.kind === 'waiver') waivedAt.set(waiverKey(line), line.at);
    if (line.kind === 'iteration' && !isIgnored(line.verdict)) for (const id of line.steers ?? []) carried.add(id);
  }
  return { carried, answered, resetAt, decidedAt, added, waivedAt };
}
