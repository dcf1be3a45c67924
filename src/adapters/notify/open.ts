import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NotifySettings, RalphEvent } from '../../contracts/index.ts';
import {
  type Address,
  type DeadLetter,
  type DeliverOptions,
  deliver,
  dropLetters,
  keepLetters,
  letterOf,
  type Message,
  type Notifier,
  type NotifierInput,
} from './deliver.ts';
import { desktopProblem, noticeFor, showOnDesktop, thisMachine } from './desktop.ts';
import { chatAt, chatMessage } from './formats.ts';

/** Tries after the first one: with their waits, about 15 seconds. */
const RETRIES = 5;

/** Notifies people of a run's events. A target that cannot be used is reported once, and the others continue. */
export function openNotifier(input: NotifierInput): Notifier {
  const { settings, project, projectId, stateDir, toJson, ring, warn, env } = input;
  /** By the key of the address: how many messages, and why the first was lost. */
  const lost = new Map<string, { readonly shown: string; readonly count: number; readonly why: string }>();
  /** All pending work besides the outboxes. */
  const pending = new Set<Promise<unknown>>();
  const boxes = addressesOf(settings, input).map((address) => ({
    ...address,
    outbox: createOutbox(address, { retries: RETRIES }, (message, why) => {
      const before = lost.get(address.key);
      lost.set(address.key, { shown: address.shown, count: (before?.count ?? 0) + 1, why: before?.why ?? why });
      keep(letterOf(address, message, why));
    }),
  }));
  const letters: DeadLetter[] = [];
  let writing = Promise.resolve();
  let seen = 0;
  let story: { readonly iteration: number; readonly id: string } | null = null;
  let isDesktopThere = settings.desktop !== 'never';
  if (isDesktopThere) desktopFailed(desktopProblem(thisMachine(env)));

  function track(task: Promise<unknown>): void {
    const settled = task.catch(() => undefined).finally(() => pending.delete(settled));
    pending.add(settled);
  }

  /** In order, and one write at a time. */
  function keep(letter: DeadLetter): void {
    letters.push(letter);
    writing = writing.then(() => keepLetters(stateDir, letters.splice(0))).catch(() => undefined);
    track(writing);
  }

  function post(event: RalphEvent): void {
    const takers = boxes.filter(({ events }) => events.has(event.type));
    if (takers.length === 0) return;
    // A run that is started again counts from the beginning: the time tells the two apart.
    const id = `${event.run}/${Date.parse(event.ts)}-${seen}`;
    const of = story?.iteration === event.iteration ? story.id : null;
    const { run, type } = event;
    for (const { outbox, chat } of takers) {
      if (chat === null) {
        outbox.post(messageOf(event, { project, story: of, id }, toJson));
        continue;
      }
      // Secrets go first: escaped for a chat, or cut, they would not be recognised.
      const safe = JSON.parse(toJson(event)) as RalphEvent;
      const about = chatMessage(safe, project, linkTo(settings.link, projectId, run));
      if (about !== null) outbox.post({ id, type, body: JSON.stringify(chat(about)) });
    }
  }

  function show(event: RalphEvent): void {
    const notice = noticeFor(event, settings.desktop, project);
    if (notice === null || !isDesktopThere) return;
    track(showOnDesktop(notice, thisMachine(env)).then(desktopFailed));
  }

  function desktopFailed(problem: string | null): void {
    if (problem === null || !isDesktopThere) return;
    isDesktopThere = false;
    warn(`no desktop notifications: ${problem}`);
  }

  return {
    see(event) {
      seen += 1;
      if (event.type === 'select') story = { iteration: event.iteration, id: event.story };
      try {
        post(event);
        show(event);
        if (noticeFor(event, settings.bell, project) !== null) ring?.();
      } catch {
        // An observer cannot stop the loop.
      }
    },
    waiting: () => boxes.filter(({ outbox }) => outbox.isBusy()).length,
    async settle(ms, leave) {
      await within(ms, leave, Promise.all([...boxes.map(({ outbox }) => outbox.drained()), ...pending]));
      for (const { outbox } of boxes) outbox.close();
      await Promise.all(boxes.map(({ outbox }) => outbox.drained()));
      await within(LAST_WRITES_MS, undefined, Promise.all(pending));
      if (lost.size === 0) return [];
      await dropLetters(stateDir, new Set()).catch(() => undefined);
      return [...lost.values()].map(
        ({ shown, count, why }) =>
          `not delivered to ${shown}: ${count} ${count === 1 ? 'message' : 'messages'}; ${why}; \`ralph notify retry\` sends again`,
      );
    },
  };
}

const LAST_WRITES_MS = 1_000;

/** Waits for a task, at most so long, and no longer once the user wants to leave. */
async function within(ms: number, leave: AbortSignal | undefined, task: Promise<unknown>): Promise<void> {
  if (leave?.aborted) return;
  const done = new AbortController();
  const signal = leave ? AbortSignal.any([leave, done.signal]) : done.signal;
  await Promise.race([task, sleep(ms, undefined, { signal }).catch(() => {})]);
  done.abort();
}

