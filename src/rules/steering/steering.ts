import type {
  Config,
  LedgerLine,
  RequestedChange,
  RunLimits,
  SteeringEntry,
  StoryDecision,
} from '../../contracts/index.ts';
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
  /** Changes of stories, and removals, that are not yet in the ledger, oldest first. */
  readonly edits: readonly PendingEdit[];
  /** Waived findings that are not yet in the ledger, oldest first. */
  readonly waivers: readonly PendingWaiver[];
  /** When a person last asked to close the breaker, epoch ms; null once it is in the ledger. */
  readonly circuitReset: number | null;
}

type Entry<Kind extends SteeringEntry['kind']> = Extract<SteeringEntry, { kind: Kind }>;

export type PendingNote = Pick<Entry<'note'>, 'id' | 'text' | 'story' | 'at'>;
export type PendingAnswer = Pick<Entry<'answer'>, 'question' | 'text'>;
/** The ledger names the id once the story was added. */
export type PendingAddition = Pick<Entry<'add'>, 'id' | 'folder' | 'story' | 'at'>;
export type PendingEdit = Pick<Entry<'edit'>, 'id' | 'folder' | 'story' | 'fields' | 'at'>;
export type PendingWaiver = Pick<Entry<'waive'>, 'story' | 'finding' | 'reason' | 'at'>;

/** A person's decision about a story; `block` takes it out of the loop, `reject` sends its work back. */
export type StoryWord =
  | { readonly decision: StoryDecision }
  | { readonly decision: 'block'; readonly reason: string }
  | { readonly decision: 'reject'; readonly changes: readonly RequestedChange[] };

export type PendingDecision = StoryWord & Pick<Entry<'story'>, 'story' | 'at'>;

/**
 * Folds the requests of people into their current effect. Pausing, stopping and limits apply to one run; notes, answers
 * and decisions about stories are not tied to a run. A later request replaces an earlier one of the same kind, but a
 * question is answered once: the first answer holds. `resume` cancels a pause, and a stop that has not happened yet.
 *
 * A note is delivered once a counting iteration names it: one that was interrupted, or ended by a provider's limit,
 * starts again and needs the note again. An answer, or a request to close the breaker, is settled once the ledger has
 * it. A decision about a story is settled by any later one in the ledger, a request to add, change or remove a story by
 * the line that names it.
 *
 * @param entries in file order
 */
export function steeringOf(entries: readonly SteeringEntry[], ledger: readonly LedgerLine[], run: string): Steering {
  let paused = false;
  let stop: Steering['stop'] = null;
  let limits: Partial<RunLimits> = {};
  let circuitReset = Number.NEGATIVE_INFINITY;
  const notes = new Map<string, PendingNote>();
  const answers = new Map<string, PendingAnswer>();
  const decisions = new Map<string, PendingDecision>();
  const additions = new Map<string, PendingAddition>();
  const edits = new Map<string, PendingEdit>();
  const waivers = new Map<string, PendingWaiver>();
  for (const entry of entries) {
    if ('run' in entry && entry.run !== run) continue;
    const { id, at } = entry;
    if (entry.kind === 'pause') paused = true;
    else if (entry.kind === 'stop') stop = entry.now ? 'now' : 'after-iteration';
    else if (entry.kind === 'limits') limits = { ...limits, ...entry.limits };
    else if (entry.kind === 'note') {
      const { text, story } = entry;
      notes.set(id, { id, text, ...(story !== undefined && { story }), at });
    } else if (entry.kind === 'circuit-reset') circuitReset = at;
    else if (entry.kind === 'add') additions.set(id, { id, folder: entry.folder, story: entry.story, at });
    else if (entry.kind === 'edit') {
      const { folder, story, fields } = entry;
      edits.set(id, { id, folder, story, fields, at });
    } else if (entry.kind === 'resume') {
      paused = false;
      stop = null;
    } else if (entry.kind === 'answer') {
      const { question, text } = entry;
      if (!answers.has(question)) answers.set(question, { question, text });
    } else if (entry.kind === 'waive') {
      const { story, finding, reason } = entry;
      waivers.set(waiverKey(entry), { story, finding, reason, at });
    } else if (entry.kind === 'story' || entry.kind === 'block' || entry.kind === 'reject') {
      const { story } = entry;
      const word = wordOf(entry, decisions.get(story));
      // The latest decision comes last.
      decisions.delete(story);
      decisions.set(story, { story, ...word, at });
    }
  }
  // Asked several times per iteration, mostly without any message.
  for (const line of entries.length === 0 ? [] : ledger) {
    if (line.kind === 'circuit-reset' && circuitReset <= line.at) circuitReset = Number.NEGATIVE_INFINITY;
    if (line.kind === 'answer') answers.delete(line.question);
    if (line.kind === 'reset' && (decisions.get(line.story)?.at ?? 0) <= line.at) decisions.delete(line.story);
    if (line.kind === 'addition') {
      additions.delete(line.word);
      edits.delete(line.word);
    }
    if (line.kind === 'waiver' && (waivers.get(waiverKey(line))?.at ?? 0) <= line.at) waivers.delete(waiverKey(line));
    if (line.kind === 'iteration' && !isIgnored(line.verdict)) for (const id of line.steers ?? []) notes.delete(id);
  }
  return {
    paused,
    stop,
    limits,
    notes: [...notes.values()],
    answers: [...answers.values()],
    decisions: [...decisions.values()],
    additions: [...additions.values()],
    edits: [...edits.values()],
    waivers: [...waivers.values()],
    circuitReset: circuitReset === Number.NEGATIVE_INFINITY ? null : circuitReset,
  };
}

