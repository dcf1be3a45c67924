import { type AddressClass, addressClass, isIpLiteral, unmapped } from './addresses.ts';

export { isIpLiteral };

/** One entry of an allow-list. */
export interface HostPattern {
  /** As {@link canonicalHost} spells it. */
  readonly host: string;
  /** `*.example.com`: every name below `host`, at any depth, and not `host` itself. */
  readonly below: boolean;
  /** Null stands for 80 and 443. */
  readonly port: number | null;
}

/** A host with the port that is asked for. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** How far an allow-list vouches for an endpoint. */
export interface Match {
  /** The host itself is listed, not only a domain above it. */
  readonly exact: boolean;
  /** The port is listed with it: the person knows what listens there. */
  readonly explicitPort: boolean;
}

const USUAL_PORTS: readonly number[] = [80, 443];

/**
 * One spelling for every way to write a host: lower case, punycode, no dot at the end, IPv4 in four decimal numbers
 * (from `0x7f.1`, `2130706433`, `0177.0.0.1`, `[::ffff:127.0.0.1]`), IPv6 in short form without brackets. Null for
 * what is no host. The rules are those of URLs, which is what clients go by.
 */
export function canonicalHost(text: string): string | null {
  if (!/^(\[[0-9a-f:.]+\]|[^\s\p{C}/?#@\\%:[\]]+)$/iu.test(text)) return null;
  const url = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`) : null;
  if (url === null) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host.includes(':')) return unmapped(host);
  return host.length <= 253 && /^[^.]{1,63}(\.[^.]{1,63})*$/.test(host) ? host : null;
}

/** An address as the system's resolver gives it, in the spelling of {@link canonicalHost}; null for what is none. */
export function canonicalAddress(address: string): string | null {
  const plain = address.replace(/%.*$/, '');
  const host = canonicalHost(plain.includes(':') ? `[${plain}]` : plain);
  return host !== null && isIpLiteral(host) ? host : null;
}

/** `host`, `host:port` or `[v6]:port`; null for anything else. Without a port of its own it has `defaultPort`. */
export function parseAuthority(text: string, defaultPort: number | null): Endpoint | null {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = canonicalHost(name);
  const port = digits === undefined ? defaultPort : Number(digits);
  return host !== null && port !== null && port > 0 && port < 65_536 ? { host, port } : null;
}

/** The text of an endpoint in a Host header or a CONNECT line; without the port where it is `implied`. */
export function authorityText({ host, port }: Endpoint, implied?: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === implied ? name : `${name}:${port}`;
}

/**
 * Reads an entry of an allow-list: `api.example.com`, `*.example.com`, each with `:port` or without, addresses likewise.
 * Null for anything else: a URL, a lone `*`, a wildcard over addresses, loopback without a port (which would open
 * whatever happens to listen there).
 */
export function parseHostPattern(text: string): HostPattern | null {
  const below = text.startsWith('*.');
  const bare = below ? text.slice(2) : text;
  const withPort = /:\d+$/.test(bare.replace(/^\[[^\]]*\]/, ''));
  const endpoint = parseAuthority(bare, 443);
  if (endpoint === null || (below && isIpLiteral(endpoint.host))) return null;
  if (endpoint.host.includes('*') || (isLoopback(endpoint.host) && (below || !withPort))) return null;
  return { host: endpoint.host, below, port: withPort ? endpoint.port : null };
}

/** The best that a list says about an endpoint (host as {@link canonicalHost} spells it); null when it has none. */
export function matches(patterns: readonly HostPattern[], { host, port }: Endpoint): Match | null {
  const fitting = patterns.filter((pattern) => fits(pattern, host, port));
  if (fitting.length === 0) return null;
  return {
    exact: fitting.some((pattern) => !pattern.below),
    explicitPort: fitting.some((pattern) => pattern.port !== null),
  };
}

function fits(pattern: HostPattern, host: string, port: number): boolean {
  if (pattern.port === null ? !USUAL_PORTS.includes(port) : pattern.port !== port) return false;
  return pattern.below ? host.endsWith(`.${pattern.host}`) && !isIpLiteral(host) : host === pattern.host;
}

const ADDRESS_WORDS: Readonly<Record<Exclude<AddressClass, 'public'>, string>> = {
  private: 'a private network; a name there is reached only when it is listed itself, not by a wildcard',
  loopback: 'this machine; isolation.localPorts opens a port of it',
  'link-local': 'the local link, where clouds keep their credentials',
  unspecified: 'no address of its own',
  multicast: 'a group of machines',
  reserved: 'an address for no machine',
};

/** Why a listed name may not be reached at an address that it resolves to; null when it may. */
export function addressRefusal(address: string, match: Match, ownAddresses: readonly string[]): string | null {
  const kind = ownAddresses.includes(address) ? 'loopback' : addressClass(address);
  if (kind === 'public' || (kind === 'private' && match.exact)) return null;
  return `it resolves to ${address}: ${ADDRESS_WORDS[kind]}`;
}

/** Is this host the machine itself, whoever resolves it? */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || ['loopback', 'unspecified'].includes(kindOf(host));
}

function kindOf(host: string): AddressClass {
  return isIpLiteral(host) ? addressClass(host) : 'public';
}

/** Where a base URL of a service leads: to a host, as an entry of an allow-list, or to a port of the loopback. */
export type UrlEndpoint =
  | { readonly kind: 'host'; readonly pattern: string }
  | { readonly kind: 'local'; readonly port: number };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };

/** Reads a base URL such as the one in ANTHROPIC_BASE_URL; null for what is no http(s) or ws(s) URL. */
export function endpointOf(text: string): UrlEndpoint | null {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  const usual = url && DEFAULT_PORTS[url.protocol];
  const host = url && canonicalHost(url.hostname);
  if (!url || usual === undefined || usual === null || !host) return null;
  const port = url.port === '' ? usual : Number(url.port);
  if (isLoopback(host)) return { kind: 'local', port };
  return { kind: 'host', pattern: authorityText({ host, port }, USUAL_PORTS.includes(port) ? port : undefined) };
}
