import type { EndReason, LedgerLine, RunRecord, WaitReason } from '../../contracts/index.ts';
import type { Breaker, Gate, GateInput, Routing } from './api.ts';
import { iterationsUsed } from './attempts.ts';
import { breakerOf } from './breaker.ts';
import { budgetText, rateOf, runOverrun, sharedOverrun, spentBy } from './budgets.ts';
import { totalsOf } from './growing.ts';
import { routeAgent } from './routing.ts';

type Closed = Exclude<Gate, { kind: 'open' }>;

/**
 * Whether an iteration may start, and with which agent. The first rule that applies decides: rules that end the run
 * come before rules that wait for a person, and those before rules that wait for a time.
 */
export function gate(input: GateInput): Gate {
  const breaker = breakerOf(input.ledger, input.circuit);
  const closed = stopped(input) ?? spent(input) ?? broken(input, breaker) ?? paused(input) ?? usedUp(input);
  if (closed !== null) return closed;
  const routing = routeAgent(input);
  if (routing.kind !== 'use') return withoutAgent(routing);
  const { agent, reason } = routing;
  return tooMany(input) ?? { kind: 'open', agent, reason, breaker };
}

function stopped({ stopAsked }: GateInput): Closed | null {
  return stopAsked ? end('stopped', 'it was asked to stop (`ralph stop`)') : null;
}

function spent({ ledger, run, aliveMs, limits, shared }: GateInput): Closed | null {
  const overrun = runOverrun({ spent: spentBy(ledger, run), aliveMs, limits }) ?? sharedOverrun(shared);
  if (overrun === null) return null;
  return { kind: 'end', reason: 'budget', text: budgetText(overrun, null), overrun };
}

function broken({ circuit, now }: GateInput, { state, since, reason }: Breaker): Closed | null {
  if (state !== 'open' || since === null) return null;
  if (circuit.cooldownMs === null) return end('circuit', reason);
  const until = since + circuit.cooldownMs;
  if (until <= now) return null;
  return wait(
    'cooldown',
    until,
    `the circuit is open: ${reason}. After the cool-down one iteration may try again; \`ralph stop\` ends the run instead`,
  );
}

function paused(input: GateInput): Closed | null {
  return input.paused ? wait('pause', null, 'paused; `ralph resume` continues, `ralph stop` ends it') : null;
}

function usedUp({ ledger, run, limits: { maxIterations } }: GateInput): Closed | null {
  if (iterationsUsed(ledger, run) < maxIterations) return null;
  return end(
    'iterations',
    `${maxIterations === 1 ? 'the only iteration is' : `all ${maxIterations} iterations are`} used; \`ralph run -n N\` sets the limit`,
  );
}

function withoutAgent(routing: Exclude<Routing, { kind: 'use' }>): Closed {
  if (routing.kind === 'wait')
    return wait('limit', routing.until, `${routing.reason}; \`ralph stop\` ends the run instead`);
  const [reason, fix] = ENDS[routing.cause];
  return end(reason, `${routing.reason}${fix}`);
}

/** The end reason of a run when no agent can be used or waited for, and what the user can do. */
const ENDS: Readonly<Record<Extract<Routing, { kind: 'end' }>['cause'], readonly [EndReason, string]>> = {
  limit: ['limit', '; `onUsageLimit` says what happens then: wait, fallback or stop'],
  waited: ['limit', '; start again when the provider answers'],
  unavailable: ['unavailable', '; `ralph doctor` says what is missing'],
  unreachable: ['unavailable', '; check the network and the address of the provider, then start again'],
};

function tooMany({ ledger, now, limits }: GateInput): Closed | null {
  const { used, limit, freeAt } = rateOf({ ledger, now, limit: limits.calls });
  if (freeAt === null) return null;
  const text = `${used === 1 ? '1 agent process was' : `${used} agent processes were`} started within the last hour, the limit is ${limit}; \`ralph steer --calls N\` changes it, \`ralph stop\` ends the run instead`;
  return wait('rate', freeAt, text);
}

function wait(why: WaitReason, until: number | null, text: string): Closed {
  return { kind: 'wait', why, until, text };
}

function end(reason: EndReason, text: string): Closed {
  return { kind: 'end', reason, text, overrun: null };
}

/**
 * How long a run has lived, in milliseconds: its finished iterations, its waits, and the current iteration. Time when
 * no process was running does not count, so that a run resumed in the morning does not find its budget spent.
 * @param now epoch ms of a live run; null for a run that was cut off: its clock has stopped
 */
export function livedMs(
  { run, waiting, waitedMs = 0 }: Pick<RunRecord, 'run' | 'waiting' | 'waitedMs'>,
  ledger: readonly LedgerLine[],
  now: number | null,
): number {
  const worked = totalsOf(ledger, run).durationMs;
  if (!waiting || now === null) return worked + waitedMs;
  // Time after the end of a wait does not count: no process was running.
  const seen = Math.min(now, waiting.until ?? now);
  return worked + waitedMs + Math.max(0, seen - waiting.since);
}