/** No requested change is lost to a second rejection that comes before the first one is applied. */
function wordOf(entry: Entry<'story' | 'block' | 'reject'>, before: StoryWord | undefined): StoryWord {
  if (entry.kind === 'story') return { decision: entry.decision };
  if (entry.kind === 'block') return { decision: 'block', reason: entry.reason };
  const earlier = before?.decision === 'reject' ? before.changes : [];
  return { decision: 'reject', changes: [...earlier, ...entry.changes] };
}

function waiverKey({ story, finding }: Pick<PendingWaiver, 'story' | 'finding'>): string {
  return JSON.stringify([story, finding]);
}

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
  if (bytes > LONGEST_NOTE) return `has ${bytes} bytes; the maximum is ${LONGEST_NOTE}`;
  const unsafe = UNSAFE.exec(text);
  return unsafe === null
    ? null
    : `contains the control character ${codePointOf(unsafe[0])} at position ${unsafe.index + 1}`;
}

/** The most changes of one rejection, and the longest name of a file. */
const MOST_CHANGES = 200;
const LONGEST_FILE = 1000;

/** Why changes cannot be requested, as the end of a sentence; null when they can. */
export function changesProblem(changes: readonly RequestedChange[]): string | null {
  if (changes.length === 0) return 'asks for no change';
  if (changes.length > MOST_CHANGES) return `asks for ${changes.length} changes; the maximum is ${MOST_CHANGES}`;
  for (const { text, file = 'a', line } of changes) {
    const problem = noteProblem(text);
    if (problem !== null) return problem;
    if (noteProblem(file) !== null || file.length > LONGEST_FILE || /[\n\t]/.test(file)) return 'names no usable file';
    if (line !== undefined && !(Number.isSafeInteger(line) && line > 0)) return `names line ${line}`;
  }
  return null;
}

/** `\u001b` → `U+001B` */
function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The limits of a run in display order: the flag as typed, and whether the limit can be removed entirely. */
const LIMITS: Readonly<
  Record<
    keyof RunLimits,
    { readonly flag: string; readonly show: (value: number) => string; readonly isOptional?: true }
  >
> = {
  maxIterations: { flag: '--max-iterations', show: String },
  calls: { flag: '--calls', show: (value) => `${value} per hour` },
  maxCost: { flag: '--max-cost', show: dollars, isOptional: true },
  maxTokens: { flag: '--max-tokens', show: String, isOptional: true },
  maxDurationMs: { flag: '--max-duration', show: elapsed, isOptional: true },
  storyMaxCost: { flag: '--story-max-cost', show: dollars, isOptional: true },
  storyMaxAttempts: { flag: '--story-max-attempts', show: String },
};

export const LIMIT_NAMES = Object.keys(LIMITS) as readonly (keyof RunLimits)[];

/** A limit and its value: `--max-cost $0.30`. */
export function limitText(limit: keyof RunLimits, value: number | null): string {
  return `${LIMITS[limit].flag} ${limitAmount(limit, value)}`;
}

export function limitAmount(limit: keyof RunLimits, value: number | null): string {
  return value === null ? 'none' : LIMITS[limit].show(value);
}

/** What is wrong with untyped limits, as a whole sentence; null when they can be set. */
export function limitsProblem(limits: Readonly<Record<string, unknown>>): string | null {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return 'no limit is given';
  for (const [name, value] of entries) {
    const limit = LIMIT_NAMES.find((one) => one === name);
    if (limit === undefined) return `there is no limit '${name.slice(0, 40)}'`;
    const { isOptional, show } = LIMITS[limit];
    if (value === null && isOptional) continue;
    const isAmount = show === dollars;
    const fits = typeof value === 'number' && value > 0 && value <= 1e12 && (isAmount || Number.isInteger(value));
    if (!fits) return `${name} takes ${isAmount ? 'an amount' : 'a whole number'} above 0`;
  }
  return null;
}
