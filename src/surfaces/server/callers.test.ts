import { expect, test } from 'vitest';
import { bearer, testSession, withAgent } from './server.fixture.ts';

interface Reply {
  readonly status: number;
  readonly message: { readonly id?: unknown; readonly result?: unknown; readonly error?: { readonly message: string } };
}

/** An MCP client by hand: one POST, its answer as JSON or as the one message of a stream. */
async function rpc(url: string, token: string, method: string, params?: object, id: number | null = 1): Promise<Reply> {
  const answer = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...bearer(token),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...(id !== null && { id }), method, ...(params && { params }) }),
  });
  const text = await answer.text();
  const json = /^data: (.+)$/m.exec(text)?.[1] ?? text;
  return { status: answer.status, message: json === '' ? {} : JSON.parse(json) };
}

const call = (url: string, token: string, name: string, args?: object) =>
  rpc(url, token, 'tools/call', { name, ...(args && { arguments: args }) });

test('a client shakes hands, lists the tools of its session and calls one', async () => {
  const session = testSession();
  const { url, token } = await withAgent(session);
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  expect((await rpc(url, token, 'initialize', hello)).message.result).toMatchObject({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'ralph' },
  });
  expect((await rpc(url, token, 'notifications/initialized', undefined, null)).status).toBe(202);
  expect((await rpc(url, token, 'ping')).message.result).toEqual({});
  expect((await rpc(url, token, 'tools/list', {}, 7)).message).toEqual({
    jsonrpc: '2.0',
    id: 7,
    result: { tools: session.tools },
  });
  expect((await call(url, token, 'echo', { word: 'hi', times: 2 })).message.result).toEqual({
    content: [{ type: 'text', text: 'echo {"word":"hi","times":2}' }],
    isError: false,
  });
});

test.each([
  ['nothing at all', undefined, "must have required property 'word'"],
  ['a wrong type', { word: 3 }, 'word must be string'],
  ['a value out of range', { word: 'x', times: 0 }, 'times must be >= 1'],
  ['a name that is not known', { word: 'x', wrod: 'y' }, 'must NOT have additional properties'],
])('arguments with %s never reach the session, and the model reads what is wrong', async (_, args, problem) => {
  const session = testSession({ tool: () => Promise.reject(new Error('was called')) });
  const { url, token } = await withAgent(session);
  const { content, isError } = (await call(url, token, 'echo', args)).message.result as {
    content: { text: string }[];
    isError: boolean;
  };
  expect(isError).toBe(true);
  expect(content[0]?.text).toContain(problem);
  expect(content[0]?.text).toContain('"required":["word"]');
});

test('the session answers for a tool that does not exist', async () => {
  const { url, token } = await withAgent();
  expect((await call(url, token, 'shout', { word: 'hi' })).message.result).toMatchObject({ isError: true });
});

test('each agent calls at its own session, also at the same time', async () => {
  const server = await withAgent(testSession({ tool: async () => ({ text: 'first', isError: false }) }));
  const second = server.admit(testSession({ tool: async () => ({ text: 'second', isError: false }) }));
  const tokens = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? server.token : second.token));
  const answers = await Promise.all(tokens.map((token) => call(server.url, token, 'echo', { word: 'x' })));
  expect(answers.map(({ message }) => (message.result as { content: { text: string }[] }).content[0]?.text)).toEqual(
    tokens.map((token) => (token === server.token ? 'first' : 'second')),
  );
});

test('there are no sessions: only POST is served', async () => {
  const { url, token } = await withAgent();
  for (const method of ['GET', 'DELETE', 'PUT']) {
    const answer = await fetch(`${url}/mcp`, { method, headers: bearer(token) });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
  }
});

test('a revoked token calls nothing', async () => {
  const { url, token, revoke } = await withAgent();
  expect((await call(url, token, 'echo', { word: 'x' })).status).toBe(200);
  revoke();
  expect((await call(url, token, 'echo', { word: 'x' })).status).toBe(401);
});

test.each([
  ['no JSON', '{"jsonrpc":', 400],
  ['no JSON-RPC', '{"hello":1}', 400],
  ['more than eight megabytes', `"${'x'.repeat(8 * 1024 * 1024)}"`, 413],
])('a body that is %s is refused', async (_, body, status) => {
  const { url, token } = await withAgent();
  const headers = {
    ...bearer(token),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const answer = await fetch(`${url}/mcp`, { method: 'POST', headers, body });
  expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([
    status,
    expect.arrayContaining(['error']),
  ]);
});
