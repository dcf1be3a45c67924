import type { Usage } from '../../../contracts/model.ts';
import { asNumber, type Wire } from '../json-lines.ts';

/** The `usage` of a turn: input tokens include those from and into the cache, output tokens the reasoning. */
export function turnUsage(wire: Wire): Usage {
  const count = (field: string) => Math.max(0, asNumber(wire[field]) ?? 0);
  const input = count('input_tokens');
  const read = Math.min(count('cached_input_tokens'), input);
  const written = Math.min(count('cache_write_input_tokens'), input - read);
  return {
    inputTokens: input - read - written,
    outputTokens: count('output_tokens'),
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}
