import type { IncomingMessage } from 'node:http';
import { type Endpoint, parseAuthority } from '../../../rules/isolation/hosts.ts';
import type { Answer } from './answer.ts';

/** Where a request wants to go. */
export interface RequestTarget {
  readonly endpoint: Endpoint;
  /** What the server is asked for: path and query, as the client wrote them. */
  readonly path: string;
}

/**
 * Reads the request line, and nothing else: the Host header is for the server. `tunnelled` is the endpoint of the
 * tunnel that the request came through, and then there is only a path.
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
