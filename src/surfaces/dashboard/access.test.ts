import { expect, test } from 'vitest';
import { raw, status, testDashboard } from './dashboard.fixture.ts';

const PATHS = [
  '/',
  '/app.js',
  '/app.css',
  '/icon.svg',
  '/api/overview',
  '/api/fleet',
  '/api/overview/stream',
  '/metrics',
  '/nowhere',
];

test('nothing is answered without token or cookie, and the page says how to come in', async () => {
  const server = await testDashboard();
  for (const path of [...PATHS, server.run, `${server.run}/stream`, `${server.run}/report`]) {
    expect([path, (await server.get(path, {})).status]).toEqual([path, 401]);
  }
  const page = await server.get('/', { accept: 'text/html' });
  expect([page.status, await page.text()]).toEqual([401, expect.stringContaining('<code>ralph dashboard</code>')]);
  expect(await (await server.get('/api/overview', {})).json()).toMatchObject({ fix: [expect.any(String)] });
});

test('the address lets in: a cookie for reading, the token behind the # for control', async () => {
  const server = await testDashboard();
  const entry = await server.get(`/?token=${server.token}`, {});
  expect([entry.status, entry.headers.get('location')]).toEqual([302, `/#control=${server.token}`]);
  const cookie = entry.headers.get('set-cookie') ?? '';
  expect(cookie.split('; ').slice(1, 4)).toEqual(['HttpOnly', 'SameSite=Strict', 'Path=/']);
  expect(cookie).not.toContain(server.token);
  expect(cookie.split(';')[0]).toBe(server.cookie);
  for (const path of ['/', '/app.js', '/api/overview', '/api/fleet', server.run, '/metrics']) {
    expect([path, (await server.get(path, { cookie: `other=1; ${server.cookie}` })).status]).toEqual([path, 200]);
    expect([path, (await server.get(path)).status]).toEqual([path, 200]);
  }
});

test('who comes from a page of another site takes the last step themselves', async () => {
  const server = await testDashboard();
  const entry = await raw(
    server.port,
    `GET /?token=${server.token} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${LED_HERE}Connection: close\r\n\r\n`,
  );
  expect(entry).toMatch(/^HTTP\/1\.1 200 /);
  expect(entry).toContain(`href="/#control=${server.token}"`);
});

/** What a browser says when a link of another site leads here. */
const LED_HERE = 'Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n';

test('the cookie alone, or the token anywhere but in its header, changes nothing', async () => {
  const server = await testDashboard();
  const action = { do: 'story', story: 'US-001', decision: 'approve', title: 'Sum', run: 'r1' };
  const read = server.cookie.split('=')[1] ?? '';
  const tries: Record<string, string>[] = [
    {},
    { cookie: server.cookie },
    { authorization: `Bearer ${read}` },
    { cookie: server.cookie, 'x-token': server.token },
    { cookie: `ralph-${server.port}=${server.token}` },
    { authorization: `Basic ${server.token}` },
    { authorization: server.token },
    { authorization: `Bearer ${server.token}x` },
  ];
  for (const headers of tries) {
    expect([headers, (await server.post(action, headers)).status]).toEqual([headers, expect.toSatisfy(isRefusal)]);
  }
  const inAddress = await fetch(`${server.url}/api/projects/${server.project}/control?token=${server.token}`, {
    method: 'POST',
    headers: { cookie: server.cookie, 'content-type': 'application/json' },
    body: JSON.stringify({ ...action, token: server.token }),
  });
  expect(inAddress.status).toBe(403);
  expect(server.done).toEqual([]);
  expect((await server.post(action)).status).toBe(200);
  expect(server.done).toEqual([[server.root, action]]);
});

const isRefusal = (code: number) => code === 401 || code === 403;

test('wrong tokens are slowed down, and the right one is never locked out', async () => {
  // The clock stands still: on a busy machine forty calls take so long that none would have to wait.
  const server = await testDashboard({ now: () => 0 });
  const codes: number[] = [];
  for (let n = 0; n < 40; n++)
    codes.push((await server.get('/api/overview', { authorization: `Bearer wrong${n}` })).status);
  expect(codes).toEqual([...Array(20).fill(401), ...Array(20).fill(429)]);
  const slowed = await server.get('/?token=wrong', {});
  expect([slowed.status, Number(slowed.headers.get('retry-after'))]).toEqual([429, 1]);
  expect((await server.get('/api/overview')).status).toBe(200);
  expect((await server.get('/api/overview', { cookie: server.cookie })).status).toBe(200);
  expect((await server.get(`/?token=${server.token}`, {})).status).toBe(302);
});

