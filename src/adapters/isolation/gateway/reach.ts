import { lookup } from 'node:dns/promises';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  addressRefusal,
  canonicalAddress,
  type Endpoint,
  isIpLiteral,
  type Match,
} from '../../../rules/isolation/hosts.ts';
import { tryConnect } from './local-port.ts';
import { tunnelThrough, type Upstream } from './upstream.ts';

/** A connection to an endpoint of the list, or why there is none. */
export type Reached =
  | { readonly kind: 'socket'; readonly socket: Socket }
  /** The policy forbids it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It is allowed, and could not be had: a status of HTTP for it. */
  | { readonly kind: 'failed'; readonly status: 502 | 504; readonly reason: string };

/** More than the networks of this planet need, less than clients wait. */
const CONNECT_MS = 15_000;

/** With another address left to try, the next one gets its turn sooner. */
const NEXT_ADDRESS_MS = 4_000;

/**
 * Connects to an endpoint that the list has. Its name is resolved here, once, and the connection goes to the very
 * address that was judged: a name server cannot show one address to the judge and another to the client.
 */
export async function reach(target: Endpoint, match: Match, upstream: Upstream | null): Promise<Reached> {
  if (upstream !== null) {
    // The proxy resolves the name, often one that means nothing here: there is no address of ours to judge.
    const tunnel = await tunnelThrough(upstream, target, CONNECT_MS);
    return typeof tunnel === 'string' ? failed(502, tunnel) : { kind: 'socket', socket: tunnel };
  }
  const addresses = await addressesOf(target.host);
  if (addresses.length === 0) return failed(502, `${target.host} has no address`);

  // An address that is listed itself has been judged by the person; only names can lead elsewhere.
  const literal = isIpLiteral(target.host) || target.host === 'localhost';
  const own = ownAddresses();
  const refusals = addresses.map((address) => (literal ? null : addressRefusal(address, match, own)));
  const allowed = addresses.filter((_, at) => refusals[at] === null);
  if (allowed.length === 0) return { kind: 'refused', reason: refusals[0] ?? '' };

  const socket = await firstOf(allowed, target.port);
  if (socket !== null) return { kind: 'socket', socket };
  return failed(504, `${target.host} (${allowed.join(', ')}) does not answer on port ${target.port}`);
}

async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIpLiteral(host)) return [host];
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const found = await lookup(host, { all: true, verbatim: true }).catch(() => []);
  return found.map(({ address }) => canonicalAddress(address)).filter((address) => address !== null);
}

/** Addresses at which this very machine listens. */
function ownAddresses(): readonly string[] {
  const entries = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return entries.map(({ address }) => canonicalAddress(address)).filter((address) => address !== null);
}

async function firstOf(addresses: readonly string[], port: number): Promise<Socket | null> {
  for (const [at, address] of addresses.entries()) {
    const socket = await tryConnect(address, port, at < addresses.length - 1 ? NEXT_ADDRESS_MS : CONNECT_MS);
    if (socket !== null) return socket;
  }
  return null;
}

function failed(status: 502 | 504, reason: string): Reached {
  return { kind: 'failed', status, reason };
}
