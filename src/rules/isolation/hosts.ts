/** One entry of an allow-list. */
export interface HostPattern {
  /** As {@link canonicalHost} spells it. */
  readonly host: string;
  /** `*.example.com`: every name below `host`, at any depth, and not `host` itself. */
  readonly below: boolean;
  /** Null stands for 80 and 443. */
  readonly port: number | null;
}

/** A host with the requested port. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** How precisely an allow-list covers an endpoint. */
export interface Match {
  /** The host itself is listed, not only a domain above it. */
  readonly exact: boolean;
  /** The port is listed with it: the user knows what listens there. */
  readonly explicitPort: boolean;
}

const USUAL_PORTS: readonly number[] = [80, 443];

/**
 * One spelling for every way to write a host: lower case, punycode, no dot at the end, IPv4 in four decimal numbers
 * (from `0x7f.1`, `2130706433`, `0177.0.0.1`, `[::ffff:127.0.0.1]`), IPv6 in short form without brackets. Null for a
 * text that is not a host. The rules are those of URLs, which clients follow.
 */
export function canonicalHost(text: string): string | null {
  if (!/^(\[[0-9a-f:.]+\]|[^\s\p{C}/?#@\\%:[\]]+)$/iu.test(text)) return null;
  const url = URL.canParse(`http://${text}/`) ? new URL(`http://${text}/`) : null;
  if (url === null) return null;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host.includes(':')) return unmapped(host);
  return host.length <= 253 && /^[^.]{1,63}(\.[^.]{1,63})*$/.test(host) ? host : null;
}

/** An address from the system's resolver, in the spelling of {@link canonicalHost}; null for any other text. */
export function canonicalAddress(address: string): string | null {
  const plain = address.replace(/%.*$/, '');
  const host = canonicalHost(plain.includes(':') ? `[${plain}]` : plain);
  return host !== null && isIpLiteral(host) ? host : null;
}

/** `host`, `host:port` or `[v6]:port`; null for anything else. Without its own port it gets `defaultPort`. */
export function parseAuthority(text: string, defaultPort: number | null): Endpoint | null {
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const host = canonicalHost(name);
  const port = digits === undefined ? defaultPort : Number(digits);
  return host !== null && port !== null && port > 0 && port < 65_536 ? { host, port } : null;
}

/** The text of an endpoint in a Host header or a CONNECT line; without the port if it is `implied`. */
export function authorityText({ host, port }: Endpoint, implied?: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === implied ? name : `${name}:${port}`;
}

/**
 * Reads an entry of an allow-list: `api.example.com`, `*.example.com`, each with or without `:port`; also addresses.
 * Null for anything else: a URL, a lone `*`, a wildcard over addresses, loopback without a port (which would open every
 * service listening there).
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

/** The best match for an endpoint in a list (host as {@link canonicalHost} spells it); null when there is none. */
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
  unspecified: 'an unspecified address',
  multicast: 'a multicast address',
  reserved: 'a reserved address',
};

/** Why a listed name must not be reached at an address that it resolves to; null when it may. */
export function addressRefusal(address: string, match: Match, ownAddresses: readonly string[]): string | null {
  const kind = ownAddresses.includes(address) ? 'loopback' : addressClass(address);
  if (kind === 'public' || (kind === 'private' && match.exact)) return null;
  return `it resolves to ${address}: ${ADDRESS_WORDS[kind]}`;
}

/** Whether this host is the machine itself with any resolver. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || ['loopback', 'unspecified'].includes(kindOf(host));
}

function kindOf(host: string): AddressClass {
  return isIpLiteral(host) ? addressClass(host) : 'public';
}

/** The target of a service's base URL: a host, as an entry of an allow-list, or a loopback port. */
type UrlEndpoint =
  | { readonly kind: 'host'; readonly pattern: string }
  | { readonly kind: 'local'; readonly port: number };

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };

