import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { messageOf, RalphError } from '../../contracts/index.ts';
import { whyForeign } from '../server/index.ts';
import type { LinesQuery, Refusal } from './api.ts';

type RefusedStatus = 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429 | 500 | 503;

/** A request that is answered with a refusal. */
export class Refused extends Error {
  readonly status: RefusedStatus;
  readonly refusal: Refusal;
  /** Seconds after which the caller may try again. */
  readonly retryAfter: number | null;
  /** The methods that the address takes. */
  readonly allow: string | null;
  constructor(
    status: RefusedStatus,
    error: string,
    more: { fix?: readonly string[]; retryAfter?: number; allow?: string } = {},
  ) {
    super(error);
    this.status = status;
    this.refusal = more.fix === undefined ? { error } : { error, fix: more.fix };
    this.retryAfter = more.retryAfter ?? null;
    this.allow = more.allow ?? null;
  }
}

/** An error as an answer: errors for people say how to fix them, others are bugs. */
export function refusedBy(error: unknown): Refused {
  if (error instanceof Refused) return error;
  if (!(error instanceof RalphError)) {
    return new Refused(500, `a bug in ralph: ${messageOf(error)}`);
  }
  const { what, why, fix } = error.facts;
  return new Refused(409, why ? `${what}: ${why}` : what, fix === undefined ? {} : { fix });
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST'];

/**
 * Checks a request before its sender's identity.
 * @param names that this server answers to
 * @throws Refused for a request that neither our page nor a tool for this server sends
 */
export function refuseForeignRequests(
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: IncomingHttpHeaders;
    readonly port: number;
  },
  names: readonly string[],
): void {
  const { method, headers } = request;
  const strange = whyForeign(headers.host, headers.origin, request.port, names);
  if (strange !== null) throw new Refused(403, strange);
  if (isFromOtherPage(request)) throw new Refused(403, 'pages of other origins may not call this server');
  if (!METHODS.includes(method)) throw new Refused(405, `${method} is not for this server`);
}

/**
 * To a browser all ports of a host are one site: a page of another server here sends our cookie along, and could at
 * least keep this server busy. Browsers state the kind of request; only a navigation to the page itself is fine.
 */
function isFromOtherPage({ method, path, headers }: Parameters<typeof refuseForeignRequests>[0]): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return !(
    method === 'GET' &&
    path === '/' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

const MOST_TEXT = 500;

/** A whole number in a query; undefined when absent. @throws Refused for anything else */
export function numberIn(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Refused(400, `${name} must be a whole number`);
  return Number(text);
}

/** @throws Refused for an invalid query of lines */
export function readLinesQuery(query: Readonly<Record<string, string>>): LinesQuery {
  const numbers = ['from', 'count', 'iteration'].map((name) => [name, numberIn(name, query[name])] as const);
  const texts = ['types', 'q'].map((name) => [name, textIn(name, query[name])] as const);
  const given = [...numbers, ...texts].filter(([, value]) => value !== undefined);
  const backwards = booleanParam('backwards', query['backwards']);
  return { ...(Object.fromEntries(given) as LinesQuery), ...(backwards ? { backwards } : {}) };
}

/** Without a value it is on. @throws Refused for anything else */
function booleanParam(name: string, text: string | undefined): boolean {
  if (text === '' || text === 'true' || text === '1') return true;
  if (text === undefined || text === 'false' || text === '0') return false;
  throw new Refused(400, `${name} must be true or false`);
}

function textIn(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length > MOST_TEXT) throw new Refused(400, `${name} is too long`);
  return text;
}

/** Limits how many may watch at once. */
export type Seats = ReturnType<typeof openSeats>;

const MOST = 256;
const RETRY_AFTER_S = 10;

export function openSeats() {
  const taken = new Set<ServerResponse>();
  return {
    /** Takes one until the answer is closed. @throws Refused when none is free */
    take(outgoing: ServerResponse): void {
      if (taken.size >= MOST)
        throw new Refused(503, `${MOST} viewers are already connected`, { retryAfter: RETRY_AFTER_S });
      taken.add(outgoing);
      outgoing.once('close', () => taken.delete(outgoing));
    },
    /** Ends every stream. */
    clear(): void {
      for (const outgoing of taken) outgoing.destroy();
    },
  };
}
