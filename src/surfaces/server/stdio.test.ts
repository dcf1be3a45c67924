import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { testSession } from './server.fixture.ts';
import { serveToolsOverStdio } from './stdio.ts';
import type { Toolbox } from './tool-server.ts';

/** A client at the other end of standard input and output. */
function connected(toolbox: Toolbox) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const errors: string[] = [];
  let said = '';
  stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return {
    ended: serveToolsOverStdio(toolbox, { stdin, stdout, onError: (message) => errors.push(message) }),
    send: (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    write: (text: string) => stdin.write(text),
    end: () => stdin.end(),
    stdout,
    errors,
    /** Every line that was printed; each must be JSON. */
    messages: () =>
      said
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as { id?: unknown }),
  };
}

const hello = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const echo = (id: number, word: unknown) => ({
  id,
  method: 'tools/call',
  params: { name: 'echo', arguments: { word } },
});

test('tools are listed and called over standard input and output, until the input ends', async () => {
  const client = connected(testSession());
  client.send(hello);
  client.send({ method: 'notifications/initialized' });
  client.send({ id: 2, method: 'tools/list' });
  client.send(echo(3, 'hi'));
  client.send(echo(4, 5));
  await expect.poll(() => client.messages().length).toBe(4);
  client.end();
  await client.ended;
  const byId = new Map(client.messages().map((message) => [message.id, message]));
  expect(byId.get(1)).toMatchObject({ result: { serverInfo: { name: 'ralph' } } });
  expect(byId.get(2)).toMatchObject({ result: { tools: [{ name: 'echo' }] } });
  expect(byId.get(3)).toMatchObject({ result: { content: [{ text: 'echo {"word":"hi"}' }], isError: false } });
  expect(byId.get(4)).toMatchObject({ result: { isError: true } });
});

test('what was asked before the input ended is still answered', async () => {
  const client = connected(
    testSession({
      async tool(_, args) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return { text: String(args['word']), isError: false };
      },
    }),
  );
  client.send(hello);
  for (const n of [2, 3, 4]) client.send(echo(n, `word ${n}`));
  client.end();
  await client.ended;
  expect(
    client
      .messages()
      .map(({ id }) => id)
      .sort(),
  ).toEqual([1, 2, 3, 4]);
});

test('an input that ends at once ends the server', async () => {
  const client = connected(testSession());
  client.end();
  await client.ended;
  expect(client.messages()).toEqual([]);
});

test('a line that is no message is reported to people, never on the output, and the rest goes on', async () => {
  const client = connected(testSession());
  client.send(hello);
  await expect.poll(() => client.messages().length).toBe(1);
  client.write('{"jsonrpc":"2.0","id":9,"method":5}\n');
  client.send(echo(2, 'hi'));
  client.end();
  await client.ended;
  expect(client.errors.length).toBeGreaterThan(0);
  expect(client.messages().map(({ id }) => id)).toEqual([1, 2]);
});

test('a client that stops listening ends the server', async () => {
  const client = connected(testSession());
  client.send(hello);
  await expect.poll(() => client.messages().length).toBe(1);
  client.stdout.destroy(new Error('EPIPE'));
  await client.ended;
});
