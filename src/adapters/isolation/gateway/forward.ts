import { type ClientRequest, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Endpoint } from '../../../rules/isolation/hosts.ts';
import { type Answer, answerHeaders } from './answer.ts';
import type { Egress } from './basis.ts';
import { endToEnd } from './headers.ts';
import { join } from './join.ts';
import { isAnswer } from './judge.ts';
import { openOutgoing } from './outgoing.ts';

/** Answers one request: with what the server says, or with why it is not asked. */
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
  // Without an end of its own a body that is cut off would look whole to the server.
  pipeline(request, outgoing, (error) => void (error && outgoing.destroy()));
}

/** Answers a request to change the protocol. Only to websockets: others carry requests that nobody would judge. */
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
    join(socket, server);
  });
  socket.once('close', () => outgoing.destroy());
  if (socket.destroyed) return void outgoing.destroy();
  outgoing.end();
}

function awaitAnswer(outgoing: ClientRequest, response: ServerResponse): void {
  outgoing.on('error', (error) => failed(response, error));
  outgoing.once('response', (incoming) => relay(incoming, response));
  // Node drops a server that changes the protocol unasked, without an error.
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
    // Node reads heads of answers that it would not write: status 000, control characters.
    incoming.destroy();
    failed(response, error as Error);
    return;
  }
  // An answer that breaks off must break off here too.
  pipeline(incoming, response, (error) => void (error && response.destroy()));
}

function failed(response: ServerResponse, error: Error): void {
  if (response.headersSent) return void response.destroy();
  say(response, { status: 502, text: `ralph let this through, but the connection broke: ${error.message}` });
}

function say(response: ServerResponse, answer: Answer): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(answer.status, STATUS_CODES[answer.status], answerHeaders(answer));
  response.end(`${answer.text}\n`);
}
