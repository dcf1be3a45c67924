import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken, sameToken } from '../server/index.ts';

export type Rights = 'control' | 'read';

/** The rights of a caller, by its credentials. `wait`: seconds, after too many wrong tokens. */
export type Judgement = { readonly rights: Rights } | { readonly rights: null; readonly wait: number };

/** Wrong tokens: people mistype a few; guessing 256 bits at this pace never ends. */
const WRONG = { burst: 20, perSecond: 1 };
const UNKNOWN_CALLER: Judgement = { rights: null, wait: 0 };

export type Door = ReturnType<typeof openDoor>;

/**
 * Lets people in by the token or the cookie. Every port of a host gets a host's cookies, and agents start web servers
 * here: the cookie may fall into the wrong hands, so it allows reading only.
 */
export function openDoor(ring: KeyRing, port: number, now: () => number) {
  const name = `ralph-${port}`;
  const wrong = openThrottle(WRONG, now);

  // The right token is recognised first: guessing cannot lock out the user.
  function judgeToken(token: string): Judgement {
    return sameToken(token, ring.keys().control) ? { rights: 'control' } : { rights: null, wait: wrong.take() };
  }

  return {
    judge(headers: IncomingHttpHeaders): Judgement {
      if (headers.authorization !== undefined) return judgeToken(bearerToken(headers.authorization) ?? '');
      const values = cookiesNamed(name, headers.cookie);
      if (values.length === 0) return UNKNOWN_CALLER;
      const { read } = ring.keys();
      return values.some((value) => sameToken(value, read)) ? { rights: 'read' } : { rights: null, wait: wrong.take() };
    },
    /** Judges the token in an address. */
    judgeToken,
    /** The `Set-Cookie` for a caller with the token. */
    cookie: () => `${name}=${ring.keys().read}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${YEAR_S}`,
  };
}

const YEAR_S = 365 * 24 * 60 * 60;

/** There may be several with one name: any other server of this host can set one. */
function cookiesNamed(name: string, header: string | undefined): readonly string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}

interface Keys {
  /** The token of the address that `ralph dashboard` prints: allows reading and every action of a person. */
  readonly control: string;
  /**
   * The cookie in browsers: allows reading only. It derives from the token, so browsers stay signed in after a restart.
   */
  readonly read: string;
}

function keysOf(token: string): Keys {
  return { control: token, read: derived(token, 'read') };
}

/**
 * The proof that a server knows the token, without revealing it: any program may answer on a port. It includes the
 * port, so that another program cannot get the answer from our real server.
 * @param challenge any text, never the same twice
 */
export function proofOf(token: string, port: number, challenge: string): string {
  return derived(token, `port ${port} ${challenge}`);
}

function derived(token: string, purpose: string): string {
  return createHmac('sha256', token).update(purpose).digest('base64url');
}

export type KeyRing = ReturnType<typeof openKeyRing>;

/**
 * @param read the stored token; null, when it cannot be read, keeps the current one
 * @param onRenewed called when the previous token is no longer valid
 */
export function openKeyRing(token: string, read: () => Promise<string | null>, onRenewed: () => void) {
  let keys = keysOf(token);
  return {
    keys: () => keys,
    /** Checks whether the token was replaced. */
    async refresh() {
      const found = await read();
      if (found === null || found === keys.control) return;
      keys = keysOf(found);
      onRenewed();
    },
  };
}

/** Lets a burst through at once, and after that a number per second. */
export function openThrottle(limits: { readonly burst: number; readonly perSecond: number }, now: () => number) {
  let left = limits.burst;
  let at = now();
  return {
    /** Takes one. @returns 0 when it may pass, else the whole seconds to wait */
    take(): number {
      const moment = now();
      // A clock that was set back gives nothing and takes nothing.
      left = Math.min(limits.burst, left + (Math.max(0, moment - at) / 1000) * limits.perSecond);
      at = moment;
      if (left < 1) return Math.ceil((1 - left) / limits.perSecond);
      left -= 1;
      return 0;
    },
  };
}
