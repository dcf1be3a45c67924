import type { ProviderLimit } from '../../../contracts/agent.ts';
import { asNumber, asObject, asText, type Wire } from '../json-lines.ts';

/** The limit in a `rate_limit_event`; null while everything is allowed. Only subscriptions send these. */
export function limitOf(event: Wire): ProviderLimit | null {
  const info = asObject(event['rate_limit_info']);
  const status = asText(info?.['status']);
  if (!info || (status !== 'rejected' && status !== 'allowed_warning')) return null;
  const resetsAt = asNumber(info['resetsAt']);
  return {
    status: status === 'rejected' ? 'rejected' : 'warning',
    kind: asText(info['rateLimitType']) ?? 'rate_limit',
    // The client speaks in epoch seconds.
    resetsAt: resetsAt === null ? null : resetsAt * 1000,
  };
}
