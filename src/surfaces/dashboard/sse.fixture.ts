import { onTestFinished } from 'vitest';

/** A message of server-sent events. */
export interface Message {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

/** The messages of an answer, one at each call: comments are none. Rejects at the end of the stream. */
export function messagesOf(response: Response): () => Promise<Message> {
  if (response.body === null) throw new Error('no body');
  const parts = response.body.pipeThrough(new TextDecoderStream()).getReader();
  onTestFinished(() => parts.cancel().catch(() => {}));
  let buffered = '';
  return async function next() {
    for (;;) {
      const end = buffered.indexOf('\n\n');
      if (end < 0) {
        const { value, done } = await parts.read();
        if (done) throw new Error('the stream ended');
        buffered += value;
        continue;
      }
      const lines = buffered.slice(0, end).split('\n');
      buffered = buffered.slice(end + 2);
      const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const data = field('data');
      if (data !== undefined) return { id: field('id'), event: field('event'), data: JSON.parse(data) };
    }
  };
}
