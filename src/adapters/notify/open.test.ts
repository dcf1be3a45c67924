import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import type { EventBody, NotifySettings, RalphEvent } from '../../contracts/index.ts';
import { makeTempDir, remove } from '../../platform/index.ts';
import { redactedJson } from '../workspace/index.ts';
import type { NotifierInput } from './deliver.ts';
import { isGenuine, lettersPath, readLetters } from './deliver.ts';
import { addressesOf, openNotifier } from './open.ts';
import { receiver } from './receiver.fixture.ts';

const RUN = '20260101-100000-abcd';
const event = (body: EventBody, iteration = 0): RalphEvent => ({
  ts: '2026-01-01T10:00:00.000Z',
  run: RUN,
  iteration,
  ...body,
});
const question = (text: string) => event({ type: 'question', question: 'Q1', story: 'US-001', text }, 1);
const end = event({
  type: 'run-end',
  reason: 'complete',
  exitCode: 0,
  summary: 'all done',
  stories: { total: 1, done: 1, blocked: 0 },
  costUsd: 0.5,
  usage: { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
  durationMs: 1,
});
const EVENTS = ['run-end', 'question'];
const PLAIN = { urlEnv: null, format: null } as const;

async function open(settings: Partial<NotifySettings>, more: Partial<NotifierInput> = {}) {
  const stateDir = await makeTempDir('ralph-notify-');
  onTestFinished(() => remove(stateDir));
  const warnings: string[] = [];
  const rung: number[] = [];
  const notifier = openNotifier({
    settings: { webhooks: [], format: 'cloudevents', link: null, desktop: 'never', bell: 'never', ...settings },
    project: 'my shop',
    projectId: 'p1',
    stateDir,
    env: {},
    toJson: redactedJson,
    ring: () => void rung.push(1),
    warn: (text) => void warnings.push(text),
    ...more,
  });
  return { notifier, stateDir, warnings, rung };
}

test.each([
  ['whsec_', `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`],
  ['any text', 'hunter2 ümlaut'],
])('a webhook gets what it wants, signed, in order: %s', async (_, secret) => {
  const { url, got } = await receiver();
  const { notifier } = await open(
    { webhooks: [{ ...PLAIN, url, secretEnv: 'HOOK', events: EVENTS }] },
    { env: { HOOK: secret } },
  );
  notifier.see(
    event({ type: 'select', mode: 'implement', story: 'US-001', title: 'A', attempt: 1, reviewCount: 0 }, 1),
  );
  notifier.see(question('is sk-ant-REDACTED-0123456789 right?'));
  notifier.see(end);
  expect(await notifier.settle(5_000)).toEqual([]);
  const verifier = secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(new TextEncoder().encode(secret), { format: 'raw' });
  const bodies = got.map(({ body, headers }) => verifier.verify(body, headers as Record<string, string>));
  expect(bodies).toMatchObject([
    {
      specversion: '1.0',
      id: `${RUN}/1767261600000-2`,
      source: '/ralph/my%20shop',
      type: 'dev.ralph.question',
      subject: RUN,
      time: '2026-01-01T10:00:00.000Z',
      datacontenttype: 'application/json',
      data: { project: 'my shop', run: RUN, iteration: 1, story: 'US-001', question: 'Q1' },
    },
    { type: 'dev.ralph.run-end', data: { story: null, reason: 'complete' } },
  ]);
  expect(got[0]?.headers['webhook-id']).toBe(`${RUN}/1767261600000-2`);
  expect(got[0]?.body).toContain('[redacted]');
  expect(got[0]?.body).not.toContain('sk-ant-');
});

test('a secret that is missing, or no secret, leaves its webhook out and says so; the others go on', async () => {
  const { url, got } = await receiver();
  const webhooks = ['NOT_SET', 'NO_BASE64', null].map((secretEnv) => ({ ...PLAIN, url, secretEnv, events: EVENTS }));
  const { notifier, warnings } = await open({ webhooks }, { env: { NO_BASE64: 'whsec_$$$' } });
  notifier.see(end);
  expect(await notifier.settle(5_000)).toEqual([]);
  expect(got).toHaveLength(1);
  expect(warnings).toEqual([
    expect.stringContaining('the variable NOT_SET, is not set'),
    expect.stringContaining('the variable NO_BASE64, starts with whsec_'),
  ]);
});

test('what was not delivered when the time is up is kept, and no address is told', async () => {
  const slow = await receiver(() => null);
  const url = `${slow.url}?token=geheim`.replace('//', '//una:geheim@');
  const { notifier, stateDir } = await open({ webhooks: [{ ...PLAIN, url, secretEnv: null, events: EVENTS }] });
  notifier.see(question('one'));
  notifier.see(end);
  expect(notifier.waiting()).toBe(1);
  const told = await notifier.settle(200);
  expect(told).toEqual([
    expect.stringMatching(
      /^not delivered to http:\/\/127\.0\.0\.1:\d+\/…: 2 messages; the time ran out before it answered; `ralph notify retry`/,
    ),
  ]);
  expect(notifier.waiting()).toBe(0);
  const letters = await readLetters(stateDir);
  expect(letters.map(({ type }) => type)).toEqual(['question', 'run-end']);
  expect(await readFile(lettersPath(stateDir), 'utf8')).not.toMatch(/^\n|\n\n/);
  expect(JSON.stringify(letters)).not.toContain('geheim');
});

test('a flood costs the oldest messages, never the last word, and never waits', async () => {
  const slow = await receiver(() => null);
  const { notifier, stateDir } = await open({
    webhooks: [{ ...PLAIN, url: slow.url, secretEnv: null, events: EVENTS }],
  });
  notifier.see(end);
  for (let i = 0; i < 300; i++) notifier.see(question(String(i)));
  notifier.see(end);
  await notifier.settle(50);
  const letters = await readLetters(stateDir);
  expect(letters).toHaveLength(302);
  const dropped = letters.filter(({ why }) => why.startsWith('too many'));
  expect(dropped).toHaveLength(201);
  expect(dropped.every(({ type }) => type === 'question')).toBe(true);
});

test.each([
  ['never', 0],
  ['end', 1],
  ['attention', 3],
] as const)('the bell rings: %s', async (bell, times) => {
  const { notifier, rung } = await open({ bell });
  notifier.see(question('which?'));
  notifier.see(event({ type: 'wait', why: 'pause', until: null, text: 'paused' }));
  notifier.see(event({ type: 'wait', why: 'limit', until: 5, text: 'the limit' }));
  notifier.see(end);
  await notifier.settle(10);
  expect(rung).toHaveLength(times);
});

test('who leaves waits no longer, and what is left is kept in order', async () => {
  const slow = await receiver(() => null);
  const { notifier, stateDir } = await open({
    webhooks: [{ ...PLAIN, url: slow.url, secretEnv: null, events: EVENTS }],
  });
  for (let i = 0; i < 20; i++) notifier.see(question(String(i)));
  notifier.see(end);
  const leave = new AbortController();
  setTimeout(() => leave.abort(), 50);
  expect(await notifier.settle(600_000, leave.signal)).toHaveLength(1);
  const letters = await readLetters(stateDir);
  expect(letters.map(({ type }) => type)).toEqual([...Array.from({ length: 20 }, () => 'question'), 'run-end']);
  expect(letters.slice(0, -1).map(({ body }) => JSON.parse(body).data.text)).toEqual(
    Array.from({ length: 20 }, (_, i) => String(i)),
  );
});

test('only a letter that was kept with the secret may be signed', async () => {
  const slow = await receiver(() => null);
  const webhooks = [{ ...PLAIN, url: slow.url, secretEnv: 'HOOK', events: EVENTS }];
  const env = { HOOK: 'a secret that nobody knows' };
  const { notifier, stateDir } = await open({ webhooks }, { env });
  notifier.see(end);
  await notifier.settle(10);
  const [letter] = await readLetters(stateDir);
  const addressFor = (secret: string) =>
    addressesOf({ webhooks, format: 'cloudevents' }, { env: { HOOK: secret }, warn: () => {} })[0];
  const address = addressFor(env.HOOK);
  const other = addressFor('another secret');
  if (!letter || !address || !other) throw new Error('there is a letter');
  expect(isGenuine(letter, address)).toBe(true);
  expect(isGenuine(letter, other)).toBe(false);
  const { seal: _seal, ...bare } = letter;
  for (const forged of [bare, { ...letter, id: 'x' }, { ...letter, body: '{}' }, { ...letter, seal: '' }]) {
    expect(isGenuine(forged, address)).toBe(false);
    expect(isGenuine(forged, { seal: null })).toBe(true);
  }
});

test('a desktop without the program is told of once, at the start', async () => {
  const { notifier, warnings } = await open({ desktop: 'attention' }, { env: { PATH: '/nowhere' } });
  expect(warnings).toHaveLength(1);
  notifier.see(question('which?'));
  notifier.see(question('and this?'));
  await notifier.settle(1_000);
  notifier.see(end);
  await notifier.settle(1_000);
  expect(warnings).toEqual([expect.stringContaining('is not installed')]);
});
