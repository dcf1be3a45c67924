import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bearer, testDesk, withAgent } from './server.fixture.ts';

const MEGABYTE = 1024 * 1024;

function post(url: string, token: string, body: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  return fetch(`${url}/hooks`, { method: 'POST', headers: bearer(token), body });
}

test('the desk is given what the client sent, and the client what the desk answers', async () => {
  const { url, token } = await withAgent(testDesk());
  const answer = await post(url, token, '{"hook_event_name":"Stop","ü":["\\u0000",1e3]}');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
  expect(await answer.json()).toEqual({ seen: { hook_event_name: 'Stop', ü: ['\0', 1000] } });
});

test('a body that is no JSON lets the agent go on, and the desk hears of it', async () => {
  const desk = testDesk();
  const { url, token } = await withAgent(desk);
  for (const body of ['', '{"a":', 'hook', '{}{}']) {
    const answer = await post(url, token, body);
    expect([answer.status, await answer.text()]).toEqual([200, '{}']);
  }
  expect(desk.failures).toHaveLength(4);
});

test('a desk that throws lets the agent go on', async () => {
  const desk = testDesk({ hook: () => Promise.reject(new Error('the disk is full')) });
  const { url, token } = await withAgent(desk);
  expect(await (await post(url, token, '{}')).text()).toBe('{}');
  expect(desk.failures).toEqual(['the disk is full']);
});

test('whatever the body, a valid token is answered with a JSON object', async () => {
  const { url, token } = await withAgent(testDesk({ hook: async (payload) => ({ kind: typeof payload }) }));
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
    { numRuns: 500 },
  );
});

test('a body of more than eight megabytes is refused, announced or not, and the desk hears of it', async () => {
  const desk = testDesk({ hook: async () => ({ small: true }) });
  const { url, token } = await withAgent(desk);
  const largest = JSON.stringify({ output: 'x'.repeat(8 * MEGABYTE - 20) });
  expect(await (await post(url, token, largest)).json()).toEqual({ small: true });
  expect((await post(url, token, 'x'.repeat(8 * MEGABYTE + 1))).status).toBe(413);
  expect(desk.failures).toHaveLength(1);
  expect(await chunkedStatus(url, token, 9)).toBe(413);
  expect(desk.failures).toHaveLength(2);
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
  const desk = testDesk();
  const { url, token } = await withAgent(desk);
  await new Promise<void>((resolve) => {
    const headers = { ...bearer(token), 'content-length': 1000 };
    const sent = request(`${url}/hooks`, { method: 'POST', headers });
    sent.once('error', () => resolve());
    sent.write('{"a":');
    setTimeout(() => sent.destroy(), 50);
  });
  await expect.poll(() => desk.failures).toEqual(['the client went away in the middle of a hook call']);
  expect((await post(url, token, '{}')).status).toBe(200);
});

test('many calls at once over the same connections are each answered with their own answer', async () => {
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const desk = testDesk({
    hook: async (payload) => {
      await wait((payload as { n: number }).n % 7);
      return { seen: payload };
    },
  });
  const { url, token } = await withAgent(desk);
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
