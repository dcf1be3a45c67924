import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Admission, Session } from '../../loop/index.ts';
import { forgetSecret, knowSecrets } from '../../platform/index.ts';
import { MAX_BODY_BYTES } from './requests.ts';
import type { Toolbox } from './tool-server.ts';

/** An agent process, admitted by the loop for its lifetime. */
export interface AgentCaller {
  readonly session: Session;
  readonly tools: ReturnType<typeof toolRoute>;
}

export type Callers = ReturnType<typeof openCallers>;

interface Entry {
  readonly caller: AgentCaller;
  readonly digest: Buffer;
}

export function openCallers() {
  const entries = new Set<Entry>();

  function revoke(entry: Entry): void {
    if (entries.delete(entry)) entry.caller.tools.close();
  }

  return {
    admit(session: Session): Admission {
      const token = mintToken();
      // Agents may print their environment: no log may hold a valid token.
      knowSecrets([token]);
      const entry: Entry = { caller: { session, tools: toolRoute(session) }, digest: digestOf(token) };
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
    /** The sender of this `Authorization` header; null when unknown. */
    find(authorization: string | undefined): AgentCaller | null {
      const token = bearerToken(authorization);
      return token === null ? null : findEntry(entries, digestOf(token));
    },
    /** Revokes every agent's token. */
    close() {
      for (const entry of entries) revoke(entry);
    },
  };
}

/** Always checks every entry: the time it takes reveals nothing about a token. */
function findEntry(entries: Iterable<Entry>, digest: Buffer): AgentCaller | null {
  let found: AgentCaller | null = null;
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

/**
 * Tools of one agent process over MCP (streamable HTTP, no sessions: every request is independent). The library is
 * loaded at the first request: a run whose agent uses no tools never pays for it.
 */
function toolRoute(toolbox: Toolbox) {
  let loading: Promise<McpHttpHandler> | null = null;

  async function load(): Promise<McpHttpHandler> {
    const [{ createMcpHandler }, { toolServers }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('./tool-server.ts'),
    ]);
    return createMcpHandler(toolServers(toolbox), { maxRequestBodySize: MAX_BODY_BYTES });
  }

  return {
    async answer(request: Request): Promise<Response> {
      loading ??= load();
      return (await loading).fetch(request);
    },
    /** Ends current streams to the agent. */
    close() {
      void loading?.then((handler) => handler.close());
    },
  };
}
