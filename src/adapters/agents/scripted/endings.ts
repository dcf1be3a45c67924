import type { ProviderLimit } from '../../../contracts/agent.ts';
import type { ActionInput } from './scenario-schema.ts';
import { emit, type Stage } from './stage.ts';

/** The actions by which an agent ends badly, or does not end. */

/** A warning is only told; a rejection ends the performance. `in` counts from now. */
export async function limit(input: ActionInput<'limit'>, stage: Stage): Promise<void> {
  const event: ProviderLimit = { status: input.status, kind: input.kind, resetsAt: resetTime(input) };
  emit({ type: 'limit', limit: event });
  if (event.status === 'rejected') {
    stage.ending = { error: { kind: 'limit', message: `usage limit reached: ${event.kind}` }, limit: event };
  }
}

function resetTime(input: ActionInput<'limit'>): number | null {
  if (input.resetsAt !== undefined) return Date.parse(input.resetsAt);
  return input.in === undefined ? null : Date.now() + input.in;
}

export async function fail(input: ActionInput<'fail'>, stage: Stage): Promise<void> {
  stage.ending = { error: input, limit: null };
}

/** Ends with success and not a word, whatever was said before. */
export async function empty(_input: ActionInput<'empty'>, stage: Stage): Promise<void> {
  stage.said.length = 0;
  stage.ending = { error: null, limit: null };
}

/** Ends the process on the spot, without a result. */
export async function crash(input: ActionInput<'crash'>): Promise<void> {
  if ('exit' in input) process.exit(input.exit);
  process.kill(process.pid, input.signal);
  await hang();
}

export async function hang(): Promise<void> {
  await new Promise(() => setInterval(() => undefined, 3_600_000));
}

export async function ignoreTerm(): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
}
