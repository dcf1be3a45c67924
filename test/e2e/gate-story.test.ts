// @module-tag long
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { serveDashboard } from '../support/dashboard.ts';
import { easySteps, makeProject, type Project } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { until } from '../support/until.ts';

let project: Project;
let server: Server | undefined;
afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  server = undefined;
  await project?.remove();
});

async function made(config: object) {
  project = await makeProject({
    stories: [{ id: 'US-001' }, { id: 'US-002', dependsOn: ['US-001'] }, { id: 'US-003' }],
    steps: [...easySteps('US-001'), ...easySteps('US-002'), ...easySteps('US-003')],
    verifyCommands: ['true'],
    files: { 'ralph.config.json': JSON.stringify(config) },
  });
}

const states = async () =>
  Object.fromEntries((await project.stories()).map(({ id, passes, blocked }) => [id, passes || blocked || 'open']));
const AWAITS = 'approved by the loop; waits for your approval';
/** The waits of the last run, begun and ended. */
const waits = async () =>
  (await eventsOf(project)).flatMap((event) =>
    /^wait/.test(event.type) ? [`${event.type} ${(event as { why?: string }).why}`] : [],
  );

test('an approved story counts once a person approves it; the others go on meanwhile', async () => {
  const got: { text: string }[] = [];
  const listening = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      got.push(JSON.parse(body));
      response.end();
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/`;
  await made({ gate: 'story', notify: { webhooks: [{ url, format: 'slack' }], link: 'http://127.0.0.1:4747' } });
  const run = project.start(['run', '--agent', 'scripted', '--scenario', project.scenario]);
  await until(async () => got.length === 1);
  expect(got[0]?.text).toMatch(/^ralph waits for you · repo: waits for your approval of US-001, US-003/);
  expect(await states()).toEqual({ 'US-001': AWAITS, 'US-002': 'open', 'US-003': AWAITS });
  const status = await project.ralph(['status']);
  expect(status.stdout).toContain('next: ralph stories approve US-001 US-003');

  expect((await project.ralph(['stories', 'approve', 'US-001', 'US-003'])).code).toBe(0);
  await until(async () => got.length === 2);
  expect(got[1]?.text).toContain('waits for your approval of US-002');
  // From a phone: the message links to the run's page, whose address has no token.
  const link = /<(http:[^|]+)\|/.exec(JSON.stringify(got[1]))?.[1] ?? '';
  const [, id = '', name] = /^http:\/\/127\.0\.0\.1:4747\/#\/run\/(\w+)\/([\w-]+)$/.exec(link) ?? [];
  const served = await serveDashboard(project);
  const { origin, searchParams } = new URL(served.address);
  const headers = { authorization: `Bearer ${searchParams.get('token')}`, 'content-type': 'application/json' };
  const overview = await (await fetch(`${origin}/api/overview`, { headers })).json();
  expect(JSON.stringify(overview)).toContain('approve US-002');
  const [, story] = await project.stories();
  const asked = { do: 'story', story: 'US-002', title: story?.['title'], run: name, decision: 'approve' };
  const body = JSON.stringify(asked);
  const answer = await fetch(`${origin}/api/projects/${id}/control`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  await served.kill();
  expect(await run.ended).toMatchObject({ code: 0 });
  expect(await states()).toEqual({ 'US-001': true, 'US-002': true, 'US-003': true });

  // The receipt has what the loop found, and who had the last word.
  const { stories } = JSON.parse(await project.read('ralph/reviews.json'));
  expect(stories['US-001'].receipt).toMatchObject({
    by: 'person',
    verified: true,
    checks: [{ command: 'true', ok: true }],
  });
  expect(await waits()).toEqual(['wait approval', 'wait-end approval', 'wait approval', 'wait-end approval']);
});

test('without an approval in time the run ends, and the next one asks again', async () => {
  await made({ gate: 'story', gateTimeout: '1s' });
  const { code, stdout } = await project.run();
  expect(code).toBe(6);
  expect(stdout).toContain('no approval came in time');
  expect(stdout).toContain('US-001 waits for your approval');
  expect(stdout).toContain('ralph stories approve US-001');
  expect(await states()).toEqual({ 'US-001': AWAITS, 'US-002': 'open', 'US-003': AWAITS });
  const { stdout: shown } = await project.ralph(['stories', 'show', 'US-001']);
  expect(shown).toMatch(/git diff [0-9a-f]{7} [0-9a-f]{7} +what was done\n +ralph stories approve US-001/);
  const diff = /git diff (\w+) (\w+)/.exec(shown) ?? [];
  expect(await project.git('diff', diff[1] ?? '', diff[2] ?? '')).toContain('made for US-001');
  expect(shown).toContain('✓ true (exit 0');
  // Approved while no run is active, or sent back.
  expect((await project.ralph(['stories', 'approve', 'US-001'])).stdout).toContain('approved by you');
  expect((await project.ralph(['stories', 'reject', 'US-003', 'Write it in lower case'])).code).toBe(0);
  const next = await project.run();
  expect(next.code).toBe(6);
  const modes = (await ledgerOf(project)).flatMap(({ kind, story, mode }) =>
    kind === 'iteration' && story === 'US-003' ? [mode] : [],
  );
  expect(modes).toEqual(['implement', 'review', 'review-fix', 'review']);
  expect(await states()).toEqual({ 'US-001': true, 'US-002': AWAITS, 'US-003': AWAITS });
});

test('`--gate story` also holds a story that no review looks at, and `ralph stop` ends the wait', async () => {
  await made({});
  const flags = ['--agent', 'scripted', '--scenario', project.scenario];
  const run = project.start(['run', '--gate', 'story', '--skip-review', '--story', 'US-003', ...flags]);
  await until(async () => (await waits()).includes('wait approval'));
  expect((await project.ralph(['stop'])).code).toBe(0);
  expect(await run.ended).toMatchObject({ code: 1 });
  expect(await states()).toMatchObject({ 'US-003': AWAITS });
});

test('an agent that blocks its story with the same words gets no receipt of the loop', async () => {
  project = await makeProject({
    stories: [{ id: 'US-001' }],
    steps: [{ do: [{ status: { STATUS: 'BLOCKED', RECOMMENDATION: AWAITS } }] }],
    verifyCommands: ['true'],
    files: { 'ralph.config.json': JSON.stringify({ gate: 'story', gateTimeout: '1s' }) },
  });
  expect((await project.run()).code).toBe(6);
  await project.ralph(['stories', 'approve', 'US-001']);
  const { stories } = JSON.parse(await project.read('ralph/reviews.json'));
  expect(stories['US-001'].receipt).toMatchObject({ by: 'person', verified: false, checks: [] });
});
