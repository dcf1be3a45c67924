import { createHmac } from 'node:crypto';

/** What lets people in. */
export interface Keys {
  /** The token of the address that `ralph dashboard` prints: lets read, and do everything that a person may. */
  readonly control: string;
  /** What browsers keep as a cookie: lets read only. It derives from the token, so that a restart forgets nobody. */
  readonly read: string;
}

export function keysOf(token: string): Keys {
  return { control: token, read: derived(token, 'read') };
}

/**
 * The proof that a server knows the token, without telling it: what answers on a port may be any program. It names the
 * port, so that another program cannot get the answer from the server that is really ours.
 * @param challenge any text, not the same twice
 */
export function proofOf(token: string, port: number, challenge: string): string {
  return derived(token, `port ${port} ${challenge}`);
}

function derived(token: string, purpose: string): string {
  return createHmac('sha256', token).update(purpose).digest('base64url');
}

/** The keys that hold now. */
export interface KeyRing {
  readonly keys: () => Keys;
  /** Looks whether the token was replaced. */
  readonly refresh: () => Promise<void>;
}

/**
 * @param read the token as it is kept; null, where it cannot be read, leaves the one that holds
 * @param onRenewed called when the token before does not hold any more
 */
export function openKeyRing(token: string, read: () => Promise<string | null>, onRenewed: () => void): KeyRing {
  let keys = keysOf(token);
  return {
    keys: () => keys,
    async refresh() {
      const found = await read();
      if (found === null || found === keys.control) return;
      keys = keysOf(found);
      onRenewed();
    },
  };
}
