import type { ServerResponse } from 'node:http';

/** Server-sent events as text: HTML Living Standard, § Server-sent events. `data` must hold no line break. */
export function sseMessage(message: { readonly id?: string; readonly event?: string; readonly data: string }): string {
  const id = message.id === undefined ? '' : `id: ${message.id}\n`;
  const event = message.event === undefined ? '' : `event: ${message.event}\n`;
  // Joined, not concatenated: V8 would keep each message as a tree of its pieces, four times as large.
  return [id, event, 'data: ', message.data, '\n\n'].join('');
}

/** A comment, so that neither end takes silence for death. */
export const SSE_BEAT = ': \n\n';

/** Answers with a stream. Something is sent at once, so that the reader knows it is connected. */
export function startSse(outgoing: ServerResponse, first: string): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  outgoing.write(`: here\n\n${first}`);
}
