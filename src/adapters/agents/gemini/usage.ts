import { NO_USAGE, type Usage } from '../../../contracts/model.ts';
import { asNumber, type Wire } from '../json-lines.ts';

/**
 * The `stats` of a result. `input_tokens` includes what came from the cache, and `output_tokens` leaves out the
 * thinking, which is billed as output: the total has both.
 */
export function usageOf(stats: Wire | null): Usage {
  if (!stats) return NO_USAGE;
  const count = (field: string) => Math.max(0, asNumber(stats[field]) ?? 0);
  const input = count('input_tokens');
  const cached = Math.min(count('cached'), input);
  return {
    inputTokens: input - cached,
    outputTokens: Math.max(count('output_tokens'), count('total_tokens') - input),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
}
