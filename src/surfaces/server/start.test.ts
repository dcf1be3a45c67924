import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { bearer, rawRequest, testServer, testSession, withAgent } from './server.fixture.ts';

const hooks = (url: string, token: string | null, init: RequestInit = {}) =>
  fetch(`${url}/hooks`, { method: 'POST', body: '{}', ...(token === null ? {} : { headers: bearer(token) }), ...init });

test('without a token, or with one that never was, nothing is answered', async () => {
  const { url, token } = await withAgent();
  const wrong = [null, '', 'nonsense', token.slice(1), `${token}A`, `${token} ${token}`, token.toLowerCase()];
  for (const bad of wrong) expect([bad, (await hooks(url, bad)).status]).toEqual([bad, 401]);
  expect((await hooks(url, null, { headers: { authorization: `Basic ${token}` } })).status).toBe(401);
  expect((await fetch(`${url}/nowhere`)).status).toBe(401);
  const refused = await hooks(url, null);
  expect([refused.headers.get('www-authenticate'), await refused.json()]).toEqual([
    'Bearer',
    { error: "a valid token is needed: an agent's token expires with its process" },
  ]);
});

test('the token of an agent reaches its own session, and nothing once it is revoked', async () => {
  const server = await testServer();
  const first = server.admit(testSession({ hook: async () => ({ session: 1 }) }));
  const second = server.admit(testSession({ hook: async () => ({ session: 2 }) }));
  expect(first.token).not.toBe(second.token);
  expect(await (await hooks(server.url, first.token)).json()).toEqual({ session: 1 });
  expect(await (await hooks(server.url, second.token)).json()).toEqual({ session: 2 });
  first.revoke();
  first.revoke();
  expect((await hooks(server.url, first.token)).status).toBe(401);
  expect((await hooks(server.url, second.token)).status).toBe(200);
});

test('there is nothing at other addresses', async () => {
  const { url, token } = await withAgent();
  for (const path of ['nowhere', 'events']) {
    expect((await fetch(`${url}/${path}`, { headers: bearer(token) })).status).toBe(404);
  }
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
  const { url, token, close } = await withAgent(testSession({ hook: () => new Promise(() => {}) }));
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
  const timer = setTimeout(() => child.kill('SIGKILL'), 300_000);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  expect({ code, signal, said }).toEqual({ code: 0, signal: null, said: 'closed\n' });
});

const MEGABYTE = 1024 * 1024;

function post(url: string, token: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(`${url}/hooks`, { method: 'POST', headers: bearer(token), body });
}

test('the session is given what the client sent, and the client what the session answers', async () => {
  const { url, token } = await withAgent(testSession());
  const answer = await post(url, token, '{"hook_event_name":"Stop","ü":["\\u0000",1e3]}');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await answer.json()).toEqual({ seen: { hook_event_name: 'Stop', ü: ['\0', 1000] } });
});

test('a body that is no JSON lets the agent go on, and the session hears of it', async () => {
  const session = testSession();
  const { url, token } = await withAgent(session);
  for (const body of ['', '{"a":', 'hook', '{}{}']) {
    const answer = await post(url, token, body);
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
  }
  expect(session.failures).toHaveLength(4);
});

test('a session that throws lets the agent go on', async () => {
  const session = testSession({ hook: () => Promise.reject(new Error('the disk is full')) });
  const { url, token } = await withAgent(session);
  expect(await (await post(url, token, '{}')).text()).toBe('{}');
  expect(session.failures).toEqual(['the disk is full']);
});

test('whatever the body, a valid token is answered with a JSON object', async () => {
  const { url, token } = await withAgent(testSession({ hook: async (payload) => ({ kind: typeof payload }) }));
  const anyBody = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 200 }),
    // JSON that was cut off, and JSON with a byte changed.
    fc.tuple(fc.json(), fc.nat()).map(([text, at]) => text.slice(0, at % (text.length + 1))),
    fc.tuple(fc.json(), fc.nat(), fc.nat(255)).map(([text, at, byte]) => {
      const bytes = new TextEncoder().encode(text);
      bytes[at % bytes.length] = byte;
      return bytes;
    }),
  );
  await fc.assert(
    fc.asyncProperty(anyBody, async (body) => {
      const answer = await post(url, token, body);
      const value: unknown = await answer.json();
      expect([answer.status, typeof value, Array.isArray(value), value === null]).toEqual([
        200,
        'object',
        false,
        false,
      ]);
    }),
    { numRuns: runs(500) },
  );
});

test('a body of more than eight megabytes is refused, announced or not, and the session hears of it', async () => {
  const session = testSession({ hook: async () => ({ small: true }) });
  const { url, token } = await withAgent(session);
  const largest = JSON.stringify({ output: 'x'.repeat(8 * MEGABYTE - 20) });
  expect(await (await post(url, token, largest)).json()).toEqual({ small: true });
  expect((await post(url, token, 'x'.repeat(8 * MEGABYTE + 1))).status).toBe(413);
  expect(session.failures).toHaveLength(1);
  expect(await chunkedStatus(url, token, 9)).toBe(413);
  expect(session.failures).toHaveLength(2);
  expect(await chunkedStatus(url, token, 0)).toBe(200);
});

/** Sends megabytes without saying before how many; no `content-length`. */
function chunkedStatus(url: string, token: string, megabytes: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/hooks`, { method: 'POST', headers: bearer(token) }, (response) => {
      resolve(response.statusCode);
      response.resume();
    });
    sent.once('error', reject);
    for (let part = 0; part < megabytes; part++) sent.write('x'.repeat(MEGABYTE));
    sent.end('{}');
  });
}

test('a client that goes away in the middle of its body is reported, and harms nobody else', async () => {
  const session = testSession();
  const { url, token } = await withAgent(session);
  await new Promise<void>((resolve) => {
    const headers = { ...bearer(token), 'content-length': 1000 };
    const sent = request(`${url}/hooks`, { method: 'POST', headers });
    sent.once('error', () => resolve());
    sent.write('{"a":');
    setTimeout(() => sent.destroy(), 50);
  });
  await expect.poll(() => session.failures).toEqual(['the client disconnected during a hook call']);
  expect((await post(url, token, '{}')).status).toBe(200);
});

test('many calls at once over the same connections are each answered with their own answer', async () => {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const session = testSession({
    hook: async (payload) => {
      await wait((payload as { n: number }).n % 7);
      return { seen: payload };
    },
  });
  const { url, token } = await withAgent(session);
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const ask = (n: number) =>
    new Promise<unknown>((resolve, reject) => {
      const sent = request(`${url}/hooks`, { method: 'POST', headers: bearer(token), agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('end', () => resolve(JSON.parse(text)));
      });
      sent.once('error', reject).end(JSON.stringify({ n }));
    });
  const numbers = Array.from({ length: 400 }, (_, n) => n);
  expect(await Promise.all(numbers.map(ask))).toEqual(numbers.map((n) => ({ seen: { n } })));
  agent.destroy();
});
