import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import {
  authorityText,
  canonicalHost,
  type Endpoint,
  isIpLiteral,
  type Match,
  matches,
  parseAuthority,
} from '../../../rules/isolation/index.ts';
import { answer, type Egress, hangUp, isAnswer, judge, refuse } from './judge.ts';
import { type Opening, readOpening } from './opening.ts';
import { bind } from './sockets.ts';
import { connectTo, upstreamFor } from './upstream.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

/** TLS alert, fatal: unrecognized_name. The client then reports a wrong name rather than a broken network. */
const UNRECOGNIZED_NAME = Buffer.from([21, 3, 1, 0, 2, 2, 112]);

/** Answers CONNECT. @param within the request itself came through a tunnel */
export async function tunnel(
  egress: Egress,
  request: IncomingMessage,
  client: Socket,
  { within, firstBytesMs }: { readonly within: boolean; readonly firstBytesMs: number },
): Promise<void> {
  const target = within ? null : parseAuthority(request.url ?? '', null);
  if (target === null) return answer(client, { status: 400, text: 'CONNECT takes host:port' });
  const match = judge(egress, target);
  if (isAnswer(match)) return answer(client, match);

  // Plain HTTP names its host in every request, so every request is judged.
  if (target.port === 80 && !match.explicitPort) {
    client.write(ESTABLISHED);
    return egress.serveTunnel(client, target);
  }

  const server = await connectTo(egress, target, match, upstreamFor(egress.env, target, 'tunnel'));
  if (isAnswer(server)) return answer(client, server);
  const release = bind(client, server);
  client.write(ESTABLISHED);
  // At once, because some servers speak first.
  server.pipe(client);
  const opening = await openingOf(client, match.explicitPort ? null : firstBytesMs);
  const nothingSaid = opening.kind === 'more' && !match.explicitPort;
  if (nothingSaid) return void client.destroy();
  const objection = objectionTo(egress, target, match, opening);
  if (objection === null) return void client.pipe(server);

  // The server's data must not reach this client any more.
  release();
  server.unpipe(client).destroy();
  const refusal = refuse(egress, target, objection);
  if (opening.kind === 'tls') hangUp(client, UNRECOGNIZED_NAME);
  else answer(client, refusal);
}

/** Why the client's first bytes contradict its request; null when they match it. */
function objectionTo(egress: Egress, target: Endpoint, match: Match, opening: Opening): string | null {
  if (opening.kind === 'tls') {
    // A client that only pretends, to blend in, cannot be told from one that hides a name.
    if (opening.encrypted) return 'the TLS hello in the tunnel is encrypted (ECH), and may be for another host';
    if (opening.names.length === 0 && !isIpLiteral(target.host) && !match.explicitPort)
      return 'the TLS hello in the tunnel names no host';
    const foreign = opening.names.find((name) => !isListed(egress, target, name));
    return foreign === undefined ? null : `the TLS name in the tunnel is another: ${foreign}`;
  }
  if (match.explicitPort && opening.kind !== 'broken') return null;
  return `the tunnel carried something other than TLS; the user can allow that by naming the port: "${authorityText(target)}"`;
}

/** A name that servers at the same address may be asked for: the tunnel's, or another one on the list. */
function isListed(egress: Egress, target: Endpoint, name: string): boolean {
  const host = canonicalHost(name);
  if (host === null) return false;
  return host === target.host || matches(egress.patterns, { host, port: target.port }) !== null;
}

/**
 * The first bytes of a client, put back to be read again. `more` when it ended before they could be classified; a
 * client that exceeds the time limit is disconnected.
 */
function openingOf(client: Socket, limitMs: number | null): Promise<Opening> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer = limitMs === null ? undefined : setTimeout(() => client.destroy(), limitMs);
    client.on('data', collect).once('end', give).once('close', give);

    function collect(chunk: Buffer): void {
      chunks.push(chunk);
      if (readOpening(Buffer.concat(chunks)).kind !== 'more') give();
    }
    function give(): void {
      clearTimeout(timer);
      client.off('data', collect).off('end', give).off('close', give).pause();
      const bytes = Buffer.concat(chunks);
      if (bytes.length > 0 && !client.destroyed) client.unshift(bytes);
      resolve(readOpening(bytes));
    }
  });
}
