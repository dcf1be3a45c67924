import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Admission, Session } from '../../loop/index.ts';
import { forgetSecret, knowSecrets } from '../../platform/index.ts';
import { MAX_BODY_BYTES } from './requests.ts';
import type { Toolbox } from './tool-server.ts';

/** An agent process, admitted by the loop for its lifetime. */
export interface AgentCaller {
  readonly kind: 'agent';
  readonly session: Session;
  readonly tools: ToolRoute;
}

type Caller = AgentCaller | { readonly kind: 'operator' };

export interface Callers {
  readonly operatorToken: string;
  readonly admit: (session: Session) => Admission;
  /** The sender of this `Authorization` header; null when unknown. */
  readonly find: (authorization: string | undefined) => Caller | null;
  /** Revokes every agent's token. */
  readonly close: () => void;
}

interface Entry {
  readonly caller: Caller;
  readonly digest: Buffer;
}

export function openCallers(): Callers {
  const operatorToken = mintToken();
  // Agents may print their environment: no log may hold a valid token.
  knowSecrets([operatorToken]);
  const operator: Entry = { caller: { kind: 'operator' }, digest: digestOf(operatorToken) };
  const entries = new Set<Entry>([operator]);

  function revoke(entry: Entry): void {
    if (!entries.delete(entry) || entry.caller.kind !== 'agent') return;
    entry.caller.tools.close();
  }

  return {
    operatorToken,
    admit(session) {
      const token = mintToken();
      knowSecrets([token]);
      const entry: Entry = { caller: { kind: 'agent', session, tools: toolRoute(session) }, digest: digestOf(token) };
      entries.add(entry);
      return {
        token,
        revoke() {
          revoke(entry);
          // Worthless from here on, and a long run has many.
          forgetSecret(token);
        },
      };
    },
    find(authorization) {
      const token = bearerToken(authorization);
      return token === null ? null : findEntry(entries, digestOf(token));
    },
    close() {
      for (const entry of entries) revoke(entry);
      // A process that takes turns opens a server for each.
      forgetSecret(operatorToken);
    },
  };
}

/** Checks every entry, whichever matches: the time it takes reveals nothing about a token. */
function findEntry(entries: Iterable<Entry>, digest: Buffer): Caller | null {
  let found: Caller | null = null;
  for (const entry of entries) if (timingSafeEqual(entry.digest, digest)) found = entry.caller;
  return found;
}

/** 256 bits: not guessable. */
const TOKEN_BYTES = 32;

export function mintToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The token in an `Authorization` header. The name of the scheme is case-insensitive: RFC 9110 §11.1. */
export function bearerToken(authorization: string | undefined): string | null {
  return /^bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1] ?? null;
}

/** Digests have equal length, which the comparison needs, and make its time independent of the token. */
function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The time it takes reveals nothing about either. */
export function sameToken(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

/** Tools of one agent process over MCP (streamable HTTP, no sessions: every request is independent). */
interface ToolRoute {
  readonly answer: (request: Request) => Promise<Response>;
  /** Ends current streams to the agent. */
  readonly close: () => void;
}

/** The library is loaded at the first request: a run whose agent uses no tools never pays for it. */
function toolRoute(toolbox: Toolbox): ToolRoute {
  let loading: Promise<McpHttpHandler> | null = null;

  async function load(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { toolServers }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./tool-server.ts'),
    ]);
    return createMcpHandler(toolServers(toolbox), { maxRequestBodySize: MAX_BODY_BYTES });
  }

  return {
    async answer(request) {
      loading ??= load();
      return (await loading).fetch(request);
    },
    close() {
      void loading?.then((handler) => handler.close());
    },
  };
}
