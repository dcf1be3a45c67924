import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { startChild } from '../../../platform/index.ts';

export interface Heard {
  /** Where it arrived: `a TCP port of this machine`. */
  readonly where: string;
  readonly text: string;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok';
/** Kept per connection, in bytes. */
const KEPT = 16 * 1024;

/** Opens them all, on free ports. @param doors paths of Unix sockets. @param name of the abstract socket */
export async function openListeners(doors: readonly string[], name: string) {
  const heard: Heard[] = [];
  const atAllowed: Heard[] = [];
  const servers: Server[] = [];
  const listen = async (where: string, at: { port: number; host: string } | { path: string }, into = heard) => {
    const server = createServer((socket) => {
      const entry = { where, text: '' };
      into.push(entry);
      socket.on('error', () => {});
      socket.on('data', (data) => {
        if (entry.text === '') setImmediate(() => socket.end(ANSWER));
        if (entry.text.length < KEPT) entry.text += data.toString('latin1');
      });
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
    /** Stands for an allowed host: `localhost:<port>`. */
    allowed: await listen('the allowed host', { port: 0, host: '127.0.0.1' }, atAllowed),
    udp: udp.address().port,
    /** Without the leading NUL; empty on systems without abstract sockets (macOS). */
    abstract,
    /** A non-loopback IPv4 address of this machine; empty when it has none. */
    address: ownAddress(),
    /** Everything that should not have arrived. */
    heard: heard as readonly Heard[],
    atAllowed: atAllowed as readonly Heard[],
    async close() {
      udp.close();
      for (const server of servers) server.close();
    },
  };
}

function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '';
}

/** Longer than any battery takes; the victim must end even if this process is killed. */
const LIFE_SECONDS = 300;

/**
 * A host process that nothing inside may see or touch.
 * @param name appears in its command line. @param secrets placed in its command line and its environment
 */
export async function startVictim(name: string, secrets: string, cwd: string) {
  const child = await startChild('sh', ['-c', `sleep ${LIFE_SECONDS} & wait`, name, secrets], {
    cwd,
    env: { PATH: process.env['PATH'], BATTERY_SECRETS: secrets },
    stdio: 'ignore',
    // Its own process group, so that its sleep ends with it.
    detached: true,
  });
  return {
    pid: child.pid,
    alive: () => child.exitCode === null && child.signalCode === null,
    end: () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // An attempt ended it already, so there is nothing left to end.
      }
    },
  };
}
