import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { authorityText, canonicalHost, type Endpoint, isLoopback } from '../../../rules/isolation/hosts.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The proxy that this machine's network is behind. */
export interface Upstream {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Value of Proxy-Authorization. */
  readonly authorization: string | null;
}

/**
 * The person's proxy for an endpoint, by the usual variables (small letters first); null where it is reached directly.
 * Other than http and https proxies there are none here: SOCKS is passed over.
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

/** A lone `%` stands for itself: people paste passwords as they are. */
function decoded(part: string): string {
  return part.replace(/(%[0-9a-f]{2})+/gi, (escaped) => Buffer.from(escaped.replaceAll('%', ''), 'hex').toString());
}

function variable(env: Env, name: string): string {
  return (env[name] || env[name.toUpperCase()] || '').trim();
}

/** `*`, `example.com` (and all below), `.example.com`, `*.example.com`, each with `:port` or without. */
function isExempt(noProxy: string, { host, port }: Endpoint): boolean {
  return noProxy.split(/[\s,]+/).some((entry) => {
    const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (only !== undefined && Number(only) !== port) return false;
    const domain = name.replace(/^\*?\./, '');
    return name === '*' || (domain !== '' && (host === domain || host.endsWith(`.${domain}`)));
  });
}

/** A tunnel through the proxy; text is the reason why there is none. */
export function tunnelThrough(upstream: Upstream, target: Endpoint, timeoutMs: number): Promise<Socket | string> {
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

/** A request to the proxy itself. */
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
