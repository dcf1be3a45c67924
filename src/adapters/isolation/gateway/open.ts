import { once } from 'node:events';
import { createServer, type IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { chmod, makeSocketFolder, remove } from '../../../platform/index.ts';
import { type Endpoint, parseHostPattern } from '../../../rules/isolation/index.ts';
import type { IsolationInput, IsolationRun, Policy } from '../port.ts';
import { CREDENTIALS_PORT } from '../view/environment.ts';
import { credentialServer } from './credentials.ts';
import { forward, upgrade } from './forward.ts';
import { type Answer, answer, type Egress, hangUp } from './judge.ts';
import { localPortServer } from './sockets.ts';
import { tunnel } from './tunnel.ts';

/** The only way out of a sandbox without a network. */
export interface Gateway {
  /** Private folder with `egress.sock`, an HTTP proxy, and `<port>.sock` for every shared port. */
  readonly sockets: string;
  /** Ports that the bridge listens on inside: of this machine's loopback, and that of the credentials. */
  readonly ports: readonly number[];
  /** Of the proxy on the loopback; 0 without one. */
  readonly port: number;
  /** Ends every connection and removes the folder. Never rejects; a second call is fine. */
  close(): Promise<void>;
}

/**
 * Opens the sockets.
 * @param input invalid hosts are ignored; `env` names the proxy between this machine and the network
 * @param onLoopback the proxy listens on a free port of the loopback too
 * @throws Error where a socket cannot be made
 */
export async function openGateway(
  {
    policy,
    env,
  }: { readonly policy: Pick<Policy, 'hosts' | 'localPorts' | 'lending'>; readonly env: IsolationInput['env'] },
  { localPorts, onRefusal }: Omit<IsolationRun, 'run'>,
  { onLoopback = false, limits = LIMITS } = {},
): Promise<Gateway> {
  const { lent, ...own } = policy.lending ?? { lent: [], hosts: [], localPorts: [] };
  const hosts = policy.hosts.filter((host) => !own.hosts.includes(host));
  const patterns = hosts.map(parseHostPattern).filter((pattern) => pattern !== null);
  const shared = policy.localPorts.filter((port) => !own.localPorts.includes(port));
  const carried = [...new Set([...shared, ...localPorts])];
  const ports = lent.length > 0 ? [...carried, CREDENTIALS_PORT] : carried;
  const sockets = await makeSocketFolder('ralph-gw-');
  const proxy = () => egressServer({ patterns, env, onRefusal }, limits);
  const servers: readonly (readonly [server: Server, name: string | null])[] = [
    ...(onLoopback ? [[proxy(), null] as const] : []),
    [proxy(), 'egress'],
    ...ports.map(
      (port) =>
        [port === CREDENTIALS_PORT ? credentialServer(lent, env) : localPortServer(port), String(port)] as const,
    ),
  ];
  const connections = new Set<Socket>();
  const close = async () => {
    const closed = servers.map(([server]) => new Promise<void>((resolve) => server.close(() => resolve())));
    for (const connection of connections) connection.destroy();
    await Promise.all(closed);
    await remove(sockets).catch(() => {});
  };

  try {
    for (const [server, name] of servers) {
      server.on('connection', (connection: Socket) => {
        connections.add(connection);
        connection.once('close', () => connections.delete(connection));
      });
      await listen(server, name === null ? null : join(sockets, `${name}.sock`));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const address = onLoopback ? servers[0]?.[0].address() : null;
  return { sockets, ports, port: typeof address === 'object' && address ? address.port : 0, close };
}

/** @param path null for a port of the loopback */
async function listen(server: Server, path: string | null): Promise<void> {
  server.listen(path === null ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  if (path === null) return;
  // A container may run as another user; the folder keeps all other users out.
  await chmod(path, 0o666);
}

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

/** An HTTP/1.1 forward proxy that lets through what the patterns name, and judges every request separately. */
function egressServer(basis: Omit<Egress, 'serveTunnel'>, limits: typeof LIMITS): Server {
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
  return { status: 400, text: 'this is not a valid HTTP/1.1 request' };
}

/** An HTTP response on a connection that Node has detached from its server for an upgrade. */
function responseOn(request: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => hangUp(socket));
  return response;
}
