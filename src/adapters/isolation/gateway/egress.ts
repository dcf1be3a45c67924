import { createServer, type IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Endpoint } from '../../../rules/isolation/index.ts';
import { forward, upgrade } from './forward.ts';
import { type Answer, answer, type Egress, hangUp } from './judge.ts';
import { tunnel } from './tunnel.ts';

const LIMITS = {
  /** Connections at a time; any more are closed at once. */
  connections: 512,
  /** Bytes of a request's line and headers. */
  headerBytes: 32 * 1024,
  /** Time for a request's headers, and for the first bytes in a tunnel. */
  headersMs: 20_000,
  /** Time that a connection may wait for its next request. */
  idleMs: 60_000,
};

type Basis = Omit<Egress, 'serveTunnel'>;

/** An HTTP/1.1 forward proxy that lets through what the patterns name, and judges every request separately. */
export function egressServer(basis: Basis, limits = LIMITS): Server {
  const tunnelled = new WeakMap<Duplex, Endpoint>();
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    // A large upload may take long; it uses up one of a limited number of connections.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(5_000, limits.headersMs / 2),
  });
  server.maxConnections = limits.connections;
  const egress: Egress = {
    ...basis,
    serveTunnel: (socket, target) => {
      tunnelled.set(socket, target);
      server.emit('connection', socket);
    },
  };

  server.on('connection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.on('request', (request, response) => {
    guard(forward(egress, request, response, tunnelled.get(request.socket) ?? null), request.socket);
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    if (head.length > 0) socket.unshift(head);
    const response = responseOn(request, socket);
    guard(upgrade(egress, request, response, tunnelled.get(socket) ?? null), socket);
  });
  server.on('connect', (request, socket: Socket, head) => {
    if (head.length > 0) socket.unshift(head);
    const within = tunnelled.has(socket);
    guard(tunnel(egress, request, socket, { within, firstBytesMs: limits.headersMs }), socket);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
    answer(socket, malformed(error.code));
  });
  return server;
}

function guard(work: Promise<void>, socket: Duplex): void {
  work.catch(() => socket.destroy());
}

function malformed(code: string | undefined): Answer {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, text: 'the request line and headers are too long' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, text: 'the request took too long to arrive' };
  return { status: 400, text: 'this is no valid HTTP/1.1 request' };
}

/** An HTTP response on a connection that Node has detached from its server for an upgrade. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => hangUp(socket));
  return response;
}
