import { expect, it } from 'vitest';
import { upstreamFor } from './upstream.ts';

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
