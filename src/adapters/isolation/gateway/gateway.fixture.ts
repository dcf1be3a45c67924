import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Env, Policy, Refusal } from '../port.ts';
import { type Gateway, openGateway } from './open.ts';

/** What a test opened, to be closed after it. */
interface Cleanup {
  readonly later: (end: () => unknown) => void;
  readonly all: () => Promise<void>;
}

export function cleanup(): Cleanup {
  const ends: (() => unknown)[] = [];
  return {
    later: (end) => ends.push(end),
    all: async () => {
      for (const end of ends.splice(0).reverse()) await end();
    },
  };
}

/** Listens on a free port of the loopback; gives the port. */
export async function listen(server: Server, cleaning: Cleanup): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.once('close', () => sockets.delete(socket)).on('error', () => {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleaning.later(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A web server on a free port. */
export function webServer(cleaning: Cleanup, listener: RequestListener): Promise<number> {
  return listen(createHttpServer(listener), cleaning);
}

/** A server that sends back what it gets. */
export function echoServer(cleaning: Cleanup): Promise<number> {
  return listen(
    createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)),
    cleaning,
  );
}

export interface OpenedGateway {
  readonly gateway: Gateway;
  readonly refusals: Refusal[];
  /** A connection to the proxy, or to a shared port. */
  readonly dial: (name?: string) => Socket;
  /** Sends bytes to the proxy; gives all that comes back until it closes. */
  readonly send: (bytes: string | Buffer) => Promise<string>;
}

interface GatewayInput extends Pick<Policy, 'hosts'> {
  readonly ports: readonly number[];
  readonly env: Env;
  readonly limits: NonNullable<NonNullable<Parameters<typeof openGateway>[2]>['limits']>;
}

export async function opened(cleaning: Cleanup, input: Partial<GatewayInput>): Promise<OpenedGateway> {
  const refusals: Refusal[] = [];
  const onRefusal = (refusal: Refusal) => void refusals.push(refusal);
  const { hosts = [], ports: localPorts = [], env = {}, limits } = input;
  const policy = { hosts, localPorts: [] };
  const gateway = await openGateway({ policy, env }, { localPorts, onRefusal }, limits && { limits });
  cleaning.later(gateway.close);
  const dial = (name = 'egress') => {
    const socket = connect({ path: join(gateway.sockets, `${name}.sock`), allowHalfOpen: true });
    cleaning.later(() => socket.destroy());
    return socket.on('error', () => {});
  };
  return {
    gateway,
    refusals,
    dial,
    send: async (bytes) => {
      const socket = dial();
      socket.write(bytes);
      return received(socket);
    },
  };
}

/** All that comes until the other end closes. */
export async function received(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await Promise.race([once(socket, 'end').catch(() => {}), once(socket, 'close')]);
  socket.destroy();
  return Buffer.concat(chunks).toString('latin1');
}

/** Opens a tunnel; rejects with the answer where there is none. */
export async function tunnelTo({ dial }: OpenedGateway, authority: string): Promise<Socket> {
  const socket = dial();
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(answer.toString('latin1'));
  return socket;
}

/** The first bytes of a TLS client that asks for a server of this name; null asks for none. */
export async function clientHello(name: string | null): Promise<Buffer> {
  const [client, wire] = duplexPair();
  const secure = tlsConnect({ socket: client, ...(name !== null && { servername: name }) }).on('error', () => {});
  const [hello] = (await once(wire, 'data')) as [Buffer];
  secure.destroy();
  return hello;
}

/** The same hello with one more extension, behind all others. */
export function withExtension(hello: Buffer, kind: number, content: Buffer): Buffer {
  const handshake = hello.subarray(RECORD_HEAD);
  const extension = Buffer.concat([Buffer.alloc(4), content]);
  extension.writeUInt16BE(kind);
  extension.writeUInt16BE(content.length, 2);
  // Lengths of hello and extensions grow by as much.
  const at = 4 + 34 + 1 + (handshake[38] ?? 0);
  const ciphers = at + 2 + handshake.readUInt16BE(at);
  const lengthAt = ciphers + 1 + (handshake[ciphers] ?? 0);
  const longer = Buffer.concat([handshake, extension]);
  longer.writeUIntBE(longer.length - 4, 1, 3);
  longer.writeUInt16BE(handshake.readUInt16BE(lengthAt) + extension.length, lengthAt);
  return Buffer.concat([Buffer.from([22, 3, 1, longer.length >> 8, longer.length & 255]), longer]);
}

const RECORD_HEAD = 5;

function duplexPair(): [Duplex, Duplex] {
  const ends: Duplex[] = [0, 1].map(
    (at) =>
      new Duplex({
        read: () => {},
        write: (chunk, _, done) => {
          ends[1 - at]?.push(chunk);
          done();
        },
      }),
  );
  return ends as [Duplex, Duplex];
}

interface UpstreamProxy {
  readonly port: number;
  /** What it was asked for: method, target, login. */
  readonly asked: string[];
}

/** A proxy of a company: leads every tunnel to one port of the loopback, and answers other requests itself. */
export async function upstreamProxy(cleaning: Cleanup, leadsTo: number): Promise<UpstreamProxy> {
  const asked: string[] = [];
  const told = ({ method, url, headers }: IncomingMessage) => {
    asked.push([method, url, headers['proxy-authorization']].filter(Boolean).join(' '));
  };
  const server = createHttpServer((request, response) => {
    told(request);
    response.end('from the proxy');
  });
  server.on('connect', (request, socket: Socket) => {
    told(request);
    const behind = connect({ port: leadsTo, host: '127.0.0.1', allowHalfOpen: true }).on('error', () =>
      socket.destroy(),
    );
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.pipe(behind).pipe(socket);
  });
  return { port: await listen(server, cleaning), asked };
}
