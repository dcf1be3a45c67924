import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { EventBody, NotifySettings, RalphEvent } from '../../contracts/index.ts';
import { redactedJson } from '../workspace/index.ts';
import { openNotifier } from './open.ts';
import { receiver } from './receiver.fixture.ts';

type Chat = Exclude<NotifySettings['format'], 'cloudevents'>;

const text = (most: number) => z.string().check(z.minLength(1), z.maxLength(most));
const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(most), emoji: z.optional(z.boolean()) });
const https = z.url({ protocol: /^https?$/ });
const run = z.strictObject({
  type: z.literal('TextRun'),
  text: z.string(),
  weight: z.optional(z.enum(['Default', 'Lighter', 'Bolder'])),
  size: z.optional(z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge'])),
});

/** What the documentation of each service allows of what is used here: names, types, lengths. Nothing else may be there. */
const DOCUMENTED: Readonly<Record<Chat, z.ZodMiniType>> = {
  // docs.slack.dev: Sending messages using incoming webhooks; header block; section block; text object
  slack: z.strictObject({
    text: text(40_000),
    blocks: z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('header'), text: plain(150) }),
          z.strictObject({
            type: z.literal('section'),
            text: z.union([plain(3000), z.strictObject({ type: z.literal('mrkdwn'), text: text(3000) })]),
          }),
        ]),
      )
      .check(z.maxLength(50)),
  }),
  // docs.discord.com: Webhook resource, Execute Webhook; Message resource, embed limits, allowed mentions
  discord: z.strictObject({
    embeds: z
      .array(
        z.strictObject({
          title: text(256),
          description: text(4096),
          url: z.optional(https),
          color: z.int().check(z.gte(0), z.lte(0xffffff)),
        }),
      )
      .check(z.minLength(1), z.maxLength(10)),
    allowed_mentions: z.strictObject({ parse: z.array(z.enum(['roles', 'users', 'everyone'])).check(z.maxLength(0)) }),
  }),
  // core.telegram.org/bots/api: sendMessage, LinkPreviewOptions
  telegram: z.strictObject({
    chat_id: text(100),
    message_thread_id: z.optional(z.string()),
    text: text(4096),
    link_preview_options: z.strictObject({ is_disabled: z.boolean() }),
  }),
  // docs.ntfy.sh/publish: Publish as JSON; limits of title and message
  ntfy: z.strictObject({
    topic: z.string().check(z.regex(/^[-_A-Za-z0-9]{1,64}$/)),
    title: text(250),
    message: text(4096),
    priority: z.int().check(z.gte(1), z.lte(5)),
    click: z.optional(https),
    actions: z.optional(
      z
        .array(z.strictObject({ action: z.literal('view'), label: text(100), url: https }))
        .check(z.minLength(1), z.maxLength(3)),
    ),
  }),
  // learn.microsoft.com: Create incoming webhooks with Workflows; adaptivecards.io/schemas/adaptive-card.json
  teams: z.strictObject({
    type: z.literal('message'),
    attachments: z
      .array(
        z.strictObject({
          contentType: z.literal('application/vnd.microsoft.card.adaptive'),
          contentUrl: z.null(),
          content: z.strictObject({
            $schema: z.literal('http://adaptivecards.io/schemas/adaptive-card.json'),
            type: z.literal('AdaptiveCard'),
            version: z.string().check(z.regex(/^1\.[0-5]$/)),
            body: z.array(z.strictObject({ type: z.literal('RichTextBlock'), inlines: z.array(run) })),
            actions: z.optional(
              z.array(z.strictObject({ type: z.literal('Action.OpenUrl'), title: z.string(), url: https })),
            ),
          }),
        }),
      )
      .check(z.minLength(1)),
  }),
};
const CHATS = Object.keys(DOCUMENTED) as readonly Chat[];

const RUN = '20260101-100000-abcd';
const event = (body: EventBody): RalphEvent => ({ ts: '2026-01-01T10:00:00.000Z', run: RUN, iteration: 1, ...body });
const SECRET = 'sk-ant-REDACTED-0123456789';
const NASTY = `<!channel> @everyone *b* [x](http://evil.example) ${SECRET}`;
const asked = event({ type: 'question', question: 'Q1', story: 'US-001', text: NASTY });
const USAGE = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
const done = event({
  ...{ type: 'run-end', reason: 'complete', exitCode: 0, summary: 'all 2 stories are done', costUsd: 1 },
  ...{ stories: { total: 2, done: 2, blocked: 0 }, usage: USAGE, durationMs: 1 },
});
const limit = event({ type: 'wait', why: 'limit', until: 1_900_000_000_000, text: "Claude's 5-hour limit is reached" });
const EVENTS: readonly RalphEvent[] = [
  asked,
  done,
  limit,
  event({ type: 'wait', why: 'pause', until: null, text: 'paused' }),
  event({ type: 'circuit', from: 'closed', to: 'open', reason: 'no progress', evidence: [], fix: [] }),
  event({ type: 'budget', overrun: { budget: 'cost', spent: 2, limit: 1 }, story: null }),
  event({ type: 'iteration-end', durationMs: 1, costUsd: null }),
];

