import { lookup } from 'node:dns/promises';
import { isIP, isIPv4, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost'];
const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];

/**
 * @param asked what to listen on: an address or a name; `0.0.0.0` and `::` are every interface
 * @returns `names` in lower case, as written in a `Host` header
 */
export async function namesOf(asked: string) {
  const host = asked.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  if (LOOPBACK.includes(host)) return { host: '127.0.0.1', names: LOOPBACK, shown: '127.0.0.1', loopback: true };
  if (host === '::1') return { host, names: ['[::1]', 'localhost'], shown: '[::1]', loopback: true };
  const own = inAddress(host);
  if (!WILDCARDS.includes(host)) return { host, names: [own], shown: own, loopback: await isLoopback(host) };
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const outer = addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  const called = hostname().toLowerCase();
  const names = [
    ...LOOPBACK,
    '[::1]',
    called,
    `${called}.local`,
    ...addresses.map(({ address }) => inAddress(address)),
  ];
  return { host, names: [...new Set(names)], shown: outer ?? called, loopback: false };
}

/** Whether an address, or every address of a name, belongs to this machine alone. */
async function isLoopback(host: string): Promise<boolean> {
  if (isIP(host) !== 0) return isLoopbackAddress(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.length > 0 && found.every(({ address }) => isLoopbackAddress(address));
}

function isLoopbackAddress(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : address === '::1' || /^::ffff:127\./i.test(address);
}

/** An IPv6 address in brackets, without its zone. */
function inAddress(host: string): string {
  const bare = host.replace(/%.*$/, '');
  return isIPv6(bare) ? `[${bare}]` : bare;
}
