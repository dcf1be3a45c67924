import pRetry from 'p-retry';
import type { Address, Delivery, Message } from './port.ts';

const ATTEMPT_MS = 10_000;
/** The longest wait that a receiver may ask for. */
const LONGEST_WAIT_MS = 60_000;

export interface DeliverOptions {
  /** Tries after the first one. */
  readonly retries: number;
  /** Before the second try, milliseconds; doubles from try to try. */
  readonly firstWaitMs?: number;
  /** Ends all tries. */
  readonly signal?: AbortSignal;
}

/** A try that failed. `waitMs` is what the receiver asked for; null when no other try would end otherwise. */
class Failed extends Error {
  readonly status: number | null;
  readonly waitMs: number | null;
  constructor(why: string, status: number | null, waitMs: number | null) {
    super(why);
    this.status = status;
    this.waitMs = waitMs;
  }
}

/** Sends a message, again and again while the receiver cannot take it. Never rejects. */
export async function deliver(
  address: Address,
  message: Message,
  { retries, firstWaitMs = 500, signal }: DeliverOptions,
): Promise<Delivery> {
  let last = new Failed('the time was up before it was tried', null, null);
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
        if (error.waitMs && retriesLeft > 0) await pause(error.waitMs, signal);
      },
      shouldRetry: ({ error }) => error instanceof Failed && error.waitMs !== null,
    });
  } catch {
    // Whatever ended it, the last try says why there was need of another.
    return { ok: false, status: last.status, why: last.message };
  }
}

async function once(
  { url, sign }: Address,
  { id, body }: Message,
  tries: number,
  signal: AbortSignal | undefined,
): Promise<Delivery> {
  const response = await answerOf(url, signal, {
    method: 'POST',
    // Whoever answers with another address would get what was meant for this one.
    redirect: 'manual',
    headers: {
      'content-type': 'application/cloudevents+json; charset=utf-8',
      'user-agent': 'ralph',
      ...signature(id, body, sign),
    },
    body,
  });
  const { status, ok, headers } = response;
  // Nobody reads it, and an unread body holds the connection.
  await response.body?.cancel().catch(() => undefined);
  if (ok) return { ok, status, tries };
  if (status >= 500 || status === 408 || status === 429) {
    throw new Failed(`it answers ${status}`, status, waitOf(headers.get('retry-after')));
  }
  const isMoved = status >= 300 && status < 400;
  throw new Failed(isMoved ? `it answers ${status}, with another address` : `it answers ${status}`, status, null);
}

/** The time is that of the try: receivers refuse what was signed long ago. */
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
    if (signal?.aborted) throw new Failed('the time was up before it answered', null, null);
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

/** The code alone: messages of the network name the address. */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? `it cannot be reached (${cause.code})` : 'it cannot be reached';
}

/** `Retry-After`: seconds, or a moment. */
function waitOf(header: string | null): number {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_WAIT_MS) : 0;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish);
  });
}
