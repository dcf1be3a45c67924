import type { RalphEvent, WebhookFormat } from '../../contracts/index.ts';
import { shortLine } from '../../rules/text/index.ts';
import { noticeFor } from './desktop.ts';

/** A message for people in a chat. Parts of its lines are an agent's words: they must not become markup or mentions. */
export interface ChatMessage {
  readonly title: string;
  readonly text: string;
  /** Where to look; null where no address is configured. */
  readonly link: string | null;
  /** A person has to act. */
  readonly isUrgent: boolean;
}

type ChatFormat = Exclude<WebhookFormat, 'cloudevents'>;

interface Chat {
  readonly body: (message: ChatMessage, url: URL) => object;
  /** Where messages are posted to, if not to the configured address. */
  readonly target?: (url: URL) => URL;
  /** What is wrong with an address, as the end of a sentence; null when nothing is. */
  readonly problem?: (url: URL) => string | null;
}

const LOOK = 'Open the dashboard';

/** Each after the documentation of its service, which the tests hold it to. */
const CHATS: Readonly<Record<ChatFormat, Chat>> = {
  // An incoming webhook of an app. `plain_text` knows neither markup nor mentions, `text` is what notifications show.
  slack: {
    body: ({ title, text, link }) => ({
      text: escapeSlack(`${title}: ${text}`),
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: shortLine(title, 150), emoji: false } },
        { type: 'section', text: { type: 'plain_text', text, emoji: false } },
        ...(link === null
          ? []
          : [{ type: 'section', text: { type: 'mrkdwn', text: `<${escapeSlack(link)}|${LOOK}>` } }]),
      ],
    }),
  },
  discord: {
    body: ({ title, text, link, isUrgent }) => ({
      embeds: [
        {
          title: escapeMarkdown(title),
          description: escapeMarkdown(text),
          color: isUrgent ? 0xd9822b : 0x2e7d32,
          ...(link === null ? {} : { url: link }),
        },
      ],
      allowed_mentions: { parse: [] },
    }),
  },
  // Without `parse_mode` the text has no markup. A link as text: buttons refuse addresses within a home network.
  telegram: {
    body: ({ title, text, link }, url) => ({
      ...Object.fromEntries(url.searchParams),
      text: [title, text, ...(link === null ? [] : [link])].join('\n'),
      link_preview_options: { is_disabled: true },
    }),
    target: (url) => changed(url, { search: '' }),
    problem: ({ searchParams }) => (searchParams.get('chat_id') ? null : 'names no chat: add ?chat_id=…'),
  },
  // As JSON a message goes to the root of the server, and names its topic.
  ntfy: {
    body: ({ title, text, link, isUrgent }, url) => ({
      topic: topicOf(url),
      title,
      message: text,
      priority: isUrgent ? 4 : 3,
      ...(link === null ? {} : { click: link, actions: [{ action: 'view', label: LOOK, url: link }] }),
    }),
    target: (url) => changed(url, { pathname: '/' }),
    problem: (url) => (/^[-_A-Za-z0-9]{1,64}$/.test(topicOf(url)) ? null : 'names no topic: https://ntfy.sh/TOPIC'),
  },
  // A workflow with the trigger "When a Teams webhook request is received". A TextRun has no markup.
  teams: {
    body: ({ title, text, link }) => ({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.2',
            body: [richText({ text: title, weight: 'Bolder', size: 'Medium' }), richText({ text })],
            ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: LOOK, url: link }] }),
          },
        },
      ],
    }),
  },
};

/** How messages reach a chat; or why they cannot, as the end of a sentence. */
export function chatAt(format: ChatFormat, address: string) {
  const { body, target, problem } = CHATS[format];
  const url = new URL(address);
  const why = problem?.(url) ?? null;
  if (why !== null) return why;
  return { url: (target?.(url) ?? url).href, body: (message: ChatMessage) => body(message, url) };
}

/** What a chat is told about an event; null for steps that call for no one. */
export function chatMessage(event: RalphEvent, project: string, link: string | null): ChatMessage | null {
  const call = noticeFor(event, 'attention', project);
  const notice = call ?? limitNotice(event, project) ?? otherNotice(event, project);
  if (notice === null) return null;
  return { ...notice, link, isUrgent: call !== null && !(event.type === 'run-end' && event.exitCode === 0) };
}

function limitNotice(event: RalphEvent, project: string) {
  if (event.type !== 'wait' || event.why !== 'limit') return null;
  return { title: shortLine(`ralph waits for a limit · ${project}`, 80), text: shortLine(event.text, 200) };
}

/** Of events that were asked for by name: their type and texts. */
function otherNotice(event: RalphEvent, project: string) {
  if (event.type === 'wait' || event.type === 'circuit') return null;
  const fields: Readonly<Record<string, unknown>> = { ...event };
  const texts = ['story', 'verdict', 'to', 'subject', 'title', 'text', 'reason', 'message'].flatMap((name) =>
    typeof fields[name] === 'string' && fields[name] !== '' ? [fields[name]] : [],
  );
  const text = shortLine(texts.join(' · '), 200) || event.type;
  return { title: shortLine(`ralph: ${event.type} · ${project}`, 80), text };
}

function topicOf({ pathname }: URL): string {
  return pathname.split('/').filter(Boolean).at(-1) ?? '';
}

function changed(url: URL, parts: { readonly search?: string; readonly pathname?: string }): URL {
  return Object.assign(new URL(url), parts);
}

function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_~|>#[\]()<:@-]/g, '\\$&');
}

function richText(run: object) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', ...run }] };
}
