import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { lend } from '../lend.ts';
import type { Lent } from '../port.ts';
import { CREDENTIALS_PORT } from '../view/environment.ts';
import { cleanup, upstreamProxy, webServer } from './gateway.fixture.ts';
import { openGateway } from './open.ts';

const cleaning = cleanup();
afterEach(cleaning.all);

const PROVIDER = {
  address: 'FAKE_BASE_URL',
  base: 'https://provider.invalid',
  secrets: { FAKE_KEY: 'sk-fake-', FAKE_TOKEN: '' },
};

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

interface Asked {
  readonly url: string;
  readonly host: string | undefined;
  readonly key: unknown;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** A provider that streams its answer in two parts, and what it was asked. */
async function provider() {
  const asked: Asked[] = [];
  const port = await webServer(cleaning, async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { url = '', headers } = incoming;
    const body = Buffer.concat(chunks).toString();
    asked.push({ url, host: headers.host, key: headers['x-api-key'], authorization: headers.authorization, body });
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: one\n\n');
    setImmediate(() => response.end('data: two\n\n'));
  });
  return { port, asked };
}

/** A gateway that lends to these agents, and a way to ask it as a client inside does. */
async function opened(lent: readonly Lent[], env = {}) {
  const lending = { lent, hosts: [], localPorts: [] };
  const gateway = await openGateway(
    { policy: { hosts: [], localPorts: [], lending }, env },
    { localPorts: [], onRefusal: () => {} },
  );
  cleaning.later(gateway.close);
  return async (path: string, headers: Record<string, string>, body = '', method = 'POST'): Promise<Answer> => {
    const socketPath = join(gateway.sockets, `${CREDENTIALS_PORT}.sock`);
    const outgoing = request({ socketPath, path, method, headers });
    outgoing.end(body);
    const [answer] = await once(outgoing, 'response');
    let text = '';
    for await (const chunk of answer) text += chunk;
    return { status: answer.statusCode, text };
  };
}

function lentBy(port: number, path = ''): Lent {
  const env = { FAKE_BASE_URL: `http://127.0.0.1:${port}${path}`, FAKE_KEY: 'the-key', FAKE_TOKEN: 'the-token' };
  const lent = lend('fake', PROVIDER, env);
  if (lent === null) throw new Error('nothing is lent');
  return lent;
}

test('a client gets stand-ins that begin as the real ones do, and an address inside', () => {
  const lent = lentBy(1);
  expect(lent.variables).toEqual({
    FAKE_KEY: expect.stringMatching(/^sk-fake-ralph-[0-9a-f]{48}$/),
    FAKE_TOKEN: expect.stringMatching(/^ralph-[0-9a-f]{48}$/),
    FAKE_BASE_URL: `http://127.0.0.1:${CREDENTIALS_PORT}`,
  });
  expect(JSON.stringify(lent.variables)).not.toContain('the-');
  expect(lentBy(1).variables).not.toEqual(lent.variables);
});

test('headers of a company, one a line, are credentials too', () => {
  const env = { FAKE_KEY: 'the-key', FAKE_HEADERS: 'X-Team: the-team\nX-Gate:  Basic the-gate:x \nodd' };
  const lent = lend('fake', { ...PROVIDER, headers: 'FAKE_HEADERS' }, env);
  expect(lent?.variables['FAKE_HEADERS']).toMatch(/^X-Team: ralph-[0-9a-f]{48}\nX-Gate: {2}ralph-[0-9a-f]{48}\nodd$/);
  expect(lent?.credentials.map(({ secret }) => secret)).toEqual(['the-key', 'the-team', 'Basic the-gate:x']);
});

test.each([
  ['no credential', {}],
  ['an empty one', { FAKE_KEY: '' }],
  ['an address that is none', { FAKE_KEY: 'the-key', FAKE_BASE_URL: 'provider' }],
])('with %s nothing is lent', (_, env) => {
  expect(lend('fake', PROVIDER, env)).toBeNull();
});

