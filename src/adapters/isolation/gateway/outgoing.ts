import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import { authorityText, type Endpoint } from '../../../rules/isolation/hosts.ts';
import type { Answer } from './answer.ts';
import type { Egress } from './basis.ts';
import { endToEnd } from './headers.ts';
import { connectTo, isAnswer, judge } from './judge.ts';
import { requestTarget } from './request-target.ts';
import { requestThrough, upstreamFor } from './upstream.ts';

/**
 * A request to the server that a client's request names, when it may go there. Nothing is copied that could be read in
 * two ways: line, Host and framing are written anew from what was understood. `upgrade` is the protocol asked for.
 */
export async function openOutgoing(
  egress: Egress,
  request: IncomingMessage,
  tunnelled: Endpoint | null,
  upgrade: string | null = null,
): Promise<ClientRequest | Answer> {
  const target = requestTarget(request, tunnelled);
  if (isAnswer(target)) return target;
  const { endpoint, path } = target;
  const match = judge(egress, endpoint);
  if (isAnswer(match)) return match;
  const framing = framingOf(request);
  if (framing === null) return { status: 501, text: 'the only transfer coding that is understood here is chunked' };

  const host = authorityText(endpoint, 80);
  const connection = upgrade === null ? ['Connection', 'close'] : ['Connection', 'Upgrade', 'Upgrade', upgrade];
  const headers = ['Host', host, ...endToEnd(request.rawHeaders), ...framing, ...connection];
  const method = request.method ?? 'GET';

  const upstream = upstreamFor(egress.env, endpoint, 'plain');
  if (upstream !== null) return requestThrough(upstream, { method, path: `http://${host}${path}`, headers });
  const socket = await connectTo(egress, endpoint, match, null);
  if (isAnswer(socket)) return socket;
  return startRequest({ createConnection: () => socket, method, path, headers });
}

/** How the body is delimited, as Node's parser has understood it; null for codings that it passes on unread. */
function framingOf({ headers }: IncomingMessage): readonly string[] | null {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) return coding.trim().toLowerCase() === 'chunked' ? ['Transfer-Encoding', 'chunked'] : null;
  const length = headers['content-length'];
  return length === undefined ? [] : ['Content-Length', length];
}
