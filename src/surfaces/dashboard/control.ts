import * as z from 'zod';
import type { ControlAction, RequestedChange, RunLimits } from '../../contracts/index.ts';
import { changesProblem, noteProblem } from '../../rules/steering/index.ts';

const MOST_NAME = 500;
const WHOLE = 'must be a whole number above 0';
const AMOUNT = 'must be an amount of at least 0';

// Messages complete a sentence that begins with the name of the field.
const name = z.string('must be a string').min(1, 'is empty').max(MOST_NAME, 'is too long');
const amount = z.number(AMOUNT).min(0, AMOUNT).max(1e9, 'is too large');
const count = z.int(WHOLE).min(1, WHOLE).max(1e12, 'is too large');
const truth = z.boolean('must be true or false');

/** A text for a prompt, validated as on the command line. */
const text = z.string('must be a string').superRefine((value, context) => {
  const problem = noteProblem(value.replaceAll('\r\n', '\n').trim());
  if (problem !== null) context.addIssue({ code: 'custom', message: problem });
});

const LIMITS = {
  maxIterations: count.optional(),
  calls: count.optional(),
  maxCost: amount.nullable().optional(),
  maxTokens: count.nullable().optional(),
  maxDurationMs: count.nullable().optional(),
  storyMaxCost: amount.nullable().optional(),
  storyMaxAttempts: count.optional(),
} satisfies Record<keyof RunLimits, z.ZodType>;

const PLAIN = ['pause', 'resume', 'reset-circuit'] as const;
const actions = [
  z.strictObject({ do: z.enum(PLAIN) }),
  z.strictObject({ do: z.literal('stop'), now: truth }),
  z.strictObject({ do: z.literal('note'), text }),
  z.strictObject({ do: z.literal('limits'), limits: z.strictObject(LIMITS, 'must be an object') }),
  z.strictObject({ do: z.literal('answer'), question: name, text, run: name }),
  z.strictObject({
    do: z.literal('story'),
    story: name,
    title: z.string('must be a string').max(10_000, 'is too long'),
    run: name,
    decision: z.enum(['approve', 'reopen'], 'must be approve or reopen'),
  }),
  z
    .strictObject({
      do: z.literal('reject'),
      story: name,
      title: z.string('must be a string').max(10_000, 'is too long'),
      run: name,
      changes: z.array(
        z.strictObject({ text: z.string('must be a string'), file: name.optional(), line: count.optional() }),
      ),
    })
    .superRefine(({ changes }, context) => {
      const problem = changesProblem(changes as readonly RequestedChange[]);
      if (problem !== null) context.addIssue({ code: 'custom', path: ['the rejection'], message: problem });
    }),
] as const;

const WORDS: readonly ControlAction['do'][] = [...PLAIN, 'stop', 'note', 'limits', 'answer', 'story', 'reject'];
const actionSchema = z.discriminatedUnion('do', actions);

/** Names of fields for people, where they differ. */
const FIELDS: Readonly<Record<string, string>> = {
  maxIterations: 'iterations',
  maxCost: 'cost',
  maxTokens: 'tokens',
  maxDurationMs: 'duration',
  storyMaxCost: 'cost of a story',
  storyMaxAttempts: 'attempts of a story',
};

/** The action in a request's body, or what is wrong with it, as a sentence. */
export function readAction(body: string): { readonly action: ControlAction } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { problem: 'the body is not JSON' };
  }
  const read = actionSchema.safeParse(value);
  if (read.success) return { action: read.data as ControlAction };
  const [issue] = read.error.issues;
  return { problem: issue === undefined ? 'this is not an action' : sentenceOf(issue, value) };
}

function sentenceOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'unrecognized_keys') return `there is no field '${issue.keys[0]?.slice(0, 40)}' here`;
  const field = issue.path.at(-1);
  if (field === undefined) return 'an action is an object: {"do": "pause"}';
  if (field === 'do') return `do must be one of ${WORDS.join(', ')}`;
  return `${wordOf(String(field), value)} ${issue.message}`;
}

function wordOf(field: string, value: unknown): string {
  // The name on the command line.
  if (field === 'text') return `the ${(value as ControlAction).do}`;
  return FIELDS[field] ?? field;
}
