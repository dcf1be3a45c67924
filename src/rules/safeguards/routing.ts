import type { AgentErrorKind, LedgerIteration } from '../../contracts/index.ts';
import { limitText, shortLine } from '../text/index.ts';
import type { GateInput, Routing } from './api.ts';
import { growing } from './growing.ts';

const MINUTE = 60_000;
/** Longest cause of a failed connection that a line shows, in characters. */
const LONGEST_CAUSE = 200;

/** Waits between tries, in milliseconds, when the provider names no end of its limit; less if all waits are capped. */
const SHORTEST_BACKOFF = MINUTE;
const LONGEST_BACKOFF = 30 * MINUTE;

/** Errors that waiting does not fix. */
const LASTING: ReadonlySet<AgentErrorKind> = new Set(['auth', 'model', 'unavailable']);

type Ending = Extract<Routing, { kind: 'end' }>['cause'];

/** Whether an agent can be used. */
interface Standing {
  readonly agent: string;
  /** Why it cannot be used in this run; null when it can. */
  readonly out: { readonly why: string; readonly cause: Ending } | null;
  /** Its provider's limit or failed connection; null when there is neither. */
  readonly limit: Limit | null;
}

interface Limit {
  /** Epoch ms from which it may be tried again. */
  readonly until: number;
  readonly kind: string;
  /** Why the provider could not be reached; null when it refused. */
  readonly network: string | null;
  /** As reported by the provider, epoch ms. */
  readonly resetsAt: number | null;
  /** Consecutive refusals without a time to wait for. */
  readonly vague: number;
  /** Consecutive waits without a time from the provider, in this run, milliseconds. */
  readonly waitedMs: number;
  /** Those waits have reached their maximum, and the agent was refused again. */
  readonly isSpent: boolean;
}

type RouteInput = Pick<GateInput, 'ledger' | 'run' | 'now' | 'agents' | 'onUsageLimit' | 'maxWaitMs'>;

/**
 * The agent for the next iteration, from how each agent's last iterations ended: in list order, without those that
 * cannot be used in this run, and without those that must be waited for if others may help.
 */
export function routeAgent({ ledger, run, now, agents, onUsageLimit, maxWaitMs }: RouteInput): Routing {
  const turns = turnsOf(ledger);
  const standings = agents.map((agent) => standingOf(agent, turns.get(agent) ?? [], run, maxWaitMs));
  const able = standings.filter(({ out }) => out === null);
  const [first] = able;
  if (first === undefined) return { kind: 'end', cause: causeOf(standings), reason: standings.map(because).join('; ') };
  const policy = onUsageLimit ?? (agents.length > 1 ? 'fallback' : 'wait');
  const free = (policy === 'fallback' ? able : [first]).find((standing) => freeAt(standing) <= now);
  if (free !== undefined) {
    const passedOver = standings.slice(0, standings.indexOf(free));
    return { kind: 'use', agent: free.agent, reason: passedOver.map(because).join('; ') };
  }
  // A network that is down is not a limit: a run that stops at limits continues after it.
  if (policy === 'stop' && first.limit?.network === null)
    return { kind: 'end', cause: 'limit', reason: because(first) };
  const candidates = policy === 'fallback' ? able : [first];
  const next = candidates.reduce((best, standing) => (freeAt(standing) < freeAt(best) ? standing : best), first);
  return { kind: 'wait', agent: next.agent, until: freeAt(next), reason: candidates.map(because).join('; ') };
}

function freeAt({ limit }: Standing): number {
  return limit?.until ?? Number.NEGATIVE_INFINITY;
}

/** An agent whose wait ran out explains the end better than one that could never be used. */
function causeOf(standings: readonly Standing[]): Ending {
  const causes = standings.map(({ out }) => out?.cause);
  return (['waited', 'unreachable'] as const).find((cause) => causes.includes(cause)) ?? 'unavailable';
}

function because({ agent, out, limit }: Standing): string {
  if (out !== null) return `${agent}: ${out.why}`;
  return limit === null ? agent : `${agent} ${troubleOf(limit)}`;
}

function troubleOf({ network, kind }: Limit): string {
  if (network !== null) return `cannot reach its provider: ${network}`;
  return `has reached its ${limitText(kind)}`;
}

/** Of each agent: iterations that a limit ended, and the first after them that none did. */
const turnsOf = growing(
  () => new Map<string, LedgerIteration[]>(),
  (agents, line) => {
    if (line.kind !== 'iteration' || line.verdict === 'interrupted') return;
    const own = agents.get(line.agent) ?? [];
    if (line.verdict === 'limited' || own.at(-1)?.verdict === 'limited') own.push(line);
    agents.set(line.agent, own);
  },
);

function standingOf(agent: string, lines: readonly LedgerIteration[], run: string, maxWaitMs: number): Standing {
  let out: Standing['out'] = null;
  let limit: Limit | null = null;
  for (const line of lines) {
    const isOfRun = line.run === run;
    const kind = line.verdict === 'limited' ? (line.error?.kind ?? 'limit') : null;
    if (kind === null) limit = null;
    // After an earlier run, a person has had time to fix it.
    else if (LASTING.has(kind)) out = isOfRun ? { why: line.error?.message || kind, cause: 'unavailable' } : out;
    else if (isOfRun || kind !== 'network') limit = limitAfter(line, limit, isOfRun, maxWaitMs);
  }
  if (out === null && limit?.isSpent) {
    const why = `${troubleOf(limit)}; the time limit \`transient.maxWait\` is used up`;
    out = { why, cause: limit.network === null ? 'waited' : 'unreachable' };
  }
  return { agent, out, limit };
}

/** A future time that was not yet waited for is trusted; everything else backs off, up to the total allowed wait. */
function limitAfter(line: LedgerIteration, before: Limit | null, isOfRun: boolean, maxWaitMs: number): Limit {
  const { limit, startedAt, durationMs, error } = line;
  const rejected = limit?.status === 'rejected' ? limit : null;
  const resetsAt = rejected?.resetsAt ?? null;
  const kind = rejected?.kind ?? 'limit';
  const network = error?.kind === 'network' ? shortLine(error.message, LONGEST_CAUSE) : null;
  const end = startedAt + durationMs;
  const shortest = Math.min(SHORTEST_BACKOFF, maxWaitMs / 360);
  const waited = isOfRun ? (before?.waitedMs ?? 0) : 0;
  const isSpent = isOfRun && waited >= maxWaitMs;
  const isNews = resetsAt !== null && (before === null || (resetsAt > end && resetsAt !== before.resetsAt));
  if (isNews) {
    // Otherwise a provider whose times are always a moment ahead would be asked for ever.
    const missing = Math.max(0, shortest - Math.max(0, resetsAt - end));
    const waitedMs = waited + missing;
    return { until: resetsAt, kind, network, resetsAt, vague: 0, waitedMs, isSpent: isSpent && missing > 0 };
  }
  const vague = (before?.vague ?? 0) + 1;
  const longest = Math.min(LONGEST_BACKOFF, maxWaitMs / 12);
  const backoff = Math.min(shortest * 2 ** (vague - 1), longest, Math.max(shortest, maxWaitMs - waited));
  const until = Math.max(resetsAt ?? 0, end + backoff);
  return { until, kind, network, resetsAt, vague, waitedMs: isOfRun ? waited + backoff : 0, isSpent };
}
