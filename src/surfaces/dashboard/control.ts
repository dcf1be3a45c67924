import * as z from 'zod';
import type { ControlAction } from '../../contracts/control.ts';

/** Of a note or an answer, in characters: a prompt carries it. */
const MOST_TEXT = 20_000;
const MOST_NAME = 500;

const name = z.string().min(1).max(MOST_NAME);
const text = z.string().min(1).max(MOST_TEXT);
const amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const count = z.int().min(1);

const limits = z.strictObject({
  maxIterations: count.optional(),
  calls: count.optional(),
  maxCost: amount.nullable().optional(),
  maxTokens: count.nullable().optional(),
  maxDurationMs: count.nullable().optional(),
  storyMaxCost: amount.nullable().optional(),
  storyMaxAttempts: count.optional(),
});

const actionSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.enum(['pause', 'resume', 'reset-circuit']) }),
  z.strictObject({ do: z.literal('stop'), now: z.boolean() }),
  z.strictObject({ do: z.literal('note'), text }),
  z.strictObject({ do: z.literal('limits'), limits }),
  z.strictObject({ do: z.literal('answer'), question: name, text }),
  z.strictObject({ do: z.literal('story'), story: name, decision: z.enum(['approve', 'reopen']) }),
]);

/** The action in a request's body, or what is wrong with it. */
export function readAction(body: string): { readonly action: ControlAction } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { problem: 'the body is no JSON' };
  }
  const read = actionSchema.safeParse(value);
  if (read.success) return { action: read.data as ControlAction };
  const [issue] = read.error.issues;
  return { problem: `${issue?.path.join('.') || 'the action'}: ${issue?.message ?? 'not known'}` };
}
