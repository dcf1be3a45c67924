import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { authorityText, type Endpoint } from '../../../rules/isolation/index.ts';

/** The proxy's own answer, in a sentence for its reader: mostly an agent. */
export interface Answer {
  readonly status: 400 | 403 | 408 | 431 | 501 | 502 | 504;
  readonly text: string;
}

/** Marks the proxy's own answers, so that they are not taken for the server's. */
const MARK = 'ralph';

/** Headers of an answer, as a flat list. */
export function answerHeaders({ text }: Answer): string[] {
  const length = String(Buffer.byteLength(`${text}\n`));
  return [
    'Content-Type',
    'text/plain; charset=utf-8',
    'Content-Length',
    length,
    'Via',
    `1.1 ${MARK}`,
    'Connection',
    'close',
  ];
}

/** Answers on a bare connection and ends it. */
export function answer(socket: Duplex, { status, text }: Answer): void {
  const headers = answerHeaders({ status, text });
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
  hangUp(socket, `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${text}\n`);
}

/** Time for the other end to read the last words. */
const LINGER_MS = 2_000;

/**
 * Sends the last words and ends a connection. Data that still arrives is read and dropped: unread, it would hide that
 * the other end has closed, and closing with unread data would discard the last words.
 */
export function hangUp(socket: Duplex, words: string | Buffer = ''): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.resume().end(words);
}

/** The answer to a forbidden request: says who can change that, and where. */
export function refusal(target: Endpoint, reason: string): Answer {
  return { status: 403, text: `ralph refused ${authorityText(target)}: ${reason}` };
}

/** Why an endpoint is refused that no entry of the list names. */
export function notListed(target: Endpoint, hostIsListed: boolean): string {
  const usual = target.port === 80 || target.port === 443;
  const entry = authorityText(target, usual ? target.port : undefined);
  const subject = hostIsListed ? `port ${target.port} of ${target.host}` : entry;
  return `${subject} is not on the allow-list of this run; a person can add it: isolation.allowHosts ["${entry}"] in ralph.config.json`;
}
