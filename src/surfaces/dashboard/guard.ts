import type { IncomingHttpHeaders } from 'node:http';
import { strangeness } from '../server/strangers.ts';
import { Refused } from './refusal.ts';

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/**
 * Looks at a request before anybody asks who sent it.
 * @param names by which this server may be called
 * @throws Refused for what no page of ours and no tool that means this server sends
 */
export function refuseStrangers(
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly port: number;
  },
  names: readonly string[],
): void {
  const { method, headers } = request;
  const strange = strangeness(headers.host, headers.origin, request.port, names);
  if (strange !== null) throw new Refused(403, strange);
  if (isFromOtherPage(request)) throw new Refused(403, 'pages of other origins may not call this server');
  if (!METHODS.includes(method)) throw new Refused(405, `${method} is not for this server`);
}

/**
 * To a browser all ports of a host are one site: a page of another server here sends our cookie along, and could at
 * least keep this server busy. Browsers say what they do; only to be led to the page itself is fine.
 */
function isFromOtherPage({ method, path, headers }: Parameters<typeof refuseStrangers>[0]): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return !(
    method === 'GET' &&
    path === '/' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}