/** Reads a base URL such as the one in ANTHROPIC_BASE_URL; null when it is not an http(s) or ws(s) URL. */
export function endpointOf(text: string): UrlEndpoint | null {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
  const usual = url && DEFAULT_PORTS[url.protocol];
  const host = url && canonicalHost(url.hostname);
  if (!url || usual === undefined || usual === null || !host) return null;
  const port = url.port === '' ? usual : Number(url.port);
  if (isLoopback(host)) return { kind: 'local', port };
  return { kind: 'host', pattern: authorityText({ host, port }, USUAL_PORTS.includes(port) ? port : undefined) };
}

/** The class of an IP address, which decides whether the egress proxy connects to it. */
type AddressClass = 'public' | 'private' | 'loopback' | 'link-local' | 'unspecified' | 'multicast' | 'reserved';

/** The first match counts. Every address outside these ranges is public. */
const RANGES: readonly (readonly [cidr: string, kind: AddressClass])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['100.64.0.0/10', 'private'],
  // Meant for benchmarks; VPN clients' resolvers use them as their own addresses.
  ['198.18.0.0/15', 'private'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['fc00::/7', 'private'],
  ['ff00::/8', 'multicast'],
  ['2001::/32', 'reserved'],
];

/** IPv6 ranges that carry an IPv4 address and share its class: prefix, and the byte where the address begins. */
const CARRIERS: readonly (readonly [cidr: string, at: number])[] = [
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['64:ff9b:1::/96', 12],
  ['2002::/16', 2],
  ['::/96', 12],
];

interface Range {
  readonly bytes: readonly number[];
  readonly bits: number;
}

const ranges = RANGES.map(([cidr, kind]) => ({ ...rangeOf(cidr), kind }));
const carriers = CARRIERS.map(([cidr, at]) => ({ ...rangeOf(cidr), at }));

/** The class of an address in its usual spelling, as `canonicalHost` gives it; `reserved` when it is not an address. */
function addressClass(address: string): AddressClass {
  const bytes = bytesOf(address);
  return bytes === null ? 'reserved' : classOf(bytes);
}

/** The IPv4 address that `::ffff:1.2.3.4` means on every system; any other address unchanged. */
function unmapped(address: string): string {
  const bytes = bytesOf(address);
  const [mapped] = carriers;
  return bytes !== null && mapped && within(bytes, mapped) ? bytes.slice(mapped.at).join('.') : address;
}

/** Whether this is an IP address, in its usual spelling and without brackets. */
export function isIpLiteral(host: string): boolean {
  return bytesOf(host) !== null;
}

function classOf(bytes: readonly number[]): AddressClass {
  const found = ranges.find((range) => within(bytes, range));
  if (found) return found.kind;
  const carrier = carriers.find((range) => within(bytes, range));
  return carrier ? classOf(bytes.slice(carrier.at, carrier.at + 4)) : 'public';
}

function within(bytes: readonly number[], { bytes: base, bits }: Range): boolean {
  if (bytes.length !== base.length) return false;
  return base.every((byte, at) => {
    const counted = Math.min(8, Math.max(0, bits - at * 8));
    return (byte ^ (bytes[at] ?? 0)) >> (8 - counted) === 0;
  });
}

function rangeOf(cidr: string): Range {
  const [base = '', bits = ''] = cidr.split('/');
  return { bytes: bytesOf(base) ?? [], bits: Number(bits) };
}

function bytesOf(address: string): readonly number[] | null {
  return address.includes(':') ? bytesOfV6(address) : bytesOfV4(address);
}

function bytesOfV4(address: string): readonly number[] | null {
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(address)) return null;
  const bytes = address.split('.').map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : null;
}

function bytesOfV6(address: string): readonly number[] | null {
  const halves = address.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [head = [], tail = []] = halves;
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return null;
  const groups = [...head, ...Array<string>(missing).fill('0'), ...tail];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return null;
  return groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]);
}
