import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken, sameToken } from '../server/tokens.ts';
import type { KeyRing } from './keys.ts';
import { openThrottle } from './throttle.ts';

export type Rights = 'control' | 'read';

/** Who somebody is, by what they brought. `wait`: seconds, after too many wrong tokens. */
export type Judgement = { readonly rights: Rights } | { readonly rights: null; readonly wait: number };

/**
 * Lets people in by the token or the cookie. Every port of a host gets a host's cookies, and agents start web servers
 * here: the cookie may end up in the wrong hands, so it lets read and no more.
 */
export interface Door {
  readonly judge: (headers: IncomingHttpHeaders) => Judgement;
  /** The token in an address. */
  readonly judgeToken: (token: string) => Judgement;
  /** The `Set-Cookie` of who brought the token. */
  readonly cookie: () => string;
}

/** Wrong tokens: people mistype a few; a program that guesses 256 bits at this pace does not end. */
const WRONG = { burst: 20, perSecond: 1 };
const NOBODY: Judgement = { rights: null, wait: 0 };

export function openDoor(ring: KeyRing, port: number, now: () => number): Door {
  const name = `ralph-${port}`;
  const wrong = openThrottle(WRONG, now);

  // The right token is recognised first: whoever guesses can lock nobody out.
  function judgeToken(token: string): Judgement {
    return sameToken(token, ring.keys().control) ? { rights: 'control' } : { rights: null, wait: wrong.take() };
  }

  return {
    judge(headers) {
      if (headers.authorization !== undefined) return judgeToken(bearerToken(headers.authorization) ?? '');
      const values = cookiesNamed(name, headers.cookie);
      if (values.length === 0) return NOBODY;
      const { read } = ring.keys();
      return values.some((value) => sameToken(value, read)) ? { rights: 'read' } : { rights: null, wait: wrong.take() };
    },
    judgeToken,
    cookie: () => `${name}=${ring.keys().read}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${YEAR_S}`,
  };
}

const YEAR_S = 365 * 24 * 60 * 60;

/** There may be several of one name: any other server of this host can set one. */
function cookiesNamed(name: string, header: string | undefined): readonly string[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at > 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
}
