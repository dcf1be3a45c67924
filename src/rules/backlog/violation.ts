import type { Violation } from '../../contracts/model.ts';

interface Broken {
  readonly rule: string;
  readonly story?: string;
  readonly field?: string;
  readonly from?: unknown;
  readonly to?: unknown;
  /** What the agent should do instead; one sentence. */
  readonly instead: string;
}

/** A violation whose message names the story, the field, old → new (where something moved) and what to do instead. */
export function violation({ instead, ...facts }: Broken): Violation {
  const subject = [facts.story, facts.field].filter((part) => part !== undefined).join(' ');
  const moved = 'from' in facts || 'to' in facts;
  const head = moved ? `${subject} ${show(facts.from)} → ${show(facts.to)} is not allowed` : subject;
  return { ...facts, message: head === '' ? instead : `${head}: ${instead}` };
}

const SHOWN = 80;

/** A field's value as it appears in a message: JSON, cut short. */
function show(value: unknown): string {
  if (value === undefined) return '(absent)';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
