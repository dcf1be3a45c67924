import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { cleanup, echoServer, listen, opened, received, tunnelTo, webServer } from './gateway.fixture.ts';

const cleaning = cleanup();
afterEach(cleaning.all);

describe('the folder of the sockets', () => {
  it('is private, and gone when the gateway is closed, which may be done twice', async () => {
    const { gateway } = await opened(cleaning, { ports: [9] });
    expect(statSync(gateway.sockets).mode & 0o777).toBe(0o700);
    expect(existsSync(join(gateway.sockets, '9.sock'))).toBe(true);
    await gateway.close();
    await gateway.close();
    expect(existsSync(gateway.sockets)).toBe(false);
  });

  it('is elsewhere when the temp folder is too deep for a socket', async () => {
    const deep = mkdtempSync(join(tmpdir(), `ralph-${'d'.repeat(90)}-`));
    cleaning.later(() => rmSync(deep, { recursive: true }));
    vi.stubEnv('TMPDIR', deep);
    cleaning.later(() => vi.unstubAllEnvs());
    const port = await echoServer(cleaning);
    const { gateway, dial } = await opened(cleaning, { ports: [port] });
    expect(gateway.sockets.startsWith(realpathSync(deep))).toBe(false);
    const socket = dial(String(port));
    socket.end('still here');
    expect(await received(socket)).toBe('still here');
  });
});

describe('a shared port', () => {
  it('carries bytes both ways and passes on the end of either side', async () => {
    const port = await echoServer(cleaning);
    const { dial } = await opened(cleaning, { ports: [port] });
    const socket = dial(String(port));
    const bytes = randomBytes(3_000_000).toString('hex');
    socket.end(bytes);
    expect(await received(socket)).toBe(bytes);
  });

  it('carries 200 connections at a time', async () => {
    const port = await echoServer(cleaning);
    const { dial } = await opened(cleaning, { ports: [port] });
    const answers = Array.from({ length: 200 }, (_, at) => {
      const socket = dial(String(port));
      socket.end(`${at}`);
      return received(socket);
    });
    expect(await Promise.all(answers)).toEqual(answers.map((_, at) => `${at}`));
  });

  it('takes no more than the other end reads', async () => {
    const port = await listen(createServer({ pauseOnConnect: true }), cleaning);
    const { dial } = await opened(cleaning, { ports: [port] });
    const socket = dial(String(port));
    const chunk = Buffer.alloc(1024 * 1024);
    let taken = 0;
    const write = () => {
      socket.write(chunk, (error) => {
        if (error) return;
        taken++;
        write();
      });
    };
    for (let at = 0; at < 4; at++) write();
    await expect.poll(() => taken).toBeGreaterThan(0);
    let before = -1;
    for (; before !== taken; await new Promise((resolve) => setTimeout(resolve, 200))) before = taken;
    expect(taken).toBeLessThan(32);
  });

  it('is given up when the client has gone in the middle of an answer', async () => {
    const server = createServer((socket) => {
      const flood = () => void (socket.destroyed || socket.write('x'.repeat(100_000), () => setImmediate(flood)));
      flood();
    });
    const port = await listen(server, cleaning);
    const { dial } = await opened(cleaning, { ports: [port] });
    const connected = once(server, 'connection');
    const client = dial(String(port));
    await once(client, 'data');
    const [behind] = await connected;
    const closed = new Promise((resolve) => behind.once('close', resolve));
    client.destroy();
    await closed;
  });

  it('is closed at once when nothing listens behind it', async () => {
    const server = createServer();
    const port = await listen(server, cleaning);
    server.close();
    await once(server, 'close');
    const { dial } = await opened(cleaning, { ports: [port] });
    expect(await received(dial(String(port)))).toBe('');
  });
});

