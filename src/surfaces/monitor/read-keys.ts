import { type Key, keysOf, unfinishedAt } from './key.ts';

/** A sequence that is not whole after so long is none: somebody pressed the escape key. */
const REST_MS = 40;

/** Keyboards as far as reading them goes: `process.stdin` of a terminal. */
type Keyboard = Pick<
  NodeJS.ReadStream,
  'on' | 'off' | 'pause' | 'ref' | 'resume' | 'setEncoding' | 'setRawMode' | 'unref'
>;

/**
 * Hands on the keys of a terminal until the returned function is called. Ink's own reader throws at keys that it does
 * not know, and hands on pasted text in parts that nobody can tell from keys.
 */
export function readKeys(keyboard: Keyboard, onKeys: (keys: readonly Key[]) => void): () => void {
  let waiting = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    const input = waiting;
    waiting = '';
    if (input !== '') onKeys(keysOf(input));
  };
  const onData = (chunk: string | Buffer) => {
    clearTimeout(timer);
    const input = waiting + chunk.toString();
    const end = unfinishedAt(input);
    waiting = input.slice(end);
    if (end > 0) onKeys(keysOf(input.slice(0, end)));
    if (waiting !== '') timer = setTimeout(flush, REST_MS);
  };
  keyboard.setEncoding('utf8');
  keyboard.setRawMode(true);
  keyboard.ref();
  keyboard.on('data', onData);
  keyboard.resume();
  return () => {
    clearTimeout(timer);
    keyboard.off('data', onData);
    keyboard.pause();
    keyboard.setRawMode(false);
    keyboard.unref();
  };
}
