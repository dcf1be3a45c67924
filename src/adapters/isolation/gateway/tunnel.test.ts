import { once } from 'node:events';
import type { Socket } from 'node:net';
import { createServer as createTlsServer, connect as tlsConnect } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cleanup,
  clientHello,
  echoServer,
  listen,
  type OpenedGateway,
  opened,
  received,
  tunnelTo,
  upstreamProxy,
  webServer,
  withExtension,
} from './gateway.fixture.ts';

const cleaning = cleanup();
afterEach(cleaning.all);

/** A gateway behind a company's proxy, which leads every tunnel to one port: so names need no name server. */
async function behindProxy(hosts: readonly string[], leadsTo: number): Promise<OpenedGateway> {
  const { port } = await upstreamProxy(cleaning, leadsTo);
  return opened(cleaning, { hosts, env: { https_proxy: `http://127.0.0.1:${port}` } });
}

/** TLS with a shared key: needs no certificate. */
const SHARED_KEY = { ciphers: 'PSK', maxVersion: 'TLSv1.2' } as const;
const key = Buffer.from('0123456789abcdef');

describe('a tunnel to the usual port', () => {
  it('carries TLS from end to end', async () => {
    const server = createTlsServer({ ...SHARED_KEY, pskCallback: () => key }, (socket) => socket.pipe(socket));
    const egress = await behindProxy(['api.example.com'], await listen(server, cleaning));
    const secure = tlsConnect({
      ...SHARED_KEY,
      socket: await tunnelTo(egress, 'api.example.com:443'),
      servername: 'api.example.com',
      pskCallback: () => ({ psk: key, identity: 'una' }),
      checkServerIdentity: () => undefined,
    });
    await once(secure, 'secureConnect');
    secure.write('through and back');
    const [echo] = await once(secure, 'data');
    expect(String(echo)).toBe('through and back');
    expect(egress.refusals).toEqual([]);
    secure.destroy();
  });

  it.each([
    ['of the host itself', 'api.example.com'],
    ['of the host, in capitals', 'API.Example.com'],
    ['of another listed host', 'cdn.example.net'],
  ])('may begin with no name but one %s', async (_, name) => {
    const egress = await behindProxy(['api.example.com', '*.example.net'], await echoServer(cleaning));
    const socket = await tunnelTo(egress, 'api.example.com:443');
    const hello = await clientHello(name);
    socket.write(hello);
    const [echo] = (await once(socket, 'data')) as [Buffer];
    expect(hello.indexOf(echo)).toBe(0);
    expect(egress.refusals).toEqual([]);
  });

  it.each([
    ['that names no host', async () => clientHello(null), 'names no host'],
    [
      'that hides another one',
      async () => withExtension(await clientHello('api.example.com'), 0xfe0d, Buffer.alloc(200, 7)),
      'encrypted',
    ],
  ])('is closed to a hello %s', async (_, hello, reason) => {
    let arrived = 0;
    const server = createTlsServer({}, () => {});
    server.on('connection', (socket: Socket) => socket.on('data', (chunk) => (arrived += chunk.length)));
    const egress = await behindProxy(['api.example.com'], await listen(server, cleaning));
    const socket = await tunnelTo(egress, 'api.example.com:443');
    socket.write(await hello());
    // The alert that says that the name is wrong.
    expect(await received(socket)).toBe('\x15\x03\x01\x00\x02\x02\x70');
    expect(egress.refusals).toEqual([expect.objectContaining({ reason: expect.stringContaining(reason) })]);
    expect(arrived).toBe(0);
  });

  it.each([
    ['in one piece', (socket: Socket, hello: Buffer) => void socket.write(hello)],
    [
      'in crumbs',
      (socket: Socket, hello: Buffer) => {
        socket.setNoDelay(true);
        for (const byte of hello) socket.write(Buffer.of(byte));
      },
    ],
  ])('is closed to a name behind the same address that is not listed, sent %s', async (_, write) => {
    let arrived = 0;
    const server = createTlsServer({}, () => {});
    server.on('connection', (socket: Socket) => socket.on('data', (chunk) => (arrived += chunk.length)));
    const egress = await behindProxy(['api.example.com'], await listen(server, cleaning));
    const socket = await tunnelTo(egress, 'api.example.com:443');
    write(socket, await clientHello('front.example.org'));
    // An alert that clients show as a wrong name.
    expect(await received(socket)).toBe('\x15\x03\x01\x00\x02\x02\x70');
    expect(egress.refusals).toEqual([
      { host: 'api.example.com', port: 443, reason: 'the TLS name in the tunnel is another: front.example.org' },
    ]);
    expect(arrived).toBe(0);
  });

  it('is closed to what is no TLS', async () => {
    const egress = await behindProxy(['api.example.com'], await echoServer(cleaning));
    const socket = await tunnelTo(egress, 'api.example.com:443');
    socket.write('SSH-2.0-client\r\n');
    const answer = await received(socket);
    expect(answer).toMatch(
      /^HTTP\/1\.1 403 [\s\S]*something other than TLS; the user can allow that by naming the port: "api.example.com:443"\n$/,
    );
    expect(answer).not.toContain('SSH');
    expect(egress.refusals).toHaveLength(1);
  });

  it('is just closed when nothing is said in it', async () => {
    const egress = await behindProxy(['api.example.com'], await echoServer(cleaning));
    const socket = await tunnelTo(egress, 'api.example.com:443');
    socket.end();
    expect(await received(socket)).toBe('');
    expect(egress.refusals).toEqual([]);
  });
});

