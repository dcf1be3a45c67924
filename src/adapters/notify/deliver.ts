import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { NotifySettings, RalphEvent } from '../../contracts/index.ts';
import { appendLine, readLog, writePrivate } from '../../platform/index.ts';
import type { ChatMessage } from './formats.ts';

const ATTEMPT_MS = 10_000;
/** The longest wait that a receiver may ask for. */
const LONGEST_WAIT_MS = 60_000;

export interface DeliverOptions {
  readonly retries: number;
  /** Wait before the second try, milliseconds; doubles from try to try. */
  readonly firstWaitMs?: number;
  readonly signal?: AbortSignal;
}

/** A try that failed. `waitMs` is the wait that the receiver asked for; null when another try would not help. */
class Failed extends Error {
  readonly status: number | null;
  readonly waitMs: number | null;
  constructor(why: string, status: number | null, waitMs: number | null) {
    super(why);
    this.status = status;
    this.waitMs = waitMs;
  }
}

/** Sends a message, and repeats it while the receiver cannot take it. Never rejects. */
export async function deliver(
  address: Address,
  message: Message,
  { retries, firstWaitMs = 500, signal }: DeliverOptions,
): Promise<Delivery> {
  let last = new Failed('the time ran out before the attempt', null, null);
  try {
    return await pRetry((tries) => once(address, message, tries, signal), {
      retries,
      factor: 2,
      minTimeout: firstWaitMs,
      maxTimeout: LONGEST_WAIT_MS,
      randomize: true,
      ...(signal ? { signal } : {}),
      onFailedAttempt: async ({ error, retriesLeft }) => {
        if (!(error instanceof Failed)) return;
        last = error;
        if (error.waitMs && retriesLeft > 0) await sleep(error.waitMs, undefined, { signal }).catch(() => {});
      },
      shouldRetry: ({ error }) => error instanceof Failed && error.waitMs !== null,
    });
  } catch {
    // However the tries ended, the last one says why another was needed.
    return { ok: false, status: last.status, why: last.message };
  }
}

async function once(
  { url, sign, chat }: Address,
  { id, body }: Message,
  tries: number,
  signal: AbortSignal | undefined,
): Promise<Delivery> {
  const response = await answerOf(url, signal, {
    method: 'POST',
    // Following a redirect would send the message to an address it was not meant for.
    redirect: 'manual',
    headers: {
      'content-type': `application/${chat === null ? 'cloudevents+json' : 'json'}; charset=utf-8`,
      'user-agent': 'ralph',
      ...signature(id, body, sign),
    },
    body,
  });
  const { status, ok, headers } = response;
  // The body is not needed, and an unread body keeps the connection open.
  await response.body?.cancel().catch(() => undefined);
  if (ok) return { ok, status, tries };
  if (status >= 500 || status === 408 || status === 429) {
    throw new Failed(`it answers ${status}`, status, waitOf(headers.get('retry-after')));
  }
  const isMoved = status >= 300 && status < 400;
  throw new Failed(isMoved ? `it answers ${status}, with another address` : `it answers ${status}`, status, null);
}

/** The time is that of the try: receivers refuse messages that were signed long ago. */
function signature(id: string, body: string, sign: Address['sign']): Readonly<Record<string, string>> {
  if (sign === null) return {};
  const seconds = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': sign(id, seconds, body),
  };
}

async function answerOf(url: string, signal: AbortSignal | undefined, init: RequestInit): Promise<Response> {
  const timeout = AbortSignal.timeout(ATTEMPT_MS);
  const { href, headers } = withoutUser(url);
  try {
    const all = { ...init, headers: { ...init.headers, ...headers } };
    return await fetch(href, { ...all, signal: signal ? AbortSignal.any([timeout, signal]) : timeout });
  } catch (error) {
    if (signal?.aborted) throw new Failed('the time ran out before it answered', null, null);
    throw new Failed(timeout.aborted ? `no answer within ${ATTEMPT_MS / 1000}s` : reasonOf(error), null, 0);
  }
}

/** `fetch` refuses addresses with a user and a password in them. */
function withoutUser(address: string): { readonly href: string; readonly headers: Readonly<Record<string, string>> } {
  const url = new URL(address);
  const { username, password } = url;
  if (username === '' && password === '') return { href: url.href, headers: {} };
  url.username = '';
  url.password = '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { href: url.href, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
}

/** Only the code: messages of the network contain the address. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `it cannot be reached (${cause.code})` : 'it cannot be reached';
}

/** `Retry-After`: seconds, or a date. */
function waitOf(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_WAIT_MS) : 0;
}

/** Letters that are kept; the oldest are dropped first. */
const MOST_LETTERS = 500;

export interface DeadLetter extends Message {
  readonly key: string;
  readonly shown: string;
  readonly why: string;
  readonly at: string;
  /** Of a webhook with a secret: proves that the writer had the secret, because an agent may write into the file. */
  readonly seal?: string;
}