describe('a request', () => {
  it('is sent to the host of its URL, with everything that is meant for that', async () => {
    const port = await webServer(cleaning, (request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk) => chunks.push(chunk))
        .on('end', () => {
          response.writeHead(207, 'Odd', { 'X-Answer': 'yes', 'Set-Cookie': ['a=1', 'b=2'] });
          response.end(
            JSON.stringify([request.method, request.url, request.headers, Buffer.concat(chunks).toString()]),
          );
        });
    });
    const { send, refusals } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const answer = await send(
      `POST http://127.0.0.1:${port}/a/../b?c=%7B HTTP/1.1\r\nHost: elsewhere.example\r\nX-Mine: 1\r\nX-Hop: 2\r\n` +
        'Connection: close, x-hop\r\nProxy-Authorization: Basic eA==\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 207 Odd\r\n/);
    expect(answer).toContain('Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    const [method, path, headers, body] = JSON.parse(/\[.*\]/.exec(answer)?.[0] ?? '');
    expect([method, path, body]).toEqual(['POST', '/a/../b?c=%7B', 'abc']);
    expect(headers).toEqual({
      host: `127.0.0.1:${port}`,
      'x-mine': '1',
      connection: 'close',
      'transfer-encoding': 'chunked',
    });
    expect(refusals).toEqual([]);
  });

  it('of several on one connection is judged on its own', async () => {
    const port = await webServer(cleaning, (request, response) => response.end(`served ${request.url}`));
    const { send, refusals } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const get = (host: string, path: string) => `GET http://${host}${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
    const answer = await send(
      get(`127.0.0.1:${port}`, '/1') + get('example.com', '/2') + get(`127.0.0.1:${port}`, '/3'),
    );
    expect(answer).toContain('served /1');
    expect(answer).not.toContain('served /2');
    expect(answer).toContain('HTTP/1.1 403 Forbidden');
    expect(answer).toContain(
      'ralph refused example.com:80: example.com is not on the allow-list of this run; the user can add it: isolation.allowHosts ["example.com"] in ralph.config.json\n',
    );
    expect(refusals).toEqual([
      { host: 'example.com', port: 80, reason: expect.stringContaining('not on the allow-list') },
    ]);
  });

  it('keeps its connection for the next one', async () => {
    const port = await webServer(cleaning, (request, response) => response.end(`served ${request.url}`));
    const { send } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const get = (path: string, more = '') => `GET http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    expect((await send(get('/1') + get('/2', 'Connection: close\r\n'))).match(/served \/\d/g)).toEqual([
      'served /1',
      'served /2',
    ]);
  });

  it('for a host that does not answer is no refusal', async () => {
    const server = createServer();
    const port = await listen(server, cleaning);
    server.close();
    const { send, refusals } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    expect(await send(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 504 /);
    expect(refusals).toEqual([]);
  });

  it('breaks off where the answer of the server breaks off', async () => {
    const port = await webServer(cleaning, (_, response) => {
      response.writeHead(200, { 'Content-Length': 100 });
      response.write('half');
      setTimeout(() => response.destroy(), 50);
    });
    const { dial } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const socket = dial();
    socket.write(`GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await received(socket)).toMatch(/half$/);
  });

  it.each([
    ['a status that there is not', 'HTTP/1.1 000 Odd\r\n\r\n'],
    ['control characters in its first line', 'HTTP/1.1 200 O\x01K\r\n\r\n'],
    ['control characters in a header', 'HTTP/1.1 200 OK\r\nX: a\x01b\r\n\r\n'],
    ['another protocol than was asked for', 'HTTP/1.1 101 Go\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-x\r\n\r\n'],
    ['nothing', ''],
  ])('that the server answers with %s gets an answer of the proxy', async (_, answer) => {
    const port = await listen(
      createServer((socket) => void socket.once('data', () => socket.end(answer))),
      cleaning,
    );
    const { send } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n']) {
      const request = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`;
      expect(await send(request)).toMatch(/^HTTP\/1\.1 502 [\s\S]*the connection broke/);
    }
  });

  it('can open a websocket', async () => {
    const server = createServer((socket) => {
      socket.once('data', (head) => {
        expect(head.toString()).toContain(`Host: 127.0.0.1:${port}\r\n`);
        socket.write(
          'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\nhello ',
        );
        socket.pipe(socket);
      });
    });
    const port = await listen(server, cleaning);
    const { dial } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const socket = dial();
    socket.write(
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Key: k\r\n\r\n`,
    );
    let seen = '';
    socket.on('data', (chunk) => {
      if (seen === '') socket.write('again');
      seen += chunk;
    });
    await vi.waitFor(
      () => expect(seen).toMatch(/^HTTP\/1\.1 101 [\s\S]*Sec-WebSocket-Accept: x\r\n\r\nhello again$/),
      300_000,
    );
  });

  it('for another protocol than websocket is answered without the change', async () => {
    const port = await webServer(cleaning, (request, response) => response.end(`upgrade: ${request.headers.upgrade}`));
    const { send } = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const head = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n\r\n`;
    expect(await send(head)).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*upgrade: undefined/);
  });
});

describe('a tunnel', () => {
  it('to a port that the list names carries anything, whoever speaks first', async () => {
    const port = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        socket.write('SSH-2.0-test\r\n');
        socket.pipe(socket);
      }),
      cleaning,
    );
    const egress = await opened(cleaning, { hosts: [`localhost:${port}`] });
    const socket = egress.dial();
    socket.write(`CONNECT LOCALHOST.:${port} HTTP/1.1\r\n\r\n`);
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk;
      if (String(chunk).includes('SSH')) socket.end('and back');
    });
    await once(socket, 'end');
    expect(seen).toBe('HTTP/1.1 200 Connection established\r\n\r\nSSH-2.0-test\r\nand back');
  });

  it('ends with the gateway', async () => {
    const port = await echoServer(cleaning);
    const egress = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const socket = await tunnelTo(egress, `127.0.0.1:${port}`);
    const closed = once(socket, 'close');
    await egress.gateway.close();
    socket.resume().end();
    await closed;
  });

  it('ends with the client', async () => {
    const server = createServer();
    const port = await listen(server, cleaning);
    const egress = await opened(cleaning, { hosts: [`127.0.0.1:${port}`] });
    const connected = once(server, 'connection');
    const socket = await tunnelTo(egress, `127.0.0.1:${port}`);
    const [behind] = await connected;
    const closed = once(behind, 'close');
    socket.destroy();
    behind.resume();
    await closed;
  });
});
