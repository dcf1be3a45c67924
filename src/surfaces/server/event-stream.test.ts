import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RalphEvent } from '../../contracts/index.ts';
import { openEventStream } from './event-stream.ts';
import { bearer, type TestServer, testServer } from './server.fixture.ts';
import { type Message, messagesOf } from './sse.fixture.ts';

function event(text: string, iteration = 1): RalphEvent {
  return { ts: '2026-01-01T00:00:00.000Z', run: 'r1', iteration, type: 'agent', event: { type: 'text', text } };
}

/** The messages of an answer, and the texts of the agent in them. */
function readerOf(response: Response): { next: () => Promise<Message>; texts: (count: number) => Promise<string[]> } {
  const next = messagesOf(response);
  return {
    next,
    async texts(count) {
      const texts: string[] = [];
      while (texts.length < count) texts.push(textOf(await next()));
      return texts;
    },
  };
}

function textOf({ data }: Message): string {
  return (data as { event: { text: string } }).event.text;
}

async function watch(server: TestServer, lastEventId?: string) {
  const headers = { ...bearer(server.operatorToken), ...(lastEventId && { 'last-event-id': lastEventId }) };
  const response = await fetch(`${server.url}/events`, { headers });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  return readerOf(response);
}

test('everybody who watches sees each event once, in order, from when they came', async () => {
  const server = await testServer();
  server.publish(event('before'));
  const readers = [await watch(server), await watch(server)];
  for (const text of ['one', 'two', 'line\nbreak']) server.publish(event(text));
  for (const reader of readers) {
    expect(await reader.next()).toEqual({ id: 'r1/2', event: undefined, data: event('one') });
    expect(await reader.texts(2)).toEqual(['two', 'line\nbreak']);
  }
});

test('who comes back goes on after the last event they saw', async () => {
  const server = await testServer();
  for (let n = 1; n <= 5; n++) server.publish(event(String(n)));
  const reader = await watch(server, 'r1/3');
  server.publish(event('6'));
  expect(await reader.texts(3)).toEqual(['4', '5', '6']);
  const uptodate = await watch(server, 'r1/6');
  server.publish(event('7'));
  expect(await uptodate.texts(1)).toEqual(['7']);
});

test.each(['r0/2', 'r1/99', 'r1/-1', 'r1/x', 'nonsense', '2'])(
  'an id that is none of this run (%s) is a gap, followed by all that is kept',
  async (id) => {
    const server = await testServer();
    for (let n = 1; n <= 3; n++) server.publish(event(String(n)));
    const reader = await watch(server, id);
    expect((await reader.next()).event).toBe('gap');
    expect(await reader.texts(3)).toEqual(['1', '2', '3']);
  },
);

test('secrets do not leave by the stream', async () => {
  const server = await testServer();
  const reader = await watch(server);
  server.publish(event(`Authorization: Bearer ${'a1B2'.repeat(10)}`));
  expect(textOf(await reader.next())).not.toContain('a1B2a1B2');
});

test('a comment now and then shows that the stream is alive', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await testServer();
  const { body } = await fetch(`${server.url}/events`, { headers: bearer(server.operatorToken) });
  const parts = body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await parts?.read())?.value).toBe(': here\n\n');
  vi.advanceTimersByTime(15_000);
  expect((await parts?.read())?.value).toBe(': \n\n');
  await server.close();
  expect(vi.getTimerCount()).toBe(0);
});

/** A stream with limits of its own behind a bare server, and a way to join it that never reads. */
async function smallStream(limits: Parameters<typeof openEventStream>[1]) {
  const stream = openEventStream('r1', limits);
  const server = createServer((incoming, outgoing) => {
    const id = incoming.headers['last-event-id'];
    stream.join(outgoing, typeof id === 'string' ? id : undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  onTestFinished(async () => {
    stream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { stream, url, port };
}

test('only so many events are kept, by number and by size', async () => {
  const few = await smallStream({ keptEvents: 3, keptLength: 100_000, behindBytes: 1_000_000 });
  const small = await smallStream({ keptEvents: 100, keptLength: 1_000, behindBytes: 1_000_000 });
  for (let n = 1; n <= 5; n++) {
    few.stream.publish(event(String(n)));
    small.stream.publish(event(String(n).repeat(300)));
  }
  const after = async (url: string, id: string) => readerOf(await fetch(url, { headers: { 'last-event-id': id } }));
  expect(await (await after(few.url, 'r1/2')).texts(3)).toEqual(['3', '4', '5']);
  const late = await after(few.url, 'r1/1');
  expect([(await late.next()).event, await late.texts(3)]).toEqual(['gap', ['3', '4', '5']]);
  const rest = await after(small.url, 'r1/1');
  expect([(await rest.next()).event, await rest.texts(2)]).toEqual(['gap', ['4'.repeat(300), '5'.repeat(300)]]);
});

test('an event too large to be kept is still seen by those who watch', async () => {
  const { stream, url } = await smallStream({ keptEvents: 100, keptLength: 1_000, behindBytes: 1_000_000 });
  const reader = readerOf(await fetch(url));
  stream.publish(event('x'.repeat(5_000)));
  stream.publish(event('next'));
  expect((await reader.texts(2))[1]).toBe('next');
});

test('a reader that does not read is dropped, nobody waits for it, and others lose nothing', async () => {
  const { stream, url, port } = await smallStream({ keptEvents: 10, keptLength: 10_000, behindBytes: 100_000 });
  const sleeper = await asleep(port);
  const reader = readerOf(await fetch(url));
  const texts = Array.from({ length: 400 }, (_, n) => `${n} ${'x'.repeat(50_000)}`);
  const seen: string[] = [];
  for (const text of texts) {
    stream.publish(event(text));
    seen.push(...(await reader.texts(1)));
  }
  expect(seen).toEqual(texts);
  const gone = once(sleeper, 'close');
  sleeper.resume();
  await gone;
  expect(sleeper.bytesRead).toBeLessThan(texts.join('').length);
});

/** A connection that asked for the stream and then reads nothing. */
async function asleep(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  return socket.pause();
}

test('readers that come and go leave nothing behind that a later event could trip over', async () => {
  const server = await testServer();
  for (let n = 0; n < 20; n++) {
    const leaving = new AbortController();
    const headers = bearer(server.operatorToken);
    const watched = await fetch(`${server.url}/events`, { headers, signal: leaving.signal });
    server.publish(event('hello'));
    leaving.abort();
    server.publish(event('anybody there?'));
    await watched.text().catch(() => {});
  }
  const reader = await watch(server);
  server.publish(event('still here'));
  expect(await reader.texts(1)).toEqual(['still here']);
});