const PLACE: Readonly<Record<Chat, string>> = {
  slack: '/services/T0/B0/geheim',
  discord: '/api/webhooks/1/geheim',
  telegram: '/botgeheim/sendMessage?chat_id=-100123&message_thread_id=7',
  ntfy: '/my-topic',
  teams: '/workflows/geheim?sig=geheim',
};

/** What a receiver gets of these events. */
async function sent(format: Chat, events: readonly RalphEvent[], link: string | null = 'https://box.example:4747') {
  const { url, got } = await receiver();
  const address = new URL(PLACE[format], url).href;
  const warnings: string[] = [];
  const types = [...new Set(events.map(({ type }) => type))];
  const notifier = openNotifier({
    settings: {
      webhooks: [{ url: null, urlEnv: 'CHAT', format, secretEnv: null, events: types }],
      ...{ format: 'cloudevents', link, desktop: 'never', bell: 'never' },
    },
    ...{ project: 'my shop', projectId: 'p1', stateDir: '/nowhere', env: { CHAT: address } },
    ...{ toJson: redactedJson, ring: null, warn: (one: string) => void warnings.push(one) },
  });
  for (const one of events) notifier.see(one);
  expect(await notifier.settle(5_000)).toEqual([]);
  expect(warnings).toEqual([]);
  return got.map(({ body, headers, path }) => ({
    body: JSON.parse(body),
    text: body,
    type: headers['content-type'],
    path,
  }));
}

test.each(CHATS)('%s gets each event as its documentation has it, with and without a link', async (format) => {
  for (const link of ['https://box.example:4747', null]) {
    const got = await sent(format, EVENTS, link);
    expect(got).toHaveLength(EVENTS.length);
    for (const { body, text: whole, type } of got) {
      expect(type).toBe('application/json; charset=utf-8');
      expect(z.safeParse(DOCUMENTED[format], body).error).toBeUndefined();
      expect(whole.includes(`https://box.example:4747/#/run/p1/${RUN}`)).toBe(link !== null);
    }
  }
});

test.each(CHATS)('%s: what an agent wrote mentions no one, links nowhere and holds no secret', async (format) => {
  const [got] = await sent(format, [asked], null);
  const { text: whole, body } = got ?? { text: '' };
  expect(whole).not.toContain('0123456789');
  expect(whole).toContain('ralph asks');
  if (format === 'slack') {
    expect(body.text).toContain('&lt;!channel&gt;');
    expect(body.blocks.map((block: { text: { type: string } }) => block.text.type)).toEqual([
      'plain_text',
      'plain_text',
    ]);
  }
  if (format === 'discord')
    expect(body.embeds[0].description).toContain('\\<!channel\\> \\@everyone \\*b\\* \\[x\\]\\(');
  if (format === 'telegram') expect(body).not.toHaveProperty('parse_mode');
  if (format === 'ntfy') expect(body).not.toHaveProperty('markdown');
});

test('Telegram and ntfy are posted to where they take JSON', async () => {
  const [telegram] = await sent('telegram', [done]);
  expect(telegram).toMatchObject({
    path: '/botgeheim/sendMessage',
    body: { chat_id: '-100123', message_thread_id: '7' },
  });
  const [ntfy] = await sent('ntfy', [limit, done]);
  expect(ntfy).toMatchObject({ path: '/', body: { topic: 'my-topic', title: 'ralph waits for a limit · my shop' } });
});

test('steps that call for no one are not sent to a chat', async () => {
  const quiet = [
    event({ type: 'wait', why: 'rate', until: 1, text: 'calls per hour' }),
    event({ type: 'circuit', from: 'open', to: 'closed', reason: 'closed by you', evidence: [], fix: [] }),
  ];
  expect(await sent('slack', [...quiet, done])).toHaveLength(1);
});

test.each([
  ['telegram', 'https://api.telegram.org/botgeheim/sendMessage', 'names no chat'],
  ['ntfy', 'https://ntfy.sh/', 'names no topic'],
  ['slack', 'geheim', 'the variable CHAT holds no http or https address'],
] as const)('an address that cannot be used is reported, without its secret: %s', (format, address, why) => {
  const warnings: string[] = [];
  openNotifier({
    settings: {
      webhooks: [{ url: null, urlEnv: 'CHAT', format: null, secretEnv: null, events: ['run-end'] }],
      ...{ format, link: null, desktop: 'never', bell: 'never' },
    },
    ...{
      project: 'p',
      projectId: 'p1',
      stateDir: '/nowhere',
      env: { CHAT: address },
      toJson: redactedJson,
      ring: null,
    },
    warn: (one) => void warnings.push(one),
  });
  expect(warnings).toEqual([expect.stringContaining(why)]);
  expect(warnings.join('')).not.toContain('geheim');
});
