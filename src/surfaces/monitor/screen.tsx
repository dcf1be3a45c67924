import { render, Text, Transform, useStdin, useStdout } from 'ink';
import { useEffect, useReducer, useRef } from 'react';
import * as yoga from 'yoga-layout';
import type { Paint } from '../terminal/index.ts';
import { frame } from './frame.ts';
import { type Key, keysOf, unfinishedAt } from './key.ts';
import { press } from './press.ts';
import type { Wish } from './scene.ts';
import type { Session } from './session.ts';

const ENTER = '\u001b[?1049h\u001b[2J\u001b[H';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const CLEAR = '\u001b[2J\u001b[H';

const MAX_FPS = 15;

type Left = Extract<Wish, { readonly do: 'detach' | 'interrupt' | 'agent-log' }>;

/**
 * Shows the session on the alternate screen until a key, or `signal`, leaves it. Then the terminal is restored, also
 * when this process ends in another way.
 */
export async function showScreen(
  session: Session,
  paint: Paint,
  now: () => number,
  signal: AbortSignal,
): Promise<Left> {
  // The bundle's, which does not wait for it while it loads.
  await (yoga as { readonly ready?: Promise<void> }).ready;
  const { stdout } = process;
  let left: Left = { do: 'detach' };
  const restore = () => {
    stdout.write(LEAVE);
  };
  process.once('exit', restore);
  stdout.write(ENTER);
  const onWish = (wish: Wish) => {
    if (wish.do === 'detach' || wish.do === 'interrupt' || wish.do === 'agent-log') {
      left = wish;
      app.unmount();
    } else void session.fulfil(wish).catch((error: unknown) => session.say({ text: String(error), bad: true }));
  };
  const app = render(<App session={session} paint={paint} now={now} onWish={onWish} />, {
    exitOnCtrlC: false,
    isScreenReaderEnabled: false,
    maxFps: MAX_FPS,
  });
  const leave = () => app.unmount();
  // Terminals differ in what they do to lines during a resize: all of them are redrawn.
  const clear = () => {
    app.clear();
    stdout.write(CLEAR);
  };
  stdout.on('resize', clear);
  signal.addEventListener('abort', leave, { once: true });
  try {
    if (signal.aborted) leave();
    await app.waitUntilExit();
    return left;
  } finally {
    signal.removeEventListener('abort', leave);
    stdout.off('resize', clear);
    process.off('exit', restore);
    restore();
  }
}

const TICK_MS = 1000;

interface AppProps {
  readonly session: Session;
  readonly paint: Paint;
  readonly now: () => number;
  readonly onWish: (wish: Wish) => void;
}

/**
 * The screen: draws the session with the pure `frame`, and passes keys to the pure `press`.
 * Ink remembers every text that it ever measured. Here it measures one constant text, and the lines of the frame
 * replace it during drawing: a monitor that runs for days does not grow.
 */
function App({ session, paint, now, onWish }: AppProps) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const { stdin } = useStdin();
  const { stdout } = useStdout();
  const draw = () => {
    const size = { columns: stdout.columns || 80, rows: stdout.rows || 24 };
    return frame(session.scene(), session.ui(), size, now(), paint);
  };
  const { lines } = draw();

  useEffect(() => {
    const timer = setInterval(redraw, TICK_MS);
    const unsubscribe = session.onChange(redraw);
    stdout.on('resize', redraw);
    return () => {
      clearInterval(timer);
      unsubscribe();
      stdout.off('resize', redraw);
    };
  }, [session, stdout]);

  const onKeys = (keys: readonly Key[]) => {
    for (const one of keys) {
      const { ui, wish } = press(session.ui(), one, session.scene(), draw().reach);
      session.setUi(ui);
      if (wish !== null) onWish(wish);
    }
  };
  // The meaning of keys changes with each drawing; the keyboard is opened once.
  const latest = useRef(onKeys);
  latest.current = onKeys;
  useEffect(() => readKeys(stdin, (keys) => latest.current(keys)), [stdin]);

  return (
    <Transform transform={(_blank, at) => lines[at] ?? ''}>
      <Text>{lines.map(() => '.').join('\n')}</Text>
    </Transform>
  );
}

/** A sequence that is incomplete after this time is the escape key. */
const REST_MS = 40;

/** The part of a keyboard needed for reading: `process.stdin` of a terminal. */
type Keyboard = Pick<
  NodeJS.ReadStream,
  'on' | 'off' | 'pause' | 'ref' | 'resume' | 'setEncoding' | 'setRawMode' | 'unref'
>;

/**
 * Passes on the keys of a terminal until the returned function is called. Ink's own reader throws at keys that it does
 * not know, and passes pasted text in parts that cannot be distinguished from keys.
 */
function readKeys(keyboard: Keyboard, onKeys: (keys: readonly Key[]) => void): () => void {
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
