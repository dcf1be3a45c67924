import type { Config, LedgerLine, NewStory, RunLimits, SteeringEntry, StoryDecision } from '../../contracts/index.ts';
import { isIgnored } from '../safeguards/index.ts';
import { dollars, elapsed } from '../text/index.ts';

/** Requests to a run from outside that still apply. */
export interface Steering {
  /** The gate stays closed until the run is resumed. */
  readonly paused: boolean;
  readonly stop: 'after-iteration' | 'now' | null;
  /** Only the limits that were changed. */
  readonly limits: Partial<RunLimits>;
  /** Notes that no prompt has included yet, oldest first. */
  readonly notes: readonly PendingNote[];
  /** Answers that are not yet in the ledger, in the order of their questions' first answer. */
  readonly answers: readonly PendingAnswer[];
  /** The last decision about each story that is not yet in the ledger, oldest first. */
  readonly decisions: readonly PendingDecision[];
  /** Stories to add that are not yet in the ledger, oldest first. */
  readonly additions: readonly PendingAddition[];
  /** Waived findings that are not yet in the ledger, oldest first. */
  readonly waivers: readonly PendingWaiver[];
  /** When a person last asked to close the breaker, epoch ms; null once it is in the ledger. */
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

/** A person's decision about a story; `block` takes it out of the loop. */
export type StoryWord = { readonly decision: StoryDecision } | { readonly decision: 'block'; readonly reason: string };

export type PendingDecision = StoryWord & {
  readonly story: string;
  /** Epoch ms. */
  readonly at: number;
};

export interface PendingAddition {
  /** Id of the request: the ledger names it once it was carried out. */
  readonly id: string;
  /** Spec folder of the backlog that it is for. */
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
 * Folds the requests of people into their current effect. Pausing, stopping and limits apply to one run; notes, answers
 * and decisions about stories are not tied to a run. A later request replaces an earlier one of the same kind, but a
 * question is answered once: the first answer holds. `resume` takes back a pause, and a stop that has not happened yet.
 *
 * A note is delivered once a counting iteration names it: one that was interrupted, or ended by a provider's limit,
 * starts again and needs the note again. An answer, or a request to close the breaker, is settled once the ledger has
 * it. A decision about a story is settled by any later one in the ledger, a request to add a story by the line that
 * names it.
 *
 * @param entries in file order
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

/** The current limits: those a run started with, with later changes by people. */
export function effectiveLimits(configured: RunLimits, { limits }: Pick<Steering, 'limits'>): RunLimits {
  return { ...configured, ...limits };
}

/** The lower of the two values for each limit; null means no limit. */
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
 * What the ledger shows as settled: ids of notes, questions, when the breaker was last closed, each story decided
 * about, requests that added a story, and each waived finding.
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

/** Bytes of UTF-8 that a note or an answer may have: it is part of a prompt and must not replace it. */
export const LONGEST_NOTE = 64 * 1024;

/**
 * Control characters except line break and tab, and the characters that reorder the text around them: they would reach
 * terminals and prompts, where their effect is invisible.
 */
const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Why a person's text cannot be passed on, as the end of a sentence; null when it can. */
export function noteProblem(text: string): string | null {
  if (text.trim() === '') return 'is empty';
  const bytes = new TextEncoder().encode(text).length;
  if (bytes > LONGEST_NOTE) return `has ${bytes} bytes; ${LONGEST_NOTE} are the most`;
  const unsafe = UNSAFE.exec(text);
  return unsafe === null
    ? null
    : `holds the control character ${codePointOf(unsafe[0])} at position ${unsafe.index + 1}`;
}

/** `\u001b` → `U+001B` */
function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

interface LimitWords {
  /** The flag as typed on the command line. */
  readonly flag: string;
  readonly show: (value: number) => string;
}

/** The user-facing names of a run's limits, in display order. */
const LIMIT_WORDS: Readonly<Record<keyof RunLimits, LimitWords>> = {
  maxIterations: { flag: '--max-iterations', show: String },
  calls: { flag: '--calls', show: (value) => `${value} per hour` },
  maxCost: { flag: '--max-cost', show: dollars },
  maxTokens: { flag: '--max-tokens', show: String },
  maxDurationMs: { flag: '--max-duration', show: elapsed },
  storyMaxCost: { flag: '--story-max-cost', show: dollars },
  storyMaxAttempts: { flag: '--story-max-attempts', show: String },
};

/** A limit and its value: `--max-cost $0.30`. */
export function limitText(limit: keyof RunLimits, value: number | null): string {
  return `${LIMIT_WORDS[limit].flag} ${limitAmount(limit, value)}`;
}

/** The value alone. */
export function limitAmount(limit: keyof RunLimits, value: number | null): string {
  return value === null ? 'none' : LIMIT_WORDS[limit].show(value);
}

/** The limits that can be removed entirely, as in the configuration. */
const LIFTED: ReadonlySet<string> = new Set<keyof RunLimits>(['maxCost', 'maxTokens', 'maxDurationMs', 'storyMaxCost']);
const IN_DOLLARS: ReadonlySet<string> = new Set<keyof RunLimits>(['maxCost', 'storyMaxCost']);

/** What is wrong with untyped limits, as a whole sentence; null when they can be set. */
export function limitsProblem(limits: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return 'no limit is named';
  for (const [name, value] of entries) {
    if (!Object.hasOwn(LIMIT_WORDS, name)) return `there is no limit '${name.slice(0, 40)}'`;
    if (value === null && LIFTED.has(name)) continue;
    const fits = typeof value === 'number' && value > 0 && value <= 1e12;
    if (!fits || !(IN_DOLLARS.has(name) || Number.isInteger(value))) {
      return `${name} takes ${IN_DOLLARS.has(name) ? 'an amount' : 'a whole number'} above 0`;
    }
  }
  return null;
}

/** The names of all limits, in the order of the table. */
export const LIMIT_NAMES = Object.keys(LIMIT_WORDS) as readonly (keyof RunLimits)[];
