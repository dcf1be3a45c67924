import type { LookupAddress } from 'node:dns';
import { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, it, vi } from 'vitest';
import { cleanup, echoServer } from './gateway.fixture.ts';
import { tryConnect } from './sockets.ts';
import { connectTo, upstreamFor } from './upstream.ts';

const target = { host: 'api.example.com', port: 443 };
const hostFor = (env: Record<string, string>, to = target, way: 'tunnel' | 'plain' = 'tunnel') =>
  upstreamFor(env, to, way)?.host ?? null;

it.each([
  [{ HTTPS_PROXY: 'http://p.example:3128' }, 'p.example'],
  [{ https_proxy: 'http://small.example', HTTPS_PROXY: 'http://p.example' }, 'small.example'],
  [{ ALL_PROXY: 'p.example:3128' }, 'p.example'],
  [{ HTTP_PROXY: 'http://p.example' }, null],
  [{ HTTPS_PROXY: '' }, null],
  [{ HTTPS_PROXY: 'socks5://p.example' }, null],
  [{ HTTPS_PROXY: 'not a url' }, null],
])('%j leads tunnels to %s', (env, host) => {
  expect(hostFor(env as unknown as Record<string, string>)).toBe(host);
});

it('plain requests have a variable of their own', () => {
  expect(hostFor({ HTTP_PROXY: 'http://p.example' }, { ...target, port: 80 }, 'plain')).toBe('p.example');
});

it('a login may hold a lone percent sign', () => {
  const https_proxy = 'http://una:100%zz%C3%BC@p.example';
  const authorization = `Basic ${Buffer.from('una:100%zzü').toString('base64')}`;
  expect(upstreamFor({ https_proxy }, target, 'tunnel')?.authorization).toBe(authorization);
});

it('login and TLS are taken from the URL', () => {
  const https_proxy = 'https://una:p%3Ass@p.example';
  const authorization = `Basic ${Buffer.from('una:p:ss').toString('base64')}`;
  expect(upstreamFor({ https_proxy }, target, 'tunnel')).toEqual({
    host: 'p.example',
    port: 443,
    tls: true,
    authorization,
  });
});

it.each([
  ['*', true],
  ['example.com', true],
  ['.example.com', true],
  ['*.example.com', true],
  ['other.example, API.example.com', true],
  ['api.example.com:443', true],
  ['api.example.com:80', false],
  ['ample.com', false],
  ['', false],
])('NO_PROXY %j: direct is %s', (NO_PROXY, direct) => {
  expect(hostFor({ HTTPS_PROXY: 'http://p.example', NO_PROXY }) === null).toBe(direct);
});

it('this machine is never looked for behind a proxy', () => {
  expect(hostFor({ HTTPS_PROXY: 'http://p.example' }, { host: '127.0.0.1', port: 5432 })).toBeNull();
});

const answers = vi.hoisted(() => ({ next: [] as string[][], asked: 0 }));
vi.mock('node:dns/promises', () => ({
  lookup: async (): Promise<LookupAddress[]> => {
    answers.asked++;
    const found = answers.next.shift();
    if (!found) throw new Error('ENOTFOUND');
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  },
}));

vi.mock('./sockets.ts', async (original) => {
  const real = await original<typeof import('./sockets.ts')>();
  return { ...real, tryConnect: vi.fn(real.tryConnect) };
});

const cleaning = cleanup();
afterEach(async () => {
  answers.next = [];
  answers.asked = 0;
  await cleaning.all();
});

/** Connects without a proxy. */
const reach = (to: typeof target, match: Parameters<typeof connectTo>[2]) =>
  connectTo({ onRefusal: () => {} }, to, match, null);
const exact = { exact: true, explicitPort: false };
const byWildcard = { exact: false, explicitPort: false };
it.each([
  '127.0.0.1',
  '127.8.8.8',
  '0.0.0.0',
  '169.254.169.254',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fe80::1%eth0',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
])('a listed name that resolves to %s is refused', async (address) => {
  answers.next = [[address]];
  expect(await reach(target, exact)).toMatchObject({ status: 403 });
});

it.each(['10.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', 'fd00::1'])(
  'a name that only a wildcard lists is refused when it resolves to %s',
  async (address) => {
    answers.next = [[address]];
    expect(await reach(target, byWildcard)).toMatchObject({ status: 403 });
  },
);

it('every address of this machine is refused to names', async () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    answers.next = [[address]];
    expect(await reach(target, exact), address).toMatchObject({ status: 403 });
  }
});

it('the name is resolved once: the address that was judged is the one that is connected to', async () => {
  answers.next = [['203.0.113.5', '127.0.0.1', '203.0.113.6'], ['127.0.0.1']];
  vi.mocked(tryConnect).mockResolvedValueOnce(null).mockResolvedValueOnce(null);
  expect(await reach(target, exact)).toMatchObject({ status: 504 });
  expect(vi.mocked(tryConnect).mock.calls.map(([address]) => address)).toEqual(['203.0.113.5', '203.0.113.6']);
  expect(answers.asked).toBe(1);
});

it('a name without an address is no refusal', async () => {
  expect(await reach(target, exact)).toMatchObject({ status: 502 });
});

it('an address that is listed itself is connected to as it is', async () => {
  const port = await echoServer(cleaning);
  for (const host of ['127.0.0.1', 'localhost']) {
    const reached = await reach({ host, port }, { exact: true, explicitPort: true });
    expect(reached).toBeInstanceOf(Socket);
    if (reached instanceof Socket) reached.destroy();
  }
  expect(answers.asked).toBe(0);
});
