import type { Socket } from 'node:net';
import { type Endpoint, isLoopback, type Match, matches } from '../../../rules/isolation/hosts.ts';
import { type Answer, notListed, refusal } from './answer.ts';
import type { Egress } from './basis.ts';
import { reach } from './reach.ts';
import type { Upstream } from './upstream.ts';

/** What the list says about an endpoint; where it has nothing, the run is told and the answer comes back. */
export function judge(egress: Egress, target: Endpoint): Match | Answer {
  return matches(egress.patterns, target) ?? refuse(egress, target, whyNotListed(egress, target));
}

/** Tells the run of a refusal, and gives the answer for it. */
export function refuse({ onRefusal }: Egress, { host, port }: Endpoint, reason: string): Answer {
  onRefusal({ host, port, reason });
  return refusal({ host, port }, reason);
}

/** A connection to an endpoint that {@link judge} let through. Its addresses are judged too. */
export async function connectTo(
  egress: Egress,
  target: Endpoint,
  match: Match,
  upstream: Upstream | null,
): Promise<Socket | Answer> {
  const reached = await reach(target, match, upstream);
  if (reached.kind === 'socket') return reached.socket;
  if (reached.kind === 'refused') return refuse(egress, target, reached.reason);
  return { status: reached.status, text: `ralph let this through, but ${reached.reason}` };
}

/** Tells an answer of the proxy's own from what was asked for. */
export function isAnswer(result: object): result is Answer {
  return 'status' in result && 'text' in result;
}

function whyNotListed({ patterns }: Egress, target: Endpoint): string {
  if (isLoopback(target.host)) {
    return `port ${target.port} of this machine is not shared with this run; a person can add it: isolation.localPorts in ralph.config.json`;
  }
  const elsewhere = patterns.some(({ port }) => matches(patterns, { ...target, port: port ?? 443 }) !== null);
  return notListed(target, elsewhere);
}
