import type { ServerResponse } from 'node:http';
import { redactedJson } from '../../adapters/workspace/index.ts';
import type { RalphEvent } from '../../contracts/index.ts';

interface StreamLimits {
  /** Events kept for reconnecting readers, and their total size in characters. */
  readonly keptEvents: number;
  readonly keptLength: number;
  /** Bytes that may wait for a reader; one further behind is dropped, and may reconnect. More than is kept. */
  readonly behindBytes: number;
}

const LIMITS: StreamLimits = {
  keptEvents: 500,
  keptLength: 512 * 1024,
  behindBytes: 16 * 1024 * 1024,
};

/** The events of a run for all readers, as server-sent events. */
export type EventStream = ReturnType<typeof openEventStream>;

interface Frame {
  readonly number: number;
  readonly text: string;
}

export function openEventStream(run: string, limits: StreamLimits = LIMITS) {
  const readers = new Set<ServerResponse>();
  const kept: Frame[] = [];
  let keptLength = 0;
  let published = 0;

  function keep(frame: Frame): void {
    kept.push(frame);
    keptLength += frame.text.length;
    while (kept.length > limits.keptEvents || keptLength > limits.keptLength) {
      keptLength -= kept.shift()?.text.length ?? 0;
    }
  }

  function send(reader: ServerResponse, text: string): void {
    if (reader.writableLength <= limits.behindBytes) reader.write(text);
    else drop(reader);
  }

  function drop(reader: ServerResponse): void {
    readers.delete(reader);
    reader.destroy();
  }

  function missed(lastEventId: string): string {
    const last = numberIn(lastEventId, run);
    const oldest = kept[0]?.number ?? published + 1;
    if (last !== null && last >= oldest - 1 && last <= published) return textAfter(last);
    return sseMessage({ event: 'gap', data: '{}' }) + textAfter(0);
  }

  function textAfter(number: number): string {
    return kept.map((frame) => (frame.number > number ? frame.text : '')).join('');
  }

  return {
    /** Never throws, never waits: what a reader does not take at once waits in that reader's own buffer. */
    publish(event: RalphEvent): void {
      published += 1;
      const text = sseMessage({ id: `${run}/${published}`, data: redactedJson(event) });
      keep({ number: published, text });
      for (const reader of readers) send(reader, text);
    },
    /**
     * Answers with the stream. Without `lastEventId` it starts now; with it, after that event. Events no longer kept are
     * announced by an event `gap`, after which everything kept follows.
     */
    join(outgoing: ServerResponse, lastEventId: string | undefined): void {
      startSse(outgoing, lastEventId === undefined ? '' : missed(lastEventId));
      readers.add(outgoing);
      outgoing.once('close', () => readers.delete(outgoing));
      // A disconnected reader is not an error of the run.
      outgoing.on('error', () => readers.delete(outgoing));
    },
    /** A comment to every reader, so that neither end takes silence for death. */
    beat() {
      for (const reader of readers) send(reader, SSE_BEAT);
    },
    close() {
      for (const reader of readers) drop(reader);
    },
  };
}

/** The number in an id of this run; null for another run's id and for anything else. */
function numberIn(id: string, run: string): number | null {
  const slash = id.lastIndexOf('/');
  const digits = id.slice(slash + 1);
  return id.slice(0, slash) === run && /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}

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
export function startSse(outgoing: ServerResponse, first = ''): void {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  outgoing.write(`: here\n\n${first}`);
}
