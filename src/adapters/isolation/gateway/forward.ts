import {
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
  STATUS_CODES,
  request as startRequest,
} from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { authorityText, type Endpoint } from '../../../rules/isolation/index.ts';
import { type Answer, answerHeaders, type Egress, isAnswer, judge, requestTarget } from './judge.ts';
import { joinStreams } from './sockets.ts';
import { connectTo, requestThrough, upstreamFor } from './upstream.ts';

/** Answers one request: with the server's answer, or with the reason why the server is not asked. */
export async function forward(
  egress: Egress,
  request: IncomingMessage,
  response: ServerResponse,
  tunnelled: Endpoint | null,
): Promise<void> {
  const outgoing = await openOutgoing(egress, request, tunnelled);
  if (isAnswer(outgoing)) return say(response, outgoing);
  awaitAnswer(outgoing, response);
  response.once('close', () => outgoing.destroy());
  if (response.destroyed) return void outgoing.destroy();
  // Without destroying it, a body that is cut off would look complete to the server.
  pipeline(request, outgoing, (error) => void (error && outgoing.destroy()));
}

/** Answers a request to change the protocol. Only for websockets: other protocols carry requests that go unjudged. */
export async function upgrade(
  egress: Egress,
  request: IncomingMessage,
  response: ServerResponse,
  tunnelled: Endpoint | null,
): Promise<void> {
  const { headers, socket } = request;
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (hasBody) return say(response, { status: 501, text: 'a request with a body does not change the protocol here' });
  const isWebsocket = headers.upgrade?.trim().toLowerCase() === 'websocket';
  const outgoing = await openOutgoing(egress, request, tunnelled, isWebsocket ? 'websocket' : null);
  if (isAnswer(outgoing)) return say(response, outgoing);
  awaitAnswer(outgoing, response);
  outgoing.once('upgrade', (incoming, server: Socket, head: Buffer) => {
    if (!isWebsocket) return void server.destroy();
    outgoing.removeAllListeners('close');
    if (head.length > 0) server.unshift(head);
    response.detachSocket(socket);
    const lines = endToEnd(incoming.rawHeaders).flatMap((name, at, all) =>
      at % 2 === 0 ? `${name}: ${all[at + 1]}\r\n` : [],
    );
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines.join('')}\r\n`,
      'latin1',
    );
    joinStreams(socket, server);
  });
  socket.once('close', () => outgoing.destroy());
  if (socket.destroyed) return void outgoing.destroy();
  outgoing.end();
}

export function awaitAnswer(outgoing: ClientRequest, response: ServerResponse): void {
  outgoing.on('error', (error) => failed(response, error));
  outgoing.once('response', (incoming) => relay(incoming, response));
  // Node drops a server that changes the protocol unasked, and emits no error.
  outgoing.once('close', () => response.headersSent || failed(response, new Error('there was no answer')));
}

function relay(incoming: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  const { statusCode = 502, statusMessage } = incoming;
  const length = incoming.headers['content-length'];
  const framing = length === undefined ? [] : ['Content-Length', length];
  try {
    response.writeHead(statusCode, statusMessage, [...endToEnd(incoming.rawHeaders), ...framing]);
  } catch (error) {
    // Node reads response heads that it would not write: status 000, control characters.
    incoming.destroy();
    failed(response, error as Error);
    return;
  }
  // An answer that breaks off must also break off here.
  pipeline(incoming, response, (error) => void (error && response.destroy()));
}

function failed(response: ServerResponse, error: Error): void {
  if (response.headersSent) return void response.destroy();
  say(response, { status: 502, text: `ralph let this through, but the connection broke: ${error.message}` });
}

export function say(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(answer.status, STATUS_CODES[answer.status], answerHeaders(answer));
  response.end(`${answer.text}\n`);
}

/**
 * A request to the server that a client's request names, when the policy allows it. Nothing ambiguous is copied:
 * request line, Host and framing are rewritten from their parsed values. `upgrade` is the requested protocol.
 */
async function openOutgoing(
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

/** The framing of the body as Node's parser understood it; null for codings that it passes on unread. */
export function framingOf({ headers }: IncomingMessage): readonly string[] | null {
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) return coding.trim().toLowerCase() === 'chunked' ? ['Transfer-Encoding', 'chunked'] : null;
  const length = headers['content-length'];
  return length === undefined ? [] : ['Content-Length', length];
}

/** Hop-by-hop headers (RFC 9110 §7.6.1), and those that a proxy writes itself. */
const NOT_PASSED_ON: readonly string[] = [
  ...['connection', 'content-length', 'expect', 'host', 'http2-settings', 'keep-alive', 'proxy-authenticate'],
  ...['proxy-authorization', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
];

/** The headers of a flat list (name, value, name, value …) that are meant for the other end. */
export function endToEnd(rawHeaders: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []));
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((name) => name.trim());
  const dropped = new Set([...NOT_PASSED_ON, ...named]);
  return pairs.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}
