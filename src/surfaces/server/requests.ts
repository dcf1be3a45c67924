import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const LOOPBACK_NAMES: readonly string[] = ['127.0.0.1', 'localhost'];

/**
 * Why a request does not come from a program of this machine that means this server; null when it may. The token
 * decides about access. This stops web pages before that: a page whose name was made to resolve to 127.0.0.1 (DNS
 * rebinding) still sends its own name as `Host`, and a page of another site its own `Origin`.
 * @param names that the server answers to, in lower case, without the port
 */
export function whyForeign(
  host: string | undefined,
  origin: string | undefined,
  port: number,
  names: readonly string[] = LOOPBACK_NAMES,
): string | null {
  // Browsers omit the port of http.
  const own = names.flatMap((name) => (port === 80 ? [name, `${name}:80`] : [`${name}:${port}`]));
  if (host === undefined || !own.includes(host.toLowerCase())) {
    return names === LOOPBACK_NAMES
      ? 'this server answers only to its loopback address'
      : 'this server answers only to its own address';
  }
  if (origin !== undefined && !own.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return 'pages of other origins may not call this server';
  }
  return null;
}

/**
 * The body of a request as text; null as soon as it is known to be too large, with the rest unread. Rejects when the
 * client disconnects before its end. Reads Node's own stream: a web stream around it costs as much as the rest of a
 * hook call.
 */
export function readBody(incoming: IncomingMessage, limit = MAX_BODY_BYTES): Promise<string | null> {
  return new Promise((resolve, reject) => {
    if (Number(incoming.headers['content-length'] ?? 0) > limit) return resolve(null);
    const chunks: Buffer[] = [];
    let size = 0;
    const collect = (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= limit) return;
      incoming.off('data', collect).pause();
      resolve(null);
    };
    incoming.on('data', collect);
    incoming.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    const gone = () => reject(new Error('the client disconnected during a hook call'));
    incoming.once('error', gone);
    incoming.once('close', gone);
  });
}

/** Per request: the largest tool results that agents report are some megabytes. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Resolves with the port. */
export function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Does not wait for open requests: late callers get no answer. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
