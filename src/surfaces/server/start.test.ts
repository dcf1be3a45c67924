import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { exists, makeTempDir, readText, remove } from '../../platform/files/files.ts';
import { bearer, rawRequest, testDesk, testServer, withAgent } from './server.fixture.ts';
import { startControlServer } from './start.ts';

const hooks = (url: string, token: string | null, init: RequestInit = {}) =>
  fetch(`${url}/hooks`, { method: 'POST', body: '{}', ...(token === null ? {} : { headers: bearer(token) }), ...init });

test('the operator finds the server and its token in a file that nobody else can read', async () => {
  const server = await testServer('20260101-100000-abcd');
  expect(JSON.parse((await readText(server.controlFile)) ?? '')).toEqual({
    url: server.url,
    token: server.operatorToken,
    pid: process.pid,
    run: '20260101-100000-abcd',
    root: '/project',
  });
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await stat(server.controlFile)).mode & 0o777).toBe(0o600);
  expect((await stat(dirname(server.controlFile))).mode & 0o777).toBe(0o700);
  await server.close();
  expect(await exists(server.controlFile)).toBe(false);
});

test('a server whose control file cannot be written does not start, and says what to set', async () => {
  const root = await makeTempDir('ralph-server-');
  const notAFolder = startControlServer({ run: 'r', root, env: { XDG_STATE_HOME: '/dev/null' } });
  await expect(notAFolder).rejects.toMatchObject({
    facts: { what: "the run's control file cannot be written", mend: [expect.stringContaining('XDG_STATE_HOME')] },
  });
  await remove(root);
});

test('without a token, or with one that never was, nothing is answered', async () => {
  const { url, token } = await withAgent();
  const wrong = [null, '', 'nonsense', token.slice(1), `${token}A`, `${token} ${token}`, token.toLowerCase()];
  for (const bad of wrong) expect([bad, (await hooks(url, bad)).status]).toEqual([bad, 401]);
  expect((await hooks(url, null, { headers: { authorization: `Basic ${token}` } })).status).toBe(401);
  expect((await fetch(`${url}/nowhere`)).status).toBe(401);
  const refused = await hooks(url, null);
  expect([refused.headers.get('www-authenticate'), await refused.json()]).toEqual([
    'Bearer',
    { error: 'a valid token is needed: the token of an agent ends with its process' },
  ]);
});

test('the token of an agent reaches its own desk, and nothing once it is revoked', async () => {
  const server = await testServer();
  const first = server.admit(testDesk({ hook: async () => ({ desk: 1 }) }));
  const second = server.admit(testDesk({ hook: async () => ({ desk: 2 }) }));
  expect(first.token).not.toBe(second.token);
  expect(await (await hooks(server.url, first.token)).json()).toEqual({ desk: 1 });
  expect(await (await hooks(server.url, second.token)).json()).toEqual({ desk: 2 });
  first.revoke();
  first.revoke();
  expect((await hooks(server.url, first.token)).status).toBe(401);
  expect((await hooks(server.url, second.token)).status).toBe(200);
});

test('a token of the wrong kind is told so', async () => {
  const { url, token, operatorToken } = await withAgent();
  const answers = [
    await hooks(url, operatorToken),
    await fetch(`${url}/mcp`, { method: 'POST', headers: bearer(operatorToken), body: '{}' }),
    await fetch(`${url}/events`, { headers: bearer(token) }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(403);
    expect((await answer.json()) as object).toEqual({ error: expect.stringMatching(/ token .*reaches /) });
  }
  expect((await fetch(`${url}/nowhere`, { headers: bearer(token) })).status).toBe(404);
});

test('only requests to its own loopback address are answered, whatever name led there', async () => {
  const { port, token } = await withAgent();
  const asked = (host: readonly string[], target = '/hooks') =>
    rawRequest(port, [
      `POST ${target} HTTP/1.1`,
      ...host,
      `Authorization: Bearer ${token}`,
      'Content-Length: 2',
      '',
      '{}',
    ]);
  expect(await asked([`Host: 127.0.0.1:${port}`])).toContain(' 200 ');
  expect(await asked([`Host: LocalHost:${port}`])).toContain(' 200 ');
  const foreign = [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    'localhost:1',
    `127.0.0.1.evil.example:${port}`,
    `user@127.0.0.1:${port}`,
    `0.0.0.0:${port}`,
  ];
  for (const host of foreign) expect([host, await asked([`Host: ${host}`])]).toEqual([host, refusal]);
  expect(await asked([])).toEqual(refusal);
  expect(await asked([`Host: evil.example`, `Host: 127.0.0.1:${port}`])).toEqual(refusal);
  expect(await asked(['Host: evil.example'], `http://127.0.0.1:${port}/hooks`)).toEqual(refusal);
});

const refusal = expect.stringMatching(/^HTTP\/1\.1 4\d\d /);

test('a page of another origin is refused before its token is looked at', async () => {
  const { url, port, token } = await withAgent();
  const from = async (origin: string) => (await hooks(url, null, { headers: { ...bearer(token), origin } })).status;
  for (const origin of ['https://evil.example', 'null', `https://127.0.0.1:${port}`, 'http://localhost']) {
    expect([origin, await from(origin)]).toEqual([origin, 403]);
  }
  expect(await from(`http://localhost:${port}`)).toBe(200);
});

test('no answer lets a page of another origin read it', async () => {
  const { url, token } = await withAgent();
  const preflight = await fetch(`${url}/hooks`, {
    method: 'OPTIONS',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(403);
  for (const answer of [preflight, await hooks(url, token)]) {
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('closing cuts off who is waiting for an answer, and a second close does nothing', async () => {
  const { url, token, close } = await withAgent(testDesk({ hook: () => new Promise(() => {}) }));
  const waiting = hooks(url, token);
  const outcome = waiting.then(
    () => 'answered',
    () => 'cut off',
  );
  await new Promise((resolve) => setTimeout(resolve, 50));
  await close();
  expect(await outcome).toBe('cut off');
  await close();
  await expect(hooks(url, token)).rejects.toThrow();
});

test('after closing, nothing keeps the process alive', async () => {
  const program = fileURLToPath(new URL('./start.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  expect({ code, signal, said }).toEqual({ code: 0, signal: null, said: 'closed\n' });
});
