import type { AgentErrorKind } from '../../contracts/agent.ts';
import type { LedgerIteration } from '../../contracts/state/ledger.ts';
import type { GateInput, Routing } from './api.ts';

const MINUTE = 60_000;
/** Waits between tries where the provider does not say when its limit ends, milliseconds. */
const SHORTEST_BACKOFF = MINUTE;
const LONGEST_BACKOFF = 30 * MINUTE;

/** What waiting does not mend. */
const LASTING: ReadonlySet<AgentErrorKind> = new Set(['auth', 'model', 'unavailable']);

/** Whether an agent can be used. */
interface Standing {
  readonly agent: string;
  /** Why it cannot in this run; null when it can. */
  readonly out: string | null;
  /** Its provider's limit; null without one. */
  readonly limit: Limit | null;
}

interface Limit {
  /** Epoch ms from which it may be tried again. */
  readonly until: number;
  readonly kind: string;
  /** As the provider said, epoch ms. */
  readonly resetsAt: number | null;
  /** Refusals in a row without a time to wait for. */
  readonly vague: number;
}

/**
 * Which agent does the next iteration, from how the last ones of each agent ended: in the order of the list, without
 * those that cannot be used in this run, and without those that are at their provider's limit where others may help.
 */
export function routeAgent({
  ledger,
  run,
  now,
  agents,
  onUsageLimit,
}: Pick<GateInput, 'ledger' | 'run' | 'now' | 'agents' | 'onUsageLimit'>): Routing {
  const lines = ledger.filter((line): line is LedgerIteration => line.kind === 'iteration');
  const standings = agents.map((agent) => standingOf(agent, lines, run));
  const able = standings.filter(({ out }) => out === null);
  const [first] = able;
  if (first === undefined) return { kind: 'end', cause: 'unavailable', reason: standings.map(because).join('; ') };
  const policy = onUsageLimit ?? (agents.length > 1 ? 'fallback' : 'wait');
  const free = (policy === 'fallback' ? able : [first]).find((standing) => freeAt(standing) <= now);
  if (free !== undefined) {
    const passedOver = standings.slice(0, standings.indexOf(free));
    return { kind: 'use', agent: free.agent, reason: passedOver.map(because).join('; ') };
  }
  if (policy === 'stop') return { kind: 'end', cause: 'limit', reason: because(first) };
  const candidates = policy === 'fallback' ? able : [first];
  const next = candidates.reduce((best, standing) => (freeAt(standing) < freeAt(best) ? standing : best), first);
  return { kind: 'wait', agent: next.agent, until: freeAt(next), reason: candidates.map(because).join('; ') };
}

function freeAt({ limit }: Standing): number {
  return limit?.until ?? Number.NEGATIVE_INFINITY;
}

function because({ agent, out, limit }: Standing): string {
  if (out !== null) return `${agent}: ${out}`;
  return `${agent} is at its provider's limit${limit === null ? '' : ` (${limit.kind.replaceAll('_', ' ')})`}`;
}

function standingOf(agent: string, lines: readonly LedgerIteration[], run: string): Standing {
  let out: string | null = null;
  let limit: Limit | null = null;
  for (const line of lines) {
    if (line.agent !== agent || line.verdict === 'interrupted') continue;
    if (line.verdict !== 'limited') limit = null;
    else if (line.error === null || !LASTING.has(line.error.kind)) limit = limitAfter(line, limit);
    // In an earlier run a person has had time to mend it.
    else if (line.run === run) out = line.error.message || line.error.kind;
  }
  return { agent, out, limit };
}

/** A time to come that was not waited for before is believed; everything else backs off. */
function limitAfter({ limit, startedAt, durationMs }: LedgerIteration, before: Limit | null): Limit {
  const rejected = limit?.status === 'rejected' ? limit : null;
  const resetsAt = rejected?.resetsAt ?? null;
  const kind = rejected?.kind ?? 'limit';
  const end = startedAt + durationMs;
  const isNews = resetsAt !== null && (before === null || (resetsAt > end && resetsAt !== before.resetsAt));
  if (isNews) return { until: resetsAt, kind, resetsAt, vague: 0 };
  const vague = (before?.vague ?? 0) + 1;
  const backoff = Math.min(SHORTEST_BACKOFF * 2 ** (vague - 1), LONGEST_BACKOFF);
  return { until: Math.max(resetsAt ?? 0, end + backoff), kind, resetsAt, vague };
}