/** A message that did not arrive, in the form in which it is kept. */
export function letterOf({ key, shown, seal }: Address, { id, type, body }: Message, why: string): DeadLetter {
  const letter: DeadLetter = { id, type, body, key, shown, why, at: new Date().toISOString() };
  return seal === null ? letter : { ...letter, seal: seal(sealedText(letter)) };
}

/** Keeps letters, in one write: a caller may be waiting for the end. */
export async function keepLetters(stateDir: string, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length > 0)
    await appendLine(lettersPath(stateDir), letters.map((letter) => JSON.stringify(letter)).join('\n'));
}

/** Whether the letter may be signed: not one that an agent wrote, or that was kept under another secret. */
export function isGenuine(letter: DeadLetter, { seal }: Pick<Address, 'seal'>): boolean {
  if (seal === null) return true;
  const [is, should] = [letter.seal ?? '', seal(sealedText(letter))].map((text) => Buffer.from(text));
  return is !== undefined && should !== undefined && is.length === should.length && timingSafeEqual(is, should);
}

function sealedText({ key, id, type, body }: DeadLetter): string {
  return JSON.stringify([key, id, type, body]);
}

/** Every message that did not arrive, oldest first. */
export async function readLetters(stateDir: string): Promise<readonly DeadLetter[]> {
  const { lines } = await readLog(lettersPath(stateDir));
  return lines.flatMap((line) => parseLetter(line) ?? []);
}

/** Removes letters, and the oldest where there are too many. Those that arrived in between stay. */
export async function dropLetters(stateDir: string, gone: ReadonlySet<DeadLetter['id']>): Promise<void> {
  const letters = await readLetters(stateDir);
  const left = letters.filter((letter) => !gone.has(letterId(letter))).slice(-MOST_LETTERS);
  if (left.length === letters.length) return;
  await writePrivate(lettersPath(stateDir), left.map((letter) => `${JSON.stringify(letter)}\n`).join(''));
}

/** The same message may be undelivered at several addresses. */
export function letterId({ key, id }: Pick<DeadLetter, 'key' | 'id'>): string {
  return `${key} ${id}`;
}

export function lettersPath(stateDir: string): string {
  return `${stateDir}/webhooks-undelivered.jsonl`;
}

function parseLetter(line: string): DeadLetter | null {
  try {
    const value: Partial<Record<keyof DeadLetter, unknown>> | null = JSON.parse(line);
    const whole = ['id', 'type', 'body', 'key', 'shown', 'why', 'at'] as const;
    const isWhole = whole.every((name) => typeof value?.[name] === 'string');
    return isWhole && ['string', 'undefined'].includes(typeof value?.seal) ? (value as unknown as DeadLetter) : null;
  } catch {
    return null;
  }
}

/** Notifies people who are not watching: by webhooks, on the desktop, by the terminal's bell. */
export interface Notifier {
  /** Never throws, never waits. */
  see(event: RalphEvent): void;
  /** How many webhooks have messages on their way. */
  waiting(): number;
  /**
   * Waits for the messages on their way, at most so many milliseconds and until the signal aborts; the rest goes to the
   * dead letters.
   * @returns a sentence for the user for each address at which a message did not arrive
   */
  settle(ms: number, leave?: AbortSignal): Promise<readonly string[]>;
}

export interface NotifierInput {
  readonly settings: NotifySettings;
  readonly project: string;
  /** As in the addresses of the dashboard. */
  readonly projectId: string;
  /** `<git dir>/ralph`: where dead letters are kept, out of reach of isolated agents. */
  readonly stateDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** JSON without secrets. */
  readonly toJson: (value: unknown) => string;
  /** Rings the terminal's bell; null where there is no terminal. */
  readonly ring: (() => void) | null;
  /** Called once for each thing that cannot be used. Must not throw. */
  readonly warn: (text: string) => void;
}

/** A message as it is sent; identical at every try. */
export interface Message {
  /** Unique, for receivers that see a message twice. */
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export interface Address {
  readonly url: string;
  /** For people and logs: without anything that may be a secret. */
  readonly shown: string;
  /** Identifies the address in the dead letters without revealing it. */
  readonly key: string;
  /** Signs a message that is sent at this moment, in seconds since 1970; null sends it unsigned. */
  readonly sign: ((id: string, seconds: number, body: string) => string) | null;
  /** Makes the body of a message for people; null sends events as data. */
  readonly chat: ((message: ChatMessage) => object) | null;
  /** Proves that a holder of the secret kept a text; null without a secret. No receiver accepts it as a signature. */
  readonly seal: ((text: string) => string) | null;
}

/** The result of sending a message. `status` is null where there was no answer. */
export type Delivery =
  | { readonly ok: true; readonly status: number; readonly tries: number }
  | { readonly ok: false; readonly status: number | null; readonly why: string };
