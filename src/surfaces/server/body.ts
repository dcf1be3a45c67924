import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from './limits.ts';

/**
 * The body of a request as text; null as soon as it is known to be too large, the rest unread. Rejects when the client
 * goes away before its end. Reads Node's own stream: a web stream around it costs as much as all else of a hook call.
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
    const gone = () => reject(new Error('the client went away in the middle of a hook call'));
    incoming.once('error', gone);
    incoming.once('close', gone);
  });
}