test('a stand-in becomes the real credential, in whatever header it comes; body and answer pass unchanged', async () => {
  const { port, asked } = await provider();
  const lent = lentBy(port, '/base/');
  const ask = await opened([lent]);
  const { FAKE_KEY: key = '', FAKE_TOKEN: token = '' } = lent.variables;
  expect(await ask('/v1/messages?beta=true', { 'x-api-key': key }, `{"key":"${key}"}`)).toEqual({
    status: 200,
    text: 'data: one\n\ndata: two\n\n',
  });
  await ask('/v1/messages', { authorization: `Bearer ${token}`, 'x-api-key': 'other' });
  const host = `127.0.0.1:${port}`;
  expect(asked).toEqual([
    { url: '/base/v1/messages?beta=true', host, key: 'the-key', authorization: undefined, body: `{"key":"${key}"}` },
    { url: '/base/v1/messages', host, key: 'other', authorization: 'Bearer the-token', body: '' },
  ]);
});

test('without a stand-in nothing is reached; a stand-in reaches only its own provider', async () => {
  const [one, other] = [await provider(), await provider()];
  const [lent, foreign] = [lentBy(one.port), { ...lentBy(other.port), agent: 'other' }];
  const ask = await opened([lent, foreign]);
  expect(await ask('/v1/messages', { 'x-api-key': 'sk-fake-guessed' })).toMatchObject({ status: 401 });
  // A path that looks like an address is a path.
  const path = `//127.0.0.1:${other.port}/v1`;
  await ask(path, { 'x-api-key': lent.variables['FAKE_KEY'] ?? '', host: `127.0.0.1:${other.port}` });
  expect(other.asked).toEqual([]);
  expect(one.asked).toMatchObject([{ url: path, host: `127.0.0.1:${one.port}`, key: 'the-key' }]);
});

test("the person's address may hold a login, which is added outside unless the client sends one", async () => {
  const { port, asked } = await provider();
  const env = { FAKE_BASE_URL: `http://una:p%40ss@127.0.0.1:${port}/v1`, FAKE_KEY: 'the-key', FAKE_TOKEN: 'the-token' };
  const lent = lend('fake', PROVIDER, env);
  expect(JSON.stringify(lent?.variables)).not.toMatch(/una|p%40ss|p@ss/);
  const ask = await opened(lent ? [lent] : []);
  const { FAKE_KEY: key = '', FAKE_TOKEN: token = '' } = lent?.variables ?? {};
  await ask('/messages', { 'x-api-key': key });
  await ask('/messages', { authorization: `Bearer ${token}` });
  expect(asked.map(({ url, host, authorization }) => [url, host, authorization])).toEqual([
    ['/v1/messages', `127.0.0.1:${port}`, `Basic ${Buffer.from('una:p@ss').toString('base64')}`],
    ['/v1/messages', `127.0.0.1:${port}`, 'Bearer the-token'],
  ]);
});

test('TRACE, which answers with the request, is not passed on', async () => {
  const { port, asked } = await provider();
  const lent = lentBy(port);
  const ask = await opened([lent]);
  const answer = await ask('/', { 'x-api-key': lent.variables['FAKE_KEY'] ?? '' }, '', 'TRACE');
  expect(answer.status).toBe(400);
  expect(asked).toEqual([]);
});

test('a provider that is not there is an answer with its reason', async () => {
  const lent = lentBy(1);
  const ask = await opened([lent]);
  const { status, text } = await ask('/', { 'x-api-key': lent.variables['FAKE_KEY'] ?? '' });
  expect(status).toBe(502);
  expect(text).toContain('ECONNREFUSED');
});

test("the proxy of this machine's network is used", async () => {
  const { port, asked } = await provider();
  const proxy = await upstreamProxy(cleaning, port);
  const env = { FAKE_BASE_URL: 'http://provider.example', FAKE_KEY: 'the-key' };
  const lent = lend('fake', PROVIDER, env);
  const ask = await opened(lent ? [lent] : [], { https_proxy: `http://127.0.0.1:${proxy.port}` });
  expect(await ask('/v1', { 'x-api-key': lent?.variables['FAKE_KEY'] ?? '' })).toMatchObject({ status: 200 });
  expect(proxy.asked).toEqual(['CONNECT provider.example:80']);
  expect(asked).toMatchObject([{ host: 'provider.example', key: 'the-key' }]);
});
