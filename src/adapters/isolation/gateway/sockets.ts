import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** At a time; processes inside must not use up the run's file descriptors. */
const CONNECTIONS = 256;

/** A server that carries every connection to a loopback port: IPv4 first, IPv6 where no process listens there. */
export function localPortServer(port: number): Server {
  const server = createServer({ allowHalfOpen: true }, (client) => void carry(client, port));
  server.maxConnections = CONNECTIONS;
  return server;
}

async function carry(client: Socket, port: number): Promise<void> {
  client.on('error', () => client.destroy());
  const upstream = (await tryConnect('127.0.0.1', port)) ?? (await tryConnect('::1', port));
  if (upstream === null) return void client.destroy();
  joinStreams(client, upstream);
}

/** Null when no process listens there. The host is an address, never a name. */
export function tryConnect(address: string, port: number, timeoutMs = 10_000): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect({ host: address, port, allowHalfOpen: true, keepAlive: true });
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => resolve(null));
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Carries bytes both ways, with backpressure and half-close (both must allow half-open). When either breaks or is
 * destroyed, the other is destroyed too.
 */
export function joinStreams(one: Duplex, other: Duplex): void {
  one.pipe(other);
  other.pipe(one);
  bind(one, other);
}

/** Neither outlives the other, until the returned function is called. */
export function bind(one: Duplex, other: Duplex): () => void {
  const destroyOne = () => void one.destroy();
  const destroyOther = () => void other.destroy();
  one.on('error', destroyOne).once('close', destroyOther);
  other.on('error', destroyOther).once('close', destroyOne);
  // It may be destroyed already; then it emits no further event.
  if (one.destroyed) destroyOther();
  if (other.destroyed) destroyOne();
  return () => {
    one.off('close', destroyOther);
    other.off('close', destroyOne);
  };
}
