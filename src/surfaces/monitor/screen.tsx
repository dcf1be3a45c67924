import { render } from 'ink';
import type { Paint } from '../terminal/paint.ts';
import { App } from './app.tsx';
import type { Session } from './session.ts';
import type { Wish } from './ui.ts';

const ENTER = '\u001b[?1049h\u001b[2J\u001b[H';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const CLEAR = '\u001b[2J\u001b[H';

/** Frames per second at most, however fast events come. */
const MAX_FPS = 15;

/** Why the screen was left. */
export type Left = Extract<Wish, { readonly do: 'detach' | 'interrupt' | 'agent-log' }>;

/**
 * Shows the session on the alternate screen until a key, or `signal`, leaves it. The terminal is as before then, also
 * when this process ends in another way.
 */
export async function showScreen(
  session: Session,
  paint: Paint,
  now: () => number,
  signal: AbortSignal,
): Promise<Left> {
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
  // What a terminal does to its lines while it is resized nobody knows: all of them are drawn anew.
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
