import type { Usage } from '../../../contracts/model.ts';
import { asNumber, asObject, type Wire } from '../json-lines.ts';

/** The `tokens` of a finished step: each kind apart, reasoning beside the output that it is billed as. */
export function stepUsage(tokens: Wire): Usage {
  const cache = asObject(tokens['cache']) ?? {};
  return {
    inputTokens: count(tokens['input']),
    outputTokens: count(tokens['output']) + count(tokens['reasoning']),
    cacheReadTokens: count(cache['read']),
    cacheWriteTokens: count(cache['write']),
  };
}

/** What the step put into the model's window. */
export function contextOf(usage: Usage): number {
  return usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
}

function count(value: unknown): number {
  return Math.max(0, asNumber(value) ?? 0);
}
