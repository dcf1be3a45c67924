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
  return `what went through the tunnel was no TLS; a person can allow that by naming the port: "${authorityText(target)}"`;
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

type Opening =
  | { readonly kind: 'more' }
  /** A TLS client hello, with every readable server name in it. */
  | {
      readonly kind: 'tls';
      readonly names: readonly string[];
      /** It may contain another, hidden hello for another name (ECH, RFC 9849). */
      readonly encrypted: boolean;
    }
  | { readonly kind: 'other' }
  /** Begins as TLS, but in a form that no client writes. */
  | { readonly kind: 'broken' };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
/** `encrypted_client_hello`, and its numbers in drafts that servers still support. */
const ENCRYPTED = [0xfe0d, 0xffce];
const MORE: Opening = { kind: 'more' };

/** A hello with keys of every kind is smaller; more data is not a greeting. */
const LONGEST_HELLO = 16 * 1024;

/** The limit with the record headers: no client splits a hello into tiny records. */
const LONGEST_OPENING = 24 * 1024;

/** Reads the first data of a client (RFC 8446 §4.1.2, §5.1; RFC 6066 §3), in any division into records. */
export function readOpening(bytes: Buffer): Opening {
  if (bytes.length === 0) return MORE;
  if (bytes[0] !== HANDSHAKE_RECORD || (bytes.length > 1 && bytes[1] !== 3)) return { kind: 'other' };
  const handshake = handshakeOf(bytes);
  if (handshake === null) return { kind: 'broken' };
  if (handshake.length > 0 && handshake[0] !== CLIENT_HELLO) return { kind: 'broken' };
  const length = handshake.length < 4 ? null : handshake.readUIntBE(1, 3);
  if (length !== null && length > LONGEST_HELLO) return { kind: 'broken' };
  if (length === null || handshake.length < 4 + length)
    return bytes.length > LONGEST_OPENING ? { kind: 'broken' } : MORE;
  try {
    return { kind: 'tls', ...whatItSays(handshake.subarray(4, 4 + length)) };
  } catch {
    return { kind: 'broken' };
  }
}

/** The handshake messages received so far, out of their records; null when a record is not a handshake. */
function handshakeOf(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  let size = 0;
  let wanted = Number.POSITIVE_INFINITY;
  // Data after the hello (early data, in a record of another kind) does not matter here.
  for (let at = 0; at + 5 <= bytes.length && size < wanted; ) {
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE_RECORD || bytes[at + 1] !== 3 || length === 0) return null;
    const part = bytes.subarray(at + 5, at + 5 + length);
    parts.push(part);
    size += part.length;
    at += 5 + length;
    if (wanted === Number.POSITIVE_INFINITY && size >= 4) wanted = 4 + Buffer.concat(parts).readUIntBE(1, 3);
  }
  return Buffer.concat(parts);
}

/** @throws RangeError for a hello that is shorter than its length fields state */
function whatItSays(hello: Buffer): { readonly names: readonly string[]; readonly encrypted: boolean } {
  const names: string[] = [];
  let encrypted = false;
  // Version and random, then session id, cipher suites, compression methods.
  let at = 34;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  // A hello from before extensions existed ends here.
  if (at === hello.length) return { names, encrypted };
  const end = at + 2 + hello.readUInt16BE(at);
  if (end !== hello.length) throw new RangeError('extensions end elsewhere');
  for (at += 2; at < end; ) {
    const length = hello.readUInt16BE(at + 2);
    if (at + 4 + length > end) throw new RangeError('an extension is cut off');
    const kind = hello.readUInt16BE(at);
    if (ENCRYPTED.includes(kind)) encrypted = true;
    if (kind === SERVER_NAME) names.push(...namesIn(hello.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return { names, encrypted };
}

function namesIn(list: Buffer): readonly string[] {
  const names: string[] = [];
  if (list.readUInt16BE(0) !== list.length - 2) throw new RangeError('the list of names ends elsewhere');
  for (let at = 2; at < list.length; ) {
    const length = list.readUInt16BE(at + 1);
    if (at + 3 + length > list.length) throw new RangeError('a name is cut off');
    // No other kinds of names have ever been defined: any is judged as a host.
    names.push(list.toString('latin1', at + 3, at + 3 + length));
    at += 3 + length;
  }
  return names;
}
