import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { easySteps, makeProject, type Project } from '../support/project.ts';
import { until } from '../support/until.ts';

/** Webhooks of a real run, taken by a real server. */

interface Got {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const SECRET = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;

let project: Project;
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  server = undefined;
  await project?.remove();
});

/** @param status null never answers */
async function receiver(status: () => number | null): Promise<{ readonly url: string; readonly got: readonly Got[] }> {
  const got: Got[] = [];
  const listening = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      const code = status();
      if (code !== null) response.writeHead(code).end();
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/hooks/geheim`, got };
}

async function projectWith(webhook: object | null): Promise<void> {
  const notify = { webhooks: webhook === null ? [] : [webhook] };
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: easySteps('US-001'),
    verifyCommands: ['true'],
    files: { 'ralph.config.json': JSON.stringify({ notify }) },
  });
}

test('the events that were asked for arrive in order, signed', { tags: ['promise'] }, async () => {
  const { url, got } = await receiver(() => 204);
  await projectWith({ url, secretEnv: 'HOOK_SECRET', events: ['run-start', 'verdict', 'run-end'] });
  const { code, stderr } = await project.run([], { HOOK_SECRET: SECRET });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const bodies = got.map(
    ({ body, headers }) => new Webhook(SECRET).verify(body, headers as Record<string, string>) as { type: string },
  );
  expect(bodies.map(({ type }) => type)).toEqual([
    'dev.ralph.run-start',
    'dev.ralph.verdict',
    'dev.ralph.verdict',
    'dev.ralph.run-end',
  ]);
  expect(bodies[1]).toMatchObject({
    source: '/ralph/repo',
    data: { story: 'US-001', iteration: 1, mode: 'implement' },
  });
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
});

test('a receiver that does not answer costs the end of a run five seconds, and can be told later', async () => {
  let status: number | null = null;
  const { url, got } = await receiver(() => status);
  await projectWith({ url, secretEnv: null });
  const { code, stdout, stderr } = await project.run(['--json']);
  expect(code).toBe(0);
  const last = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
  expect(last.type).toBe('run-end');
  expect(stderr).toMatch(
    /^warning: not delivered to http:\/\/127\.0\.0\.1:\d+\/…: 1 message; [^\n]*`ralph notify retry`[^\n]*\n$/,
  );
  const first = got[0];

  status = 500;
  const refused = await project.ralph(['notify', 'retry']);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(/^✗ http:\S+: 0 of 1 message delivered; it answers 500\n$/);
  expect(refused.stdout).not.toContain('geheim');
  status = 200;
  expect(await project.ralph(['notify', 'retry'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 of 1 message delivered'),
  });
  expect(got.at(-1)?.body).toBe(first?.body);
  expect((await project.ralph(['notify', 'retry'])).stdout).toContain('nothing to send again');
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s after the end of a run ends the wait, not its exit code',
  async (signal) => {
    const { url, got } = await receiver(() => null);
    await projectWith({ url, secretEnv: 'HOOK_SECRET' });
    const { child, ended } = project.start(['run', '--scenario', project.scenario, '--agent', 'scripted'], {
      HOOK_SECRET: SECRET,
    });
    await until(async () => got.length > 0);
    child.kill(signal);
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain('not delivered to http://127.0.0.1:');
    const letters = await project.read('.git/ralph/webhooks-undelivered.jsonl');
    expect(letters.trimEnd().split('\n')).toHaveLength(1);

    // What an agent adds to the file is not signed.
    const forged = { ...JSON.parse(letters), id: 'forged', body: '{"forged":true}' };
    await project.write('.git/ralph/webhooks-undelivered.jsonl', `${JSON.stringify(forged)}\n`);
    const before = got.length;
    const refused = await project.ralph(['notify', 'retry'], { HOOK_SECRET: SECRET });
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('1 message not sent: saved under an earlier secret'),
    });
    expect(got).toHaveLength(before);
  },
);

test('ralph notify test shows what works', async () => {
  const { url, got } = await receiver(() => 200);
  await projectWith({ url, secretEnv: 'HOOK_SECRET' });
  const good = await project.ralph(['notify', 'test'], { HOOK_SECRET: SECRET });
  expect(good).toMatchObject({ code: 0, stdout: expect.stringMatching(/^✓ http:\S+: it answers 200; signed\n$/) });
  expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ type: 'dev.ralph.test', data: { project: 'repo' } });
  const bad = await project.ralph(['notify', 'test']);
  expect(bad).toMatchObject({ code: 1, stdout: expect.stringContaining('HOOK_SECRET, is not set') });
  const inside = await project.ralph(['notify', 'test'], { RALPH_RUN_ID: '20260101-100000-abcd' });
  expect(inside).toMatchObject({ code: 2, stderr: expect.stringContaining('not for agents') });
});

test('a chat hears of the end in its own form; its address stays secret', async () => {
  const { url, got } = await receiver(() => 200);
  await projectWith({ urlEnv: 'CHAT', format: 'slack' });
  const { code, stdout, stderr } = await project.run(['--json'], { CHAT: url });
  expect(code).toBe(0);
  expect(got.map(({ body }) => JSON.parse(body))).toEqual([
    expect.objectContaining({ text: expect.stringMatching(/^ralph is done · repo: complete: /) }),
  ]);
  const tested = await project.ralph(['notify', 'test'], { CHAT: url });
  expect(tested).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ http:\S+: it answers 200; not signed\n$/),
  });
  expect(JSON.parse(got.at(-1)?.body ?? '')).toMatchObject({ text: 'ralph · repo: ralph notify test' });
  const unset = await project.ralph(['notify', 'test']);
  expect(unset).toMatchObject({ code: 1, stdout: expect.stringContaining('the variable CHAT holds no http') });
  expect([stdout, stderr, tested.stdout, tested.stderr].join('')).not.toContain('geheim');
});

test('without settings there is nobody to tell', async () => {
  await projectWith(null);
  const { code, stderr } = await project.ralph(['notify', 'test']);
  expect(code).toBe(2);
  expect(stderr).toContain('no notifications are configured');
});
