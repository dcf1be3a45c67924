import {
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { pipeline } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Env, Lent } from '../port.ts';
import { awaitAnswer, endToEnd, framingOf, say } from './forward.ts';
import { isAnswer } from './judge.ts';
import { connectTo, upstreamFor } from './upstream.ts';

/**
 * Passes requests of clients on to the provider that lent them a credential, with the real one in its place. A request
 * without a stand-in reaches nothing; one with a stand-in reaches only the provider that it belongs to.
 */
export function credentialServer(lent: readonly Lent[], env: Env): Server {
  const agents = { 'http:': new HttpAgent({ keepAlive: true }), 'https:': new SecureAgent({ keepAlive: true }) };
  const server = createServer((request, response) => {
    passOn(request, response).catch(() => response.destroy());
  });
  server.on('close', () => {
    for (const agent of Object.values(agents)) agent.destroy();
  });
  return server;

  async function passOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const found = withCredential(endToEnd(request.rawHeaders), lent);
    if (found === null) return say(response, { status: 401, text: 'ralph has no credential for this request' });
    const framing = framingOf(request);
    // The answer to TRACE is the request, with the credential in it.
    if (framing === null || !request.url?.startsWith('/') || request.method === 'TRACE') {
      return say(response, { status: 400, text: 'ralph cannot pass this request on' });
    }
    const { protocol, hostname, host, port, pathname, username, password } = new URL(found.base);
    const secure = protocol === 'https:';
    const endpoint = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80) };
    const named = found.headers.some((text, at) => at % 2 === 0 && text.toLowerCase() === 'authorization');
    const login = username === '' || named ? [] : ['Authorization', basic(username, password)];
    const options = {
      method: request.method ?? 'GET',
      // Not resolved against the base: `//elsewhere/x` would name another host.
      path: `${pathname.replace(/\/+$/, '')}${request.url}`,
      headers: ['Host', host, ...found.headers, ...login, ...framing],
      host: endpoint.host,
      port: endpoint.port,
    };
    const connection = await throughProxy(endpoint, secure);
    if (connection !== null && isAnswer(connection)) return say(response, connection);
    const start = secure ? secureRequest : plainRequest;
    const outgoing = start(
      connection === null
        ? { ...options, agent: agents[secure ? 'https:' : 'http:'] }
        : { ...options, createConnection: () => connection },
    );
    awaitAnswer(outgoing, response);
    response.once('close', () => outgoing.destroy());
    if (response.destroyed) return void outgoing.destroy();
    pipeline(request, outgoing, (error) => void (error && outgoing.destroy()));
  }

  /** A connection through the proxy between this machine and the network; null where there is none. */
  async function throughProxy(endpoint: { readonly host: string; readonly port: number }, secure: boolean) {
    const upstream = upstreamFor(env, endpoint, 'tunnel');
    if (upstream === null) return null;
    const named = { exact: true, explicitPort: true };
    const socket = await connectTo({ onRefusal: () => {} }, endpoint, named, upstream);
    return isAnswer(socket) || !secure ? socket : tlsConnect({ socket, servername: endpoint.host });
  }
}

/** The header of a login in an address, where its parts are percent-encoded. */
function basic(...login: readonly string[]): string {
  return `Basic ${Buffer.from(login.map(decodeURIComponent).join(':')).toString('base64')}`;
}

/** The headers with the credential in the place of its stand-in, and the address it belongs to; null without one. */
function withCredential(
  headers: readonly string[],
  lent: readonly Lent[],
): { readonly base: string; readonly headers: readonly string[] } | null {
  for (const { base, credentials } of lent) {
    const carried = credentials.filter(({ standIn }) => headers.some((text) => text.includes(standIn)));
    if (carried.length === 0) continue;
    const real = (text: string) =>
      carried.reduce((all, { standIn, secret }) => all.replaceAll(standIn, () => secret), text);
    return { base, headers: headers.map((text, at) => (at % 2 === 1 ? real(text) : text)) };
  }
  return null;
}
