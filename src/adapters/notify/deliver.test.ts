import { expect, test } from 'vitest';
import type { Message } from './deliver.ts';
import { deliver } from './deliver.ts';
import { receiver } from './receiver.fixture.ts';

const message: Message = { id: 'r1/1-1', type: 'run-end', body: '{"specversion":"1.0"}' };
const quick = { retries: 3, firstWaitMs: 5 };

test('a message is posted as a CloudEvent in its structured form', async () => {
  const { got, address } = await receiver();
  expect(await deliver(address, message, quick)).toEqual({ ok: true, status: 204, tries: 1 });
  expect(got).toHaveLength(1);
  expect(got[0]?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
  expect(got[0]?.headers).not.toHaveProperty('webhook-signature');
  expect(got[0]?.body).toBe(message.body);
});

test.each([408, 429, 500, 503])('an answer of %i is tried again', async (status) => {
  const { got, address } = await receiver((count) => ({ status: count < 3 ? status : 200 }));
  expect(await deliver(address, message, quick)).toEqual({ ok: true, status: 200, tries: 3 });
  expect(got.map(({ body }) => body)).toEqual([message.body, message.body, message.body]);
});

test.each([400, 401, 404, 410])('an answer of %i is final', async (status) => {
  const { got, address } = await receiver(() => ({ status }));
  expect(await deliver(address, message, quick)).toEqual({ ok: false, status, why: `it answers ${status}` });
  expect(got).toHaveLength(1);
});

test('another address is not followed', async () => {
  const other = await receiver();
  const { got, address } = await receiver(() => ({ status: 307, headers: { location: other.url } }));
  expect(await deliver(address, message, quick)).toMatchObject({ ok: false, status: 307 });
  expect(got).toHaveLength(1);
  expect(other.got).toEqual([]);
});

test('the wait that a receiver asks for is kept', async () => {
  const { got, address } = await receiver((count) =>
    count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : { status: 200 },
  );
  expect(await deliver(address, message, quick)).toMatchObject({ ok: true, tries: 2 });
  expect((got[1]?.at ?? 0) - (got[0]?.at ?? 0)).toBeGreaterThanOrEqual(990);
});

test('nobody there: the reason names no address', async () => {
  const address = { url: 'http://127.0.0.1:9/secret-path', shown: 'it', key: 'k', chat: null, sign: null, seal: null };
  const delivery = await deliver(address, message, { retries: 1, firstWaitMs: 5 });
  expect(delivery).toMatchObject({ ok: false, status: null, why: expect.stringContaining('it cannot be reached') });
  expect(JSON.stringify(delivery)).not.toContain('secret-path');
});

test('a receiver that never answers is given up when the time is up', async () => {
  const { address, got } = await receiver(() => null);
  const stop = new AbortController();
  const delivering = deliver(address, message, { ...quick, signal: stop.signal });
  await expect.poll(() => got.length).toBe(1);
  stop.abort();
  expect(await delivering).toEqual({ ok: false, status: null, why: 'the time ran out before it answered' });
  expect(await deliver(address, message, { ...quick, signal: stop.signal })).toMatchObject({ ok: false });
  expect(got).toHaveLength(1);
});

test('a user and a password in the address become a header', async () => {
  const { url, got, address } = await receiver();
  const named = { ...address, url: url.replace('//', '//una:p%40ss@') };
  expect(await deliver(named, message, quick)).toMatchObject({ ok: true });
  expect(got[0]?.headers.authorization).toBe(`Basic ${Buffer.from('una:p@ss').toString('base64')}`);
});
