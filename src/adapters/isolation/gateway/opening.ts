/** What the first bytes of a client are. */
export type Opening =
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
    return { kind: 'tls', ...parseHello(handshake.subarray(4, 4 + length)) };
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
function parseHello(hello: Buffer): { readonly names: readonly string[]; readonly encrypted: boolean } {
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
