import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { cleanup, type OpenedGateway, opened, received, tunnelTo, webServer } from './gateway.fixture.ts';

/** Request lines and hosts that the listed server has seen, and every request to the other. */
const seen: string[] = [];
let listed = 0;
let victim = 0;
let egress: OpenedGateway;

const cleaning = cleanup();
beforeAll(async () => {
  listed = await webServer(cleaning, (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    request.resume();
    response.end('listed');
  });
  victim = await webServer(cleaning, (_, response) => {
    seen.push('victim');
    response.end('victim');
  });
  egress = await opened(cleaning, { hosts: [`127.0.0.1:${listed}`, 'allowed.example', '*.deep.example'] });
});
afterAll(cleaning.all);
beforeEach(() => void seen.splice(0));

const END = '\r\nHost: allowed.example\r\nConnection: close\r\n\r\n';

describe('the unlisted server is not reached', () => {
  const places: readonly [string, (port: number) => string][] = [
    ['its address', (port) => `127.0.0.1:${port}`],
    ['its name', (port) => `localhost:${port}`],
    ['its name, shouted, with a dot', (port) => `LOCALHOST.:${port}`],
    ['a decimal number', (port) => `2130706433:${port}`],
    ['a hexadecimal number', (port) => `0x7f000001:${port}`],
    ['octal numbers', (port) => `0177.0.0.01:${port}`],
    ['a short form', (port) => `127.1:${port}`],
    ['a dot behind the address', (port) => `127.0.0.1.:${port}`],
    ['another address of the loopback', (port) => `127.9.9.9:${port}`],
    ['no address', (port) => `0.0.0.0:${port}`],
    ['IPv6', (port) => `[::1]:${port}`],
    ['long IPv6', (port) => `[0:0:0:0:0:0:0:1]:${port}`],
    ['IPv4 in IPv6', (port) => `[::ffff:127.0.0.1]:${port}`],
    ['IPv4 in IPv6, in hexadecimal', (port) => `[::ffff:7f00:1]:${port}`],
    ['IPv4 in IPv6 of old', (port) => `[::127.0.0.1]:${port}`],
    ['IPv6 with a zone', (port) => `[::1%25lo]:${port}`],
    ['no IPv6 address', (port) => `[::]:${port}`],
    ['an escaped digit', (port) => `%31%32%37.0.0.1:${port}`],
    ['digits of another width', (port) => `\uff11\uff12\uff17.0.0.1:${port}`],
    ['other dots', (port) => `127\u30020\u30020\u30021:${port}`],
    ['circled digits', (port) => `\u2460\u2461\u2466.0.0.1:${port}`],
    ['a login that looks like a host', (port) => `allowed.example@127.0.0.1:${port}`],
    ['a login with a port', (port) => `allowed.example:80@127.0.0.1:${port}`],
    ['a backslash', (port) => `allowed.example\\@127.0.0.1:${port}`],
    ['a fragment', (port) => `127.0.0.1:${port}#@allowed.example`],
    ['a name that only begins like a listed one', (port) => `allowed.example.127.0.0.1.nip.io:${port}`],
    ['two ports', (port) => `127.0.0.1:${port}:80`],
    ['a port with a sign', (port) => `127.0.0.1:+${port}`],
    ['a port beyond all ports', (port) => `127.0.0.1:${port + 65_536}`],
    ['a tab', (port) => `127.0.0.1\t:${port}`],
    ['a zero byte', (port) => `127.0.0.1\0allowed.example:${port}`],
  ];
  it.each(places)('by %s', async (_, place) => {
    const authority = place(victim);
    for (const request of [`GET http://${authority}/ HTTP/1.1${END}`, `CONNECT ${authority} HTTP/1.1${END}`]) {
      const answer = await egress.send(Buffer.from(request, 'utf8'));
      expect(answer).toMatch(/^HTTP\/1\.1 (400|403) /);
      expect(answer).not.toContain('victim');
    }
    expect(seen).toEqual([]);
  });

  it.each([
    [
      'a request without a host',
      (port: number) => `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
    ],
    ['an https URL', (port: number) => `GET https://127.0.0.1:${port}/ HTTP/1.1${END}`],
    ['another scheme', (port: number) => `GET ftp://127.0.0.1:${port}/ HTTP/1.1${END}`],
    ['no scheme', (port: number) => `GET //127.0.0.1:${port}/ HTTP/1.1${END}`],
    ['CONNECT to a URL', (port: number) => `CONNECT http://127.0.0.1:${port}/ HTTP/1.1${END}`],
    ['CONNECT without a port', () => `CONNECT allowed.example HTTP/1.1${END}`],
    ['CONNECT to port 0', () => `CONNECT allowed.example:0 HTTP/1.1${END}`],
    ['CONNECT to another port of a listed host', () => `CONNECT allowed.example:22 HTTP/1.1${END}`],
    ['a wildcard for the domain itself', () => `CONNECT deep.example:443 HTTP/1.1${END}`],
    ['a name that ends like a listed domain', () => `CONNECT notdeep.example:443 HTTP/1.1${END}`],
    ['an address below a wildcard', () => `CONNECT 1.2.3.4.deep.example.5.6.7.8:443 HTTP/1.1${END}`],
    ['a path as the host', () => `GET http:///allowed.example/ HTTP/1.1${END}`],
    ['an asterisk', () => `OPTIONS * HTTP/1.1${END}`],
  ])('by %s', async (_, request) => {
    expect(await egress.send(request(victim))).toMatch(/^HTTP\/1\.1 (400|403) /);
  });

  it('by a Host header: the URL decides, and the server gets its own name', async () => {
    const answer = await egress.send(
      `GET http://127.0.0.1:${listed}/ HTTP/1.1\r\nHost: 127.0.0.1:${victim}\r\nConnection: close, host\r\n\r\n`,
    );
    expect(answer).toContain('listed');
    expect(seen).toEqual([`GET / 127.0.0.1:${listed}`]);
  });

  it('by what follows a refused CONNECT', async () => {
    const answer = await egress.send(
      `CONNECT 127.0.0.1:${victim} HTTP/1.1${END}GET http://127.0.0.1:${listed}/smuggled HTTP/1.1${END}`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403']);
    expect(seen).toEqual([]);
  });

  it('by a Host header, a URL or a CONNECT in a tunnel to port 80', async () => {
    for (const request of [
      `GET http://127.0.0.1:${victim}/ HTTP/1.1${END}`,
      `CONNECT 127.0.0.1:${listed} HTTP/1.1${END}`,
    ]) {
      const socket = await tunnelTo(egress, 'allowed.example:80');
      socket.write(request);
      expect(await received(socket)).toMatch(/^HTTP\/1\.1 400 /);
    }
  });
});

describe('a request that two servers could read in two ways', () => {
  const smuggled = `GET http://127.0.0.1:1/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
  const inner = `GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
  it.each([
    ['two lengths', `Content-Length: 0\r\nContent-Length: ${inner.length}`, inner],
    ['two lengths in one', `Content-Length: 0, ${inner.length}`, inner],
    ['a length and a coding', `Content-Length: 5\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${inner}`],
    ['a coding and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5`, `0\r\n\r\n${inner}`],
    ['an odd coding', 'Transfer-Encoding: xchunked', `0\r\n\r\n${inner}`],
    ['two codings', 'Transfer-Encoding: chunked, identity', `0\r\n\r\n${inner}`],
    ['a coding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked', `0\r\n\r\n${inner}`],
    ['a space before the colon', 'Transfer-Encoding : chunked', `0\r\n\r\n${inner}`],
    ['an odd space in the coding', 'Transfer-Encoding: \x0bchunked', `0\r\n\r\n${inner}`],
    ['a signed length', `Content-Length: +${inner.length}`, inner],
    ['a hexadecimal length', 'Content-Length: 0x10', inner],
    ['a folded header', `X-A: b\r\n Content-Length: ${inner.length}`, inner],
    ['a folded coding', 'Transfer-Encoding:\r\n chunked', `0\r\n\r\n${inner}`],
    ['a zero byte in a header', 'X-A: b\0c', ''],
    ['a bare carriage return', `X-A: b\rContent-Length: ${inner.length}`, inner],
    ['a chunk with an odd length', 'Transfer-Encoding: chunked', `0x0\r\n\r\n${inner}`],
    ['a chunk that is longer than it says', 'Transfer-Encoding: chunked', `1\r\nab\r\n0\r\n\r\n${inner}`],
  ])('is refused: %s', async (_, headers, body) => {
    const answer = await egress.send(
      `POST http://127.0.0.1:${listed}/ HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n${body}`,
    );
    expect(answer.match(/HTTP\/1\.1 \d+/g)?.at(-1)).toMatch(/ (400|501)$/);
    expect(seen.filter((line) => line.includes('smuggled'))).toEqual([]);
  });

  it.each([
    ['a space', `GET http://127.0.0.1:1/a b HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['another version behind a space', `GET http://127.0.0.1:1/ HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a zero byte', `GET http://127.0.0.1:1/\0 HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['an unknown method', `G\0T http://127.0.0.1:1/ HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('is refused: %s in its first line', async (_, request) => {
    expect(await egress.send(request + smuggled)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('is rewritten: bare line feeds do not reach the server', async () => {
    await egress.send(`GET http://127.0.0.1:${listed}/ HTTP/1.1\nHost: x\nX-A: b\nConnection: close\n\n`);
    expect(seen.length).toBeLessThanOrEqual(1);
    expect(seen.every((line) => line === `GET / 127.0.0.1:${listed}`)).toBe(true);
  });
});

describe('the proxy is not worn down', () => {
  const few = { connections: 3, headerBytes: 2_048, headersMs: 300, idleMs: 200 };

  it('by headers that drip, or never come', async () => {
    const { dial } = await opened(cleaning, { limits: few });
    for (const beginning of ['', 'GET http://a.example/ HTTP/1.1\r\nX: ']) {
      const socket = dial();
      const drip = setInterval(() => socket.write('x'), 50);
      if (beginning !== '') socket.write(beginning);
      else clearInterval(drip);
      await received(socket);
      clearInterval(drip);
    }
  });

  it('by headers without end', async () => {
    const { send } = await opened(cleaning, { limits: { ...few, headersMs: 3_600_000 } });
    const answer = await send(`GET http://a.example/ HTTP/1.1\r\nX: ${'x'.repeat(5_000)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  it('by more connections than there may be', async () => {
    const { dial } = await opened(cleaning, { limits: { ...few, headersMs: 3_600_000 } });
    let closed = 0;
    for (let n = 0; n < 6; n++) void received(dial()).then(() => closed++);
    await vi.waitFor(() => expect(closed).toBe(3), 300_000);
    await later(150);
    expect(closed).toBe(3);
  });

  it('by refused clients that still send: they leave nothing behind', async () => {
    const { send } = await opened(cleaning, { limits: { ...few, connections: 1 } });
    for (const [request, answer] of [
      [`CONNECT no.example:443 HTTP/1.1${END}and more`, 403],
      [`GET http://no.example/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nand more`, 403],
      [`GET http://no.example/ HTTP/1.1${END}`, 403],
      ['nonsense\r\n\r\n', 400],
    ] as const) {
      // The one place is free again, or the next client would get no answer.
      await vi.waitFor(async () => expect(await send(request)).toMatch(`HTTP/1.1 ${answer} `), 300_000);
    }
  });
});

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
