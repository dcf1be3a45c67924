import { appendFile, rename, symlink, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { LONGEST_NOTE } from '../../rules/steering/index.ts';
import { RUN, raw, says, status, testDashboard } from './dashboard.fixture.ts';

const SHORT = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 100 };

test('who sends headers or a body slowly, or nothing at all, is cut off', async () => {
  const { port, token } = await testDashboard({ timeouts: SHORT });
  const slow = (first: string) => raw(port, first);
  const post = `POST /api/projects/x/control HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n`;
  expect((await slow('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ')).split(' ')[1]).toBe('408');
  expect(await slow('')).toMatch(/^(HTTP\/1\.1 408 |$)/);
  await slow(`${post}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"do"`);
});

test('bodies that are too large are refused unread, with and without a length', async () => {
  const server = await testDashboard();
  const large = `{"do":"note","text":"${'x'.repeat(10 * 1024 * 1024)}"}`;
  const head = (...more: string[]) =>
    [
      `POST /api/projects/${server.project}/control HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Authorization: Bearer ${server.token}`,
      'Content-Type: application/json',
      ...more,
      '',
      '',
    ].join('\r\n');
  expect(await raw(server.port, head(`Content-Length: ${large.length}`) + large)).toMatch(/^HTTP\/1\.1 413 /);
  const chunk = `${(65_536).toString(16)}\r\n${'x'.repeat(65_536)}\r\n`;
  expect(await raw(server.port, `${head('Transfer-Encoding: chunked')}${chunk.repeat(160)}0\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 413 /,
  );
  expect(await raw(server.port, head('Content-Length: 5', 'Transfer-Encoding: chunked'))).toMatch(/^HTTP\/1\.1 400 /);
  expect(server.done).toEqual([]);
  expect((await server.get('/api/overview')).status).toBe(200);
});

test('bodies that are no action are refused, each saying why', async () => {
  const server = await testDashboard();
  const bad = [
    '',
    '{',
    'null',
    '[]',
    '"pause"',
    '{"do":"destroy"}',
    '{"do":"pause","x":1}',
    '{"do":"stop"}',
    '{"do":"note","text":""}',
    '{"do":"note","text":7}',
    '{"do":"limits","limits":{"maxCost":-1}}',
    '{"do":"limits","limits":{"maxIterations":1e99}}',
    '{"do":"story","story":"US-1","decision":"delete"}',
    '{"__proto__":{"do":"pause"}}',
  ];
  for (const body of bad) {
    const answer = await server.post(body);
    expect([body, answer.status]).toEqual([body, 400]);
    expect((await answer.json()) as object).toEqual({ error: expect.any(String) });
  }
  const form = { authorization: `Bearer ${server.token}`, 'content-type': 'text/plain' };
  expect((await server.post({ do: 'pause' }, form)).status).toBe(415);
  expect(server.done).toEqual([]);
});

test('actions are limited in number', async () => {
  const now = Date.now();
  const server = await testDashboard({ now: () => now });
  const codes: number[] = [];
  for (let n = 0; n < 45; n++) codes.push((await server.post({ do: 'pause' })).status);
  expect(new Set(codes)).toEqual(new Set([200, 429]));
});

test('no address leads to a file', async () => {
  const { port, token, project } = await testDashboard();
  const asked = (path: string) =>
    status(port, [`GET ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`]);
  const runs = `/api/projects/${project}/runs`;
  const paths = [
    '/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/%252e%252e%252fetc',
    '/app.js%00.html',
    '/app.js/..',
    '//etc/passwd',
    '/\\..\\x',
    '/app.js;/../x',
    '/.git/config',
    '/index.html',
    '/dashboard/index.html',
    `${runs}/..`,
    `${runs}/%2e%2e`,
    `${runs}/..%2f..%2f..`,
    `${runs}/${RUN}%2f..`,
    `${runs}/${RUN}%00`,
    `${runs}/${RUN}/..%2f`,
    `${runs}/20260101-090000-zzzz`,
    `${runs}/20260101-090000-ABCD`,
    `/api/projects/..%2f..%2fetc/runs/${RUN}`,
    `/api/projects/zzzz/runs/${RUN}`,
    `/api/projects/__proto__/runs/${RUN}`,
    `/api/projects//runs/${RUN}`,
    `${runs}/${RUN}/commits/HEAD`,
    `${runs}/${RUN}/commits/--output=x`,
    `${runs}/${RUN}/commits/${'0'.repeat(40)}`,
    `${runs}/${RUN}/commits/..%2f..`,
  ];
  for (const path of paths) {
    const code = await asked(path);
    // `/app.js/..` is `/app.js/..` nowhere; a path that URLs normalise to `/` is the page.
    expect([path, code]).toEqual([
      path,
      expect.toSatisfy((one) => one === 404 || one === 400 || (path.endsWith('..') && one === 200)),
    ]);
  }
  expect(await asked(`${runs}/${RUN}`)).toBe(200);
  for (const query of ['from=-1', 'from=x', 'count=1e9', 'iteration=../..', `q=${'x'.repeat(600)}`]) {
    expect([query, await asked(`${runs}/${RUN}/lines?${query}`)]).toEqual([query, 400]);
  }
});

test('headers and addresses that are too large are refused', async () => {
  const { port } = await testDashboard();
  expect(await status(port, ['GET / HTTP/1.1', `Host: 127.0.0.1:${port}`, `X-Large: ${'x'.repeat(100_000)}`])).toBe(
    431,
  );
  expect(await status(port, [`GET /${'x'.repeat(100_000)} HTTP/1.1`, `Host: 127.0.0.1:${port}`])).toBe(431);
  expect(
    await status(port, ['GET / HTTP/1.1', `Host: 127.0.0.1:${port}`, `Cookie: ${`ralph-${port}=x; `.repeat(500)}`]),
  ).toBe(401);
});

test('a log that was replaced by a link is not read', async () => {
  const server = await testDashboard();
  await server.log(says('before'));
  expect(((await (await server.get(server.run)).json()) as { lines: number }).lines).toBe(2);
  const secret = `${server.root}/../secret`;
  await writeFile(secret, `${JSON.stringify({ type: 'log', version: 1, run: RUN })}\nroot:x:0:0\n`.repeat(50));
  await rename(server.logFile, `${server.logFile}.old`);
  await symlink(secret, server.logFile);
  for (const path of ['', '/lines', '/report', '/lines?q=root']) {
    expect(await (await server.get(`${server.run}${path}`)).text()).not.toContain('root:x');
  }
});

test('a thousand who watch are served or refused, and the server goes on', async () => {
  const server = await testDashboard();
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const head = `GET ${server.run}/stream HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${server.token}\r\n\r\n`;
  const before = process.memoryUsage().rss;
  const codes = await Promise.all(
    Array.from({ length: 1_000 }, () => {
      return new Promise<string>((resolve) => {
        const socket = connect(server.port, '127.0.0.1', () => socket.write(head));
        sockets.push(socket);
        socket.once('data', (data) => resolve(data.toString('utf8').split(' ')[1] ?? ''));
        socket.once('close', () => resolve('closed')).on('error', () => {});
      });
    }),
  );
  const count = (code: string) => codes.filter((one) => one === code).length;
  expect([count('200'), count('503') + count('closed')]).toEqual([256, 744]);
  await server.log(...Array.from({ length: 200 }, (_, n) => says(`${n} ${'x'.repeat(1_000)}`)));
  const lines = async () => ((await (await server.get(server.run)).json()) as { lines: number }).lines;
  await expect.poll(lines).toBe(201);
  expect(process.memoryUsage().rss - before).toBeLessThan(500 * 1024 * 1024);
  for (const socket of sockets) socket.destroy();
  // The seats are free again as soon as the server notices.
  await expect.poll(async () => (await server.get(`${server.run}/stream`)).status).toBe(200);
});

test('lines that no version writes are left out, and nothing else stops', async () => {
  const server = await testDashboard();
  await server.log(says('before'));
  const odd = (fields: string) => `{"ts":"2026-01-01T09:00:00.000Z","run":"${RUN}","iteration":1,${fields}}\n`;
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  await appendFile(
    server.logFile,
    [
      odd('"type":"agent","event":null'),
      odd(`"type":"agent","event":${deep}`),
      odd(`"type":"notice","level":"info","text":"x","more":${deep}`),
      odd('"type":"agent","event":{"type":"text","text":7}'),
      odd('"type":"iteration-end","durationMs":1,"costUsd":1e308'),
      odd('"type":"commit","commit":"c","subject":"s","files":-5'),
      deep,
      '\n',
    ].join(''),
  );
  await server.log(says('after'));
  for (const query of ['', '?q=after', '?types=agent:text', '?types=text,tool&count=50']) {
    const answer = await server.get(`${server.run}/lines${query}`);
    expect([query, answer.status]).toEqual([query, 200]);
  }
  const { events } = (await (await server.get(`${server.run}/lines`)).json()) as { events: [number, object][] };
  expect(events.map(([line]) => line)).toEqual([1, 9]);
  const view = (await (await server.get(server.run)).json()) as { view: { costUsd: number } };
  expect(view.view.costUsd).toBe(0);
  const answer = await server.get(`${server.run}/stream`);
  const reader = answer.body?.getReader();
  let said = '';
  while (!said.includes('after')) said += Buffer.from((await reader?.read())?.value ?? []).toString('utf8');
  expect(said.match(/^id: .*$/gm)).toEqual(['id: 2', 'id: 10']);
  await reader?.cancel();
});

test('the longest note is taken, however its bytes are escaped', async () => {
  const server = await testDashboard();
  const text = 'x"\n\t'.repeat(LONGEST_NOTE / 4);
  const escaped = `{"do":"note","text":"${'\\u0078'.repeat(LONGEST_NOTE)}"}`;
  expect((await server.post({ do: 'note', text: `${text.trim()}y` })).status).toBe(200);
  expect((await server.post(escaped)).status).toBe(200);
  expect((await server.post({ do: 'note', text: 'x'.repeat(LONGEST_NOTE + 1) })).status).toBe(400);
});

test('wrong methods on addresses that there are, and two names of the server, are refused', async () => {
  const { port, token, project, url } = await testDashboard();
  const headers = { authorization: `Bearer ${token}` };
  const asked = async (method: string, path: string) => {
    const answer = await fetch(`${url}${path}`, { method, headers });
    return [answer.status, answer.headers.get('allow')];
  };
  expect(await asked('POST', '/api/overview')).toEqual([405, 'GET, HEAD']);
  expect(await asked('POST', '/app.js')).toEqual([405, 'GET, HEAD']);
  expect(await asked('POST', '/metrics')).toEqual([405, 'GET, HEAD']);
  expect(await asked('GET', `/api/projects/${project}/control`)).toEqual([405, 'POST']);
  expect(await asked('POST', '/nowhere')).toEqual([404, null]);
  const own = `Host: 127.0.0.1:${port}`;
  for (const other of [own, 'Host: evil.example']) {
    expect(await status(port, ['GET /api/overview HTTP/1.1', own, other, `Authorization: Bearer ${token}`])).toBe(400);
  }
});

test.each([
  ['backwards', [3, 4]],
  ['backwards=1', [3, 4]],
  ['backwards=true', [3, 4]],
  ['backwards=false', [1, 2]],
  ['backwards=0', [1, 2]],
  ['', [1, 2]],
])('lines are read by ?%s', async (query, lines) => {
  const server = await testDashboard();
  await server.log(...['a', 'b', 'c', 'd'].map(says));
  const page = await (await server.get(`${server.run}/lines?${query}&count=2`)).json();
  expect((page as { events: [number][] }).events.map(([line]) => line)).toEqual(lines);
  expect((await server.get(`${server.run}/lines?backwards=maybe`)).status).toBe(400);
});
