import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Endpoint,
  type HostPattern,
  isLoopback,
  type Match,
  matches,
  parseAuthority,
} from '../../../rules/isolation/index.ts';
import type { Refusal } from '../port.ts';
import { type Answer, notListed, refusal } from './answer.ts';
import type { Upstream } from './upstream.ts';
import { reach } from './upstream.ts';

/** The list's entry for an endpoint; without one, the refusal is reported to the run and its answer is returned. */
export function judge(egress: Egress, target: Endpoint): Match | Answer {
  return matches(egress.patterns, target) ?? refuse(egress, target, whyNotListed(egress, target));
}

/** Reports a refusal to the run, and returns the answer for it. */
export function refuse({ onRefusal }: Egress, { host, port }: Endpoint, reason: string): Answer {
  onRefusal({ host, port, reason });
  return refusal({ host, port }, reason);
}

/** A connection to an endpoint that {@link judge} let through. Its addresses are judged as well. */
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

/** Tells the proxy's own answer from the requested result. */
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

/** Where a request wants to go. */
interface RequestTarget {
  readonly endpoint: Endpoint;
  /** The request to the server: path and query, as the client wrote them. */
  readonly path: string;
}

/**
 * Reads only the request line: the Host header is for the server. `tunnelled` is the endpoint of the tunnel that the
 * request came through; then the line contains only a path.
 */
export function requestTarget({ url = '' }: IncomingMessage, tunnelled: Endpoint | null): RequestTarget | Answer {
  if (tunnelled !== null) {
    return url.startsWith('/') ? { endpoint: tunnelled, path: url } : bad('in a tunnel a request names a path only');
  }
  if (url.startsWith('/')) return bad('this is a proxy: requests name a whole http:// URL');
  const [, authority, path = ''] = /^http:\/\/([^/?#\\]*)([/?][^#]*)?$/i.exec(url) ?? [];
  if (authority === undefined) return bad('a proxy takes http:// URLs; https goes through CONNECT');
  if (authority.includes('@')) return bad('a login does not belong into a URL; send it in a header');
  const endpoint = parseAuthority(authority, 80);
  if (endpoint === null) return bad('this URL names no host');
  return { endpoint, path: path.startsWith('/') ? path : `/${path}` };
}

function bad(text: string): Answer {
  return { status: 400, text };
}

/** What every request is judged by. */
export interface Egress {
  readonly patterns: readonly HostPattern[];
  /** The user's environment: names the proxy between this machine and the network. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onRefusal: (refusal: Refusal) => void;
  /** Treats the data on this connection as requests for one host: a tunnel to a plain HTTP port. */
  readonly serveTunnel: (socket: Socket, target: Endpoint) => void;
}
