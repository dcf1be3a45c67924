import { lookup } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import {
  addressRefusal,
  authorityText,
  canonicalAddress,
  canonicalHost,
  type Endpoint,
  isIpLiteral,
  isLoopback,
  type Match,
} from '../../../rules/isolation/index.ts';
import type { Env } from '../port.ts';
import { type Answer, type Egress, refuse } from './judge.ts';
import { tryConnect } from './sockets.ts';

/** The proxy between this machine and the network. */
interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly authorization: string | null;
}

/**
 * The user's proxy for an endpoint, by the usual variables (lower case first); null for a direct connection. Only http
 * and https proxies are supported: SOCKS is ignored.
 */
export function upstreamFor(env: Env, target: Endpoint, way: 'tunnel' | 'plain'): Upstream | null {
  const names = way === 'tunnel' ? ['https_proxy', 'all_proxy'] : ['http_proxy', 'all_proxy'];
  const text = names.map((name) => variable(env, name)).find((value) => value !== '');
  if (text === undefined || isLoopback(target.host) || isExempt(variable(env, 'no_proxy'), target)) return null;
  const spelled = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(spelled) ? new URL(spelled) : null;
  const host = url && canonicalHost(url.hostname);
  if (!url || !host || !['http:', 'https:'].includes(url.protocol)) return null;
  const tls = url.protocol === 'https:';
  const login = `${decoded(url.username)}:${decoded(url.password)}`;
  return {
    host,
    port: Number(url.port) || (tls ? 443 : 80),
    tls,
    authorization: login === ':' ? null : `Basic ${Buffer.from(login).toString('base64')}`,
  };
}

/** A lone `%` stands for itself: users paste passwords without encoding them. */
function decoded(part: string): string {
  return part.replace(/(%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString());
}

function variable(env: Env, name: string): string {
  return (env[name] || env[name.toUpperCase()] || '').trim();
}

/** `*`, `example.com` (and every name below it), `.example.com`, `*.example.com`, each with or without `:port`. */
function isExempt(noProxy: string, { host, port }: Endpoint): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => {
    const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (only !== undefined && Number(only) !== port) return false;
    const domain = name.replace(/^\*?\./, '');
    return name === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`)));
  });
}

/** A tunnel through the proxy; a text is the reason why there is none. */
function tunnelThrough(upstream: Upstream, target: Endpoint, timeoutMs: number): Promise<Socket | string> {
  const authority = authorityText(target);
  return new Promise((resolve) => {
    const connecting = requestThrough(upstream, { method: 'CONNECT', path: authority, headers: ['Host', authority] });
    const timer = setTimeout(() => connecting.destroy(new Error('it does not answer')), timeoutMs);
    connecting.on('error', (error) => settle(`the proxy of this machine's network: ${error.message}`));
    connecting.once('response', (response) => {
      response.destroy();
      settle(`the proxy of this machine's network answered ${response.statusCode}`);
    });
    connecting.once('connect', (response, socket: Socket, head) => {
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return settle(socket);
      }
      socket.destroy();
      settle(`the proxy of this machine's network answered ${response.statusCode}`);
    });
    connecting.end();

    function settle(result: Socket | string): void {
      clearTimeout(timer);
      resolve(result);
    }
  });
}

export function requestThrough(upstream: Upstream, request: ProxyRequest): ClientRequest {
  const { host, port, tls, authorization } = upstream;
  const login = authorization === null ? [] : ['Proxy-Authorization', authorization];
  const options = { ...request, headers: [...request.headers, ...login], host, port, agent: false as const };
  return tls ? httpsRequest(options) : httpRequest(options);
}

interface ProxyRequest {
  readonly method: string;
  /** An authority for CONNECT, else a whole URL. */
  readonly path: string;
  /** Flat: name, value, name, value. */
  readonly headers: readonly string[];
}

/** More than any network needs, less than clients wait. */
const CONNECT_MS = 15_000;

/** When another address is left to try, the next one is tried sooner. */
const NEXT_ADDRESS_MS = 4_000;

/**
 * A connection to an endpoint that `judge` let through, or the answer that says why there is none. A name is resolved
 * here, once, and the connection goes to the very address that was judged: a name server cannot give one address to the
 * judge and another to the client.
 */
export async function connectTo(
  egress: Pick<Egress, 'onRefusal'>,
  target: Endpoint,
  match: Match,
  upstream: Upstream | null,
): Promise<Socket | Answer> {
  const failed = (status: 502 | 504, why: string) => ({ status, text: `ralph let this through, but ${why}` });
  if (upstream !== null) {
    // The proxy resolves the name, which often means nothing here: there is no local address to judge.
    const tunnel = await tunnelThrough(upstream, target, CONNECT_MS);
    return typeof tunnel === 'string' ? failed(502, tunnel) : tunnel;
  }
  const addresses = await addressesOf(target.host);
  if (addresses.length === 0) return failed(502, `${target.host} has no address`);

  // A person judged an address when listing it; only names can lead elsewhere.
  const literal = isIpLiteral(target.host) || target.host === 'localhost';
  const own = ownAddresses();
  const refusals = addresses.map((address) => (literal ? null : addressRefusal(address, match, own)));
  const allowed = addresses.filter((_, at) => refusals[at] === null);
  if (allowed.length === 0) return refuse(egress, target, refusals[0] ?? '');
  const socket = await firstOf(allowed, target.port);
  return socket ?? failed(504, `${target.host} (${allowed.join(', ')}) does not answer on port ${target.port}`);
}

async function addressesOf(host: string): Promise<readonly string[]> {
  if (isIpLiteral(host)) return [host];
  if (host === 'localhost') return ['127.0.0.1', '::1'];
  const found = await lookup(host, { all: true, verbatim: true }).catch(() => []);
  return found.map(({ address }) => canonicalAddress(address)).filter((address) => address !== null);
}

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
