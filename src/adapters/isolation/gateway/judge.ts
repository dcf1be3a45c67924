import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  authorityText,
  type Endpoint,
  type HostPattern,
  isLoopback,
  type Match,
  matches,
  parseAuthority,
} from '../../../rules/isolation/index.ts';
import type { Env, Refusal } from '../port.ts';

/** The proxy's own answer, in a sentence for its reader: mostly an agent. */
export interface Answer {
  readonly status: 400 | 401 | 403 | 408 | 431 | 501 | 502 | 504;
  readonly text: string;
}

export function answerHeaders({ text }: Answer): string[] {
  const length = String(Buffer.byteLength(`${text}\n`));
  // `Via` tells them from the server's.
  return [
    ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', length],
    ...['Via', '1.1 ralph', 'Connection', 'close'],
  ];
}

export function answer(socket: Duplex, { status, text }: Answer): void {
  const headers = answerHeaders({ status, text });
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
  hangUp(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}\n`);
}

/** Time for the other end to read the last words. */
const LINGER_MS = 2_000;

/**
 * Sends the last words and ends a connection. Data that still arrives is read and dropped: unread, it would hide that
 * the other end has closed, and closing with unread data would discard the last words.
 */
export function hangUp(socket: Duplex, words: string | Buffer = ''): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume().end(words);
}

/** The list's entry for an endpoint; without one, the refusal is reported to the run and its answer is returned. */
export function judge(egress: Egress, target: Endpoint): Match | Answer {
  return matches(egress.patterns, target) ?? refuse(egress, target, whyNotListed(egress, target));
}

/** Reports a refusal to the run, and returns the answer for it. */
export function refuse({ onRefusal }: Pick<Egress, 'onRefusal'>, { host, port }: Endpoint, reason: string): Answer {
  onRefusal({ host, port, reason });
  return { status: 403, text: `ralph refused ${authorityText({ host, port })}: ${reason}` };
}

/** Tells the proxy's own answer from the requested result. */
export function isAnswer(result: object): result is Answer {
  return 'status' in result && 'text' in result;
}

function whyNotListed({ patterns }: Egress, target: Endpoint): string {
  if (isLoopback(target.host)) {
    return `port ${target.port} of this machine is not shared with this run; the user can add it: isolation.localPorts in ralph.config.json`;
  }
  const hostIsListed = patterns.some(({ port }) => matches(patterns, { ...target, port: port ?? 443 }) !== null);
  const usual = target.port === 80 || target.port === 443;
  const entry = authorityText(target, usual ? target.port : undefined);
  const subject = hostIsListed ? `port ${target.port} of ${target.host}` : entry;
  return `${subject} is not on the allow-list of this run; the user can add it: isolation.allowHosts ["${entry}"] in ralph.config.json`;
}

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
  if (authority.includes('@')) return bad('a URL must not contain a login; send it in a header');
  const endpoint = parseAuthority(authority, 80);
  if (endpoint === null) return bad('this URL names no host');
  return { endpoint, path: path.startsWith('/') ? path : `/${path}` };
}

function bad(text: string): Answer {
  return { status: 400, text };
}

export interface Egress {
  readonly patterns: readonly HostPattern[];
  /** The user's environment: names the proxy between this machine and the network. */
  readonly env: Env;
  readonly onRefusal: (refusal: Refusal) => void;
  /** Treats the data on this connection as requests for one host: a tunnel to a plain HTTP port. */
  readonly serveTunnel: (socket: Socket, target: Endpoint) => void;
}
