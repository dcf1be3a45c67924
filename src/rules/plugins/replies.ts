import type { Analysis, TestJudgement, TestOutcome } from '../../plugins/plugin.ts';

/** What an analyzer found, every field there. */
export interface Found {
  readonly completion: boolean;
  readonly blocked: string | null;
  readonly notes: readonly string[];
}

/** How a plugin judged a test run, every field there. */
export interface Judged {
  readonly outcome: TestOutcome;
  readonly passed: number | null;
  readonly failed: number | null;
  readonly confidence: number;
}

/** A reply of the right shape, or in a few words what is wrong with it. */
export type Checked<T> = { readonly value: T } | { readonly wrong: string };

/** What a plugin may say goes into prompts, the ledger and the summary of a run: it has to end somewhere. */
const MOST_CHARACTERS = 2_000;
const MOST_NOTES = 10;

const OUTCOMES: readonly TestOutcome[] = ['pass', 'fail', 'error', 'no-tests'];

/** The reply of an analyzer; null when it found nothing. */
export function checkAnalysis(reply: unknown): Checked<Found | null> {
  if (reply === null || reply === undefined) return { value: null };
  if (!isObject(reply)) return { wrong: `an analysis is an object or null, not ${kindOf(reply)}` };
  const { completion = false, blocked = null, notes = [] } = reply as { readonly [Key in keyof Analysis]?: unknown };
  if (typeof completion !== 'boolean') return { wrong: `completion is true or false, not ${kindOf(completion)}` };
  if (blocked !== null && typeof blocked !== 'string')
    return { wrong: `blocked is a sentence, not ${kindOf(blocked)}` };
  if (!Array.isArray(notes) || !notes.every((note) => typeof note === 'string'))
    return { wrong: 'notes is a list of texts' };
  const said = notes.map(shortened).filter((note) => note !== '');
  return {
    value: {
      completion,
      blocked: blocked === null ? null : shortened(blocked) || null,
      notes: said.slice(0, MOST_NOTES),
    },
  };
}

/** The reply of an exit condition: its reason to end the run, or null. */
export function checkReason(reply: unknown): Checked<string | null> {
  if (reply === null || reply === undefined) return { value: null };
  if (typeof reply !== 'string')
    return { wrong: `a reason to end the run is a sentence or null, not ${kindOf(reply)}` };
  return { value: shortened(reply) || 'it gave no reason' };
}

/** The reply of a test detector; null when the command was none of its business. */
export function checkJudgement(reply: unknown): Checked<Judged | null> {
  if (reply === null || reply === undefined) return { value: null };
  if (!isObject(reply)) return { wrong: `a judgement is an object or null, not ${kindOf(reply)}` };
  const {
    passed = null,
    failed = null,
    confidence = 0.9,
    ...rest
  } = reply as {
    readonly [Key in keyof TestJudgement]?: unknown;
  };
  const outcome = OUTCOMES.find((one) => one === rest.outcome);
  if (!outcome) return { wrong: `outcome is one of ${OUTCOMES.join(', ')}` };
  if (!isCount(passed) || !isCount(failed)) return { wrong: 'passed and failed are counts of tests, or null' };
  if (typeof confidence !== 'number' || !(confidence >= 0 && confidence <= 1))
    return { wrong: 'confidence is a number from 0 to 1' };
  return { value: { outcome, passed, failed, confidence } };
}

/** What several analyzers found, as one; the first that says blocked is heard. */
export function joined(found: readonly Found[]): Found {
  return {
    completion: found.some(({ completion }) => completion),
    blocked: found.find(({ blocked }) => blocked !== null)?.blocked ?? null,
    notes: found.flatMap(({ notes }) => notes).slice(0, MOST_NOTES),
  };
}

function isCount(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : `a ${typeof value}`;
}

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MOST_CHARACTERS ? `${trimmed.slice(0, MOST_CHARACTERS)}…` : trimmed;
}
