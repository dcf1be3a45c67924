import { isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** How a server on some interface may be called. */
export interface HostNames {
  /** In lower case, as they stand in a `Host` header. */
  readonly names: readonly string[];
  /** The one to print. */
  readonly shown: string;
  readonly loopback: boolean;
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost'];
const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/** @param host what to listen on: an address or a name; `0.0.0.0` and `::` are every interface */
export function namesOf(host: string): HostNames {
  const lower = host.toLowerCase();
  if (LOOPBACK.includes(lower)) return { names: LOOPBACK, shown: '127.0.0.1', loopback: true };
  if (lower === '::1') return { names: ['[::1]', 'localhost'], shown: '[::1]', loopback: true };
  if (!WILDCARDS.includes(lower)) return { names: [inAddress(lower)], shown: inAddress(lower), loopback: false };
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const outer = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const own = hostname().toLowerCase();
  const names = [...LOOPBACK, '[::1]', own, `${own}.local`, ...addresses.map(({ address }) => inAddress(address))];
  return { names: [...new Set(names)], shown: outer ?? own, loopback: false };
}

/** An address of IPv6 without its zone, in brackets. */
function inAddress(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  return isIPv6(bare) ? `[${bare}]` : bare;
}