test('a new token puts everybody out within a moment, streams as well', async () => {
  const server = await testDashboard();
  const stream = await server.get(`${server.run}/stream`);
  server.renew('n'.repeat(43));
  // Cut off in the middle: no orderly end.
  await expect(stream.text()).rejects.toThrow();
  expect((await server.get('/api/overview')).status).toBe(401);
  expect((await server.get('/api/overview', { cookie: server.cookie })).status).toBe(401);
  expect((await server.get('/api/overview', { authorization: `Bearer ${'n'.repeat(43)}` })).status).toBe(200);
});

test('only its own name is answered to, whatever name led there', async () => {
  const { port, token } = await testDashboard();
  const asked = (host: string, target = '/api/overview') =>
    status(port, [`GET ${target} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${token}`]);
  expect(await asked(`127.0.0.1:${port}`)).toBe(200);
  expect(await asked(`LOCALHOST:${port}`)).toBe(200);
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1.evil.example:${port}`,
    `[::1]:${port}`,
    '',
  ]) {
    expect([host, await asked(host)]).toEqual([host, expect.toSatisfy((code) => code === 403 || code === 400)]);
  }
  expect(await asked('evil.example', `http://127.0.0.1:${port}/api/overview`)).toBe(403);
  expect(await status(port, ['GET /?token=x HTTP/1.1', 'Host: evil.example'])).toBe(403);
});

test('pages of other origins, other ports of this host among them, neither call nor read', async () => {
  const server = await testDashboard();
  const own = { authorization: `Bearer ${server.token}` };
  for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:3000', `https://127.0.0.1:${server.port}`]) {
    expect([origin, (await server.post({ do: 'pause' }, { ...own, origin })).status]).toEqual([origin, 403]);
    expect([origin, (await server.get('/api/overview', { cookie: server.cookie, origin })).status]).toEqual([
      origin,
      403,
    ]);
  }
  for (const site of ['cross-site', 'same-site']) {
    const asked = (path: string, mode: string, dest: string) =>
      status(server.port, [
        `GET ${path} HTTP/1.1`,
        `Host: 127.0.0.1:${server.port}`,
        `Cookie: ${server.cookie}`,
        `Sec-Fetch-Site: ${site}`,
        `Sec-Fetch-Mode: ${mode}`,
        `Sec-Fetch-Dest: ${dest}`,
      ]);
    expect(await asked('/api/overview', 'no-cors', 'empty')).toBe(403);
    expect(await asked('/api/overview', 'navigate', 'document')).toBe(403);
    expect(await asked('/app.js', 'no-cors', 'script')).toBe(403);
    expect(await asked('/', 'navigate', 'iframe')).toBe(403);
    expect(await asked('/', 'navigate', 'document')).toBe(200);
  }
  expect((await server.post({ do: 'pause' }, { ...own, origin: server.url })).status).toBe(200);
  const preflight = await fetch(`${server.url}/api/overview`, { method: 'OPTIONS', headers: own });
  for (const answer of [preflight, await server.get('/api/overview')]) {
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
});

test('every answer forbids scripts from elsewhere, frames, sniffing and referrers', async () => {
  const server = await testDashboard();
  for (const answer of [
    await server.get('/'),
    await server.get('/', {}),
    await server.get('/api/overview'),
    await server.get(`${server.run}/stream`),
  ]) {
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'$/,
    );
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(answer.headers.get('cross-origin-opener-policy')).toBe('same-origin');
    await answer.body?.cancel();
  }
});

test('the page is fetched again only when it changed', async () => {
  const server = await testDashboard();
  const page = await server.get('/app.js');
  const etag = page.headers.get('etag') ?? '';
  expect([await page.text(), page.headers.get('cache-control')]).toEqual(['app.js', 'no-cache']);
  expect((await server.get('/app.js', { cookie: server.cookie, 'if-none-match': etag })).status).toBe(304);
});

test('other methods are refused, and HEAD has no body', async () => {
  const { port, token, run } = await testDashboard();
  const asked = (method: string, path = '/api/overview') =>
    status(port, [`${method} ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`]);
  for (const method of ['OPTIONS', 'TRACE', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
    expect([method, await asked(method)]).toEqual([method, 405]);
  }
  expect(await asked('HEAD')).toBe(200);
  expect(await asked('HEAD', `${run}/stream`)).toBe(405);
  const head = await raw(
    port,
    `HEAD / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`,
  );
  expect(head.split('\r\n\r\n')[1]).toBe('');
  expect(await raw(port, `CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n`)).not.toContain(' 200 ');
});

test('a server proves that it knows the token without telling it', async () => {
  const server = await testDashboard();
  const { proof } = (await (await server.get(`/proof?challenge=${'c'.repeat(43)}`, {})).json()) as { proof: string };
  expect(proof).toMatch(/^[\w-]{43}$/);
  expect([server.token, server.cookie.split('=')[1]]).not.toContain(proof);
  expect((await server.get('/proof?challenge=read', {})).status).toBe(400);
  expect((await server.get('/proof', {})).status).toBe(401);
});