it('a tunnel to port 80 carries requests for its host, each rewritten', async () => {
  const { port, asked } = await upstreamProxy(cleaning, 9);
  const egress = await opened(cleaning, {
    hosts: ['api.example.com'],
    env: { http_proxy: `http://127.0.0.1:${port}` },
  });
  const socket = await tunnelTo(egress, 'api.example.com:80');
  socket.write(
    'GET /a HTTP/1.1\r\nHost: front.example.org\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  );
  expect((await received(socket)).match(/from the proxy/g)).toHaveLength(2);
  expect(asked).toEqual(['GET http://api.example.com/a', 'GET http://api.example.com/b']);
});

describe("the proxy of the person's network", () => {
  it('is used, with its login', async () => {
    const { port, asked } = await upstreamProxy(cleaning, await echoServer(cleaning));
    const proxy = `http://una:p%40ss@127.0.0.1:${port}`;
    const egress = await opened(cleaning, {
      hosts: ['api.example.com:22', 'api.example.com'],
      env: { ALL_PROXY: proxy },
    });
    (await tunnelTo(egress, 'api.example.com:22')).destroy();
    await egress.send('GET http://api.example.com/x?y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const login = `Basic ${Buffer.from('una:p@ss').toString('base64')}`;
    expect(asked).toEqual([`CONNECT api.example.com:22 ${login}`, `GET http://api.example.com/x?y ${login}`]);
  });

  it('does not widen the list', async () => {
    const { port, asked } = await upstreamProxy(cleaning, await echoServer(cleaning));
    const egress = await opened(cleaning, { hosts: ['api.example.com'], env: { ALL_PROXY: `127.0.0.1:${port}` } });
    await expect(tunnelTo(egress, 'other.example.com:443')).rejects.toThrow('403');
    await expect(tunnelTo(egress, `127.0.0.1:${port}`)).rejects.toThrow('403');
    expect(asked).toEqual([]);
  });

  it('that refuses, or is not there, is named', async () => {
    const port = await webServer(cleaning, (_, response) => response.end());
    const silent = await opened(cleaning, { hosts: ['a.example'], env: { https_proxy: 'http://127.0.0.1:1' } });
    await expect(tunnelTo(silent, 'a.example:443')).rejects.toThrow(/ 502 [\s\S]*proxy of this machine's network/);
    const odd = await opened(cleaning, { hosts: ['a.example'], env: { https_proxy: `http://127.0.0.1:${port}` } });
    await expect(tunnelTo(odd, 'a.example:443')).rejects.toThrow(/ 502 /);
    expect([...silent.refusals, ...odd.refusals]).toEqual([]);
  });
});
