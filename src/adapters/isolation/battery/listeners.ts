import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that came in. */
export interface Heard {
  /** Where: `a TCP port of this machine`. */
  readonly where: string;
  readonly text: string;
}

/** Ears of the host. */
export interface Listeners {
  readonly tcp: number;
  readonly udp: number;
  /** On the loopback alone. */
  readonly local: number;
  /** Stands for an allowed host: `localhost:<port>`. */
  readonly allowed: number;
  /** Name without the leading NUL; empty where there are none (macOS). */
  readonly abstract: string;
  /** An IPv4 address of this machine that is not loopback; empty without one. */
  readonly address: string;
  /** Everything that should not have come in. */
  readonly heard: readonly Heard[];
  /** Everything that came to the allowed host. */
  readonly atAllowed: readonly Heard[];
  close(): Promise<void>;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
/** Kept of one connection, bytes. */
const KEPT = 16 * 1024;

/** Opens them all, on free ports. @param doors paths of Unix sockets. @param name of the abstract one */
export async function openListeners(doors: readonly string[], name: string): Promise<Listeners> {
  const heard: Heard[] = [];
  const atAllowed: Heard[] = [];
  const servers: Server[] = [];
  const listen = async (where: string, at: { port: number; host: string } | { path: string }, into = heard) => {
    const server = createServer((socket) => {
      let text = '';
      socket.on('error', () => {});
      socket.on('data', (data) => {
        if (text === '') setImmediate(() => socket.end(ANSWER));
        if (text.length < KEPT) text += data.toString('latin1');
      });
      socket.on('close', () => into.push({ where, text }));
      socket.setTimeout(2000, () => socket.destroy());
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(at, resolve);
    });
    servers.push(server);
    const address = server.address();
    return typeof address === 'object' && address !== null ? (address as AddressInfo).port : 0;
  };
  const udp = createSocket('udp4');
  udp.on('message', (data) => heard.push({ where: 'a UDP port of this machine', text: data.toString('latin1') }));
  await new Promise<void>((resolve) => udp.bind(0, resolve));
  const abstract = process.platform === 'linux' ? name : '';
  for (const path of doors) await listen('a Unix socket', { path });
  if (abstract !== '') await listen('an abstract Unix socket', { path: `\0${abstract}` });
  return {
    tcp: await listen('a TCP port of this machine', { port: 0, host: '0.0.0.0' }),
    local: await listen('a port of the loopback', { port: 0, host: '127.0.0.1' }),
    allowed: await listen('the allowed host', { port: 0, host: '127.0.0.1' }, atAllowed),
    udp: udp.address().port,
    abstract,
    address: ownAddress(),
    heard,
    atAllowed,
    async close() {
      udp.close();
      // Those that are just being read.
      await sleep(20);
      for (const server of servers) server.close();
    },
  };
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
}
