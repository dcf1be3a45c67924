/** What an IP address stands for, as far as it decides whether the egress proxy connects to it. */
export type AddressClass = 'public' | 'private' | 'loopback' | 'link-local' | 'unspecified' | 'multicast' | 'reserved';

/** The first that fits counts. Everything that is not here is public. */
const RANGES: readonly (readonly [cidr: string, kind: AddressClass])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['100.64.0.0/10', 'private'],
  // Meant for benchmarks; used by resolvers of VPN clients as addresses of their own.
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

/** IPv6 that carries an IPv4 address, and is what that is: prefix, and the byte where the address begins. */
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

/** The class of an address in its usual spelling, as `canonicalHost` gives it; reserved for what is none. */
export function addressClass(address: string): AddressClass {
  const bytes = bytesOf(address);
  return bytes === null ? 'reserved' : classOf(bytes);
}

/** The IPv4 address that an IPv6 address of the form `::ffff:1.2.3.4` is for every system; any other as it is. */
export function unmapped(address: string): string {
  const bytes = bytesOf(address);
  const [mapped] = carriers;
  return bytes !== null && mapped && within(bytes, mapped) ? bytes.slice(mapped.at).join('.') : address;
}

/** Is this an IP address, in its usual spelling and without brackets? */
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
