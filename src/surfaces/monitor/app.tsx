import { Text, Transform, useStdin, useStdout } from 'ink';
import { useEffect, useReducer, useRef } from 'react';
import type { Paint } from '../terminal/paint.ts';
import { frame } from './frame.ts';
import type { Key } from './key.ts';
import { press } from './press.ts';
import { readKeys } from './read-keys.ts';
import type { Session } from './session.ts';
import type { Wish } from './ui.ts';

/** Clocks on the screen go on while nothing happens. */
const TICK_MS = 1000;

interface AppProps {
  readonly session: Session;
  readonly paint: Paint;
  readonly now: () => number;
  readonly onWish: (wish: Wish) => void;
}

/**
 * The screen: what the session knows, drawn by the pure `frame`, and keys handed to the pure `press`.
 *
 * Ink remembers every text that it ever measured. Here it measures one that never changes, and the lines of the frame
 * take its place while it is drawn: a monitor that runs for days does not grow.
 */
export function App({ session, paint, now, onWish }: AppProps) {
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
  // What the keys mean changes with each drawing; the keyboard is opened once.
  const latest = useRef(onKeys);
  latest.current = onKeys;
  useEffect(() => readKeys(stdin, (keys) => latest.current(keys)), [stdin]);

  return (
    <Transform transform={(_blank, at) => lines[at] ?? ''}>
      <Text>{lines.map(() => '.').join('\n')}</Text>
    </Transform>
  );
}
