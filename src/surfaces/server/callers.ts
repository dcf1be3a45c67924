import { timingSafeEqual } from 'node:crypto';
import type { Admission, Desk } from '../../loop/control.ts';
import { forgetSecret, knowSecrets } from '../../platform/secrets.ts';
import { bearerToken, digestOf, mintToken } from './tokens.ts';
import { type ToolRoute, toolRoute } from './tool-route.ts';

/** An agent process, let in by the loop for as long as it lives. */
export interface AgentCaller {
  readonly kind: 'agent';
  readonly desk: Desk;
  readonly tools: ToolRoute;
}

/** A person's tools: monitor, dashboard, steering. */
export interface OperatorCaller {
  readonly kind: 'operator';
}

export type Caller = AgentCaller | OperatorCaller;

/** Who may call, by the token they bring. */
export interface Callers {
  readonly operatorToken: string;
  readonly admit: (desk: Desk) => Admission;
  /** Who sends this `Authorization` header; null when nobody that is known. */
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
  // Agents may print what is in their environment: no log shall hold what lets somebody in.
  knowSecrets([operatorToken]);
  const operator: Entry = { caller: { kind: 'operator' }, digest: digestOf(operatorToken) };
  const entries = new Set<Entry>([operator]);

  function revoke(entry: Entry): void {
    if (!entries.delete(entry) || entry.caller.kind !== 'agent') return;
    entry.caller.tools.close();
  }

  return {
    operatorToken,
    admit(desk) {
      const token = mintToken();
      knowSecrets([token]);
      const entry: Entry = { caller: { kind: 'agent', desk, tools: toolRoute(desk) }, digest: digestOf(token) };
      entries.add(entry);
      return {
        token,
        revoke() {
          revoke(entry);
          // Worth nothing from here on, and a long run has many.
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

/** Looks at every entry, whichever fits: how long it takes tells nothing about a token. */
function findEntry(entries: Iterable<Entry>, digest: Buffer): Caller | null {
  let found: Caller | null = null;
  for (const entry of entries) if (timingSafeEqual(entry.digest, digest)) found = entry.caller;
  return found;
}