/** The usable addresses; the others are reported and left out, because a receiver that checks would refuse them. */
export function addressesOf(
  { webhooks, format: usual }: Pick<NotifySettings, 'webhooks' | 'format'>,
  { env, warn }: Pick<NotifierInput, 'env' | 'warn'>,
): readonly (Address & { readonly events: ReadonlySet<string> })[] {
  return webhooks.flatMap(({ url: written, urlEnv, format, secretEnv, events }) => {
    const url = written ?? addressIn(env[urlEnv ?? '']);
    if (url === null) {
      warn(`a webhook is not used: the variable ${urlEnv} holds no http or https address`);
      return [];
    }
    const shown = shownAddress(url);
    const form = format ?? usual;
    const found = form === 'cloudevents' ? { url, body: null } : chatAt(form, url);
    const key = secretEnv === null ? null : keyIn(env[secretEnv]);
    const why = typeof key === 'string' ? `its secret, the variable ${secretEnv}, ${key}` : null;
    if (typeof found === 'string' || typeof key === 'string') {
      warn(`the webhook ${shown} is not used: ${why ?? `its address ${found}`}`);
      return [];
    }
    const means = key === null ? { sign: null, seal: null } : meansOf(key);
    const name = nameOf(form === 'cloudevents' ? url : `${form} ${url}`);
    return [{ url: found.url, shown, key: name, chat: found.body, ...means, events: new Set(events) }];
  });
}

function addressIn(value: string | undefined): string | null {
  return value !== undefined && /^https?:/.test(value) && URL.canParse(value) ? value : null;
}

/** The page of a run. The address has no token: a browser signs in once. */
export function linkTo(dashboard: string | null, project: string | null, run: string | null): string | null {
  if (dashboard === null) return null;
  const url = new URL(dashboard);
  url.hash = project === null || run === null ? '' : `/run/${project}/${run}`;
  return url.href;
}

/** Host and port alone: user names, queries and, with many services, the path are secrets. */
function shownAddress(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname === '/' ? '' : '/…'}`;
}

function nameOf(url: string): string {
  return createHash('sha256').update(url).digest('hex').slice(0, 16);
}

/** Prefix of a secret in the form of the Standard Webhooks: base64 follows. Any other text is itself the key. */
const BRANDED = 'whsec_';

/** The key in a secret; or why it cannot be used. */
function keyIn(secret: string | undefined): Buffer | string {
  if (!secret) return 'is not set';
  const branded = secret.startsWith(BRANDED);
  const code = secret.slice(BRANDED.length);
  if (branded && !/^[A-Za-z0-9+/]+={0,2}$/.test(code)) return `starts with ${BRANDED} and is not base64 after that`;
  return branded ? Buffer.from(code, 'base64') : Buffer.from(secret);
}

/** What signs as the Standard Webhooks require, and what seals with its own key. */
function meansOf(key: Buffer): Pick<Address, 'sign' | 'seal'> {
  const hmac = (by: Buffer, text: string) => createHmac('sha256', by).update(text).digest();
  const sealKey = hmac(key, 'ralph: messages that were not delivered');
  return {
    // Their own library ships without its licence text, and does no more than this.
    sign: (id, seconds, body) => `v1,${hmac(key, `${id}.${seconds}.${body}`).toString('base64')}`,
    seal: (text) => hmac(sealKey, text).toString('base64'),
  };
}

/** Longest text within an event: receivers refuse large ones, and the event log has all of it. */
const LONGEST_TEXT = 4_000;

interface Told {
  readonly project: string;
  /** The story of the event's iteration; null for an event outside of any. */
  readonly story: string | null;
  readonly id: string;
}

/** An event as a message: a CloudEvent 1.0 in its structured form. */
function messageOf(event: RalphEvent, { project, story, id }: Told, toJson: NotifierInput['toJson']): Message {
  const { ts, run, type } = event;
  const body = toJson({
    specversion: '1.0',
    id,
    source: `/ralph/${encodeURIComponent(project)}`,
    type: `dev.ralph.${type}`,
    subject: run,
    time: ts,
    datacontenttype: 'application/json',
    data: shortened({ project, story, ...event }),
  });
  return { id, type, body };
}

function shortened(value: object): unknown {
  const text = JSON.stringify(value, (_key, part) =>
    typeof part === 'string' && part.length > LONGEST_TEXT ? `${part.slice(0, LONGEST_TEXT)}…` : part,
  );
  return JSON.parse(text);
}

/** Messages that wait for one address; beyond that, the oldest are dropped first. */
const MOST_WAITING = 100;

const LAST_WORD = 'run-end';

/**
 * Sends the messages of one address, one after the other.
 * @param undelivered called with each message that was given up, and the reason; must not throw
 */
function createOutbox(
  address: Address,
  options: Pick<DeliverOptions, 'retries' | 'firstWaitMs'>,
  undelivered: (message: Message, why: string) => void,
) {
  const closing = new AbortController();
  const waiting: Message[] = [];
  let working: Promise<void> | null = null;

  async function work(): Promise<void> {
    for (let message = waiting.shift(); message !== undefined; message = waiting.shift()) {
      const delivery = await deliver(address, message, { ...options, signal: closing.signal });
      if (!delivery.ok) undelivered(message, delivery.why);
    }
    working = null;
  }

  function makeRoom(): void {
    if (waiting.length <= MOST_WAITING) return;
    const oldest = waiting.findIndex(({ type }) => type !== LAST_WORD);
    const [dropped] = waiting.splice(Math.max(0, oldest), 1);
    if (dropped) undelivered(dropped, 'too many messages waited for the address');
  }

  return {
    /** Never throws, never waits. */
    post(message: Message) {
      waiting.push(message);
      makeRoom();
      working ??= work();
    },
    isBusy: () => working !== null,
    /** Resolves when nothing is left, or nothing is tried any more. */
    drained: () => working ?? Promise.resolve(),
    /** Ends all tries: every message not yet delivered counts as undelivered. */
    close: () => closing.abort(),
  };
}
