import type { Pace } from './pace.ts';

const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 500, 1000] as const;

/** What keys do, in one line. */
export const KEYS_HELP = 'space pauses · + and - change the speed · n goes to the next iteration · q ends';

/** What a key does to the pace of a replay. */
export function pressKey(key: string, pace: Pace): void {
  switch (key) {
    case ' ':
      pace.setPaused(!pace.paused());
      break;
    case '+':
    case '=':
      pace.setSpeed(SPEEDS.find((speed) => speed > pace.speed()) ?? 1000);
      break;
    case '-':
      pace.setSpeed(SPEEDS.findLast((speed) => speed < pace.speed()) ?? 1);
      break;
    case 'n':
      pace.hurry();
      break;
    case 'q':
    // Ctrl-C and Ctrl-D arrive as characters while the terminal hands over each key.
    case '\u0003':
    case '\u0004':
      pace.quit();
  }
}

/** The terminal's keyboard, as far as a replay needs it. */
export interface Keyboard {
  setRawMode(raw: boolean): unknown;
  setEncoding(encoding: 'utf8'): unknown;
  on(event: 'data', listener: (keys: string) => void): unknown;
  off(event: 'data', listener: (keys: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Hands over each key as it is pressed. @returns what gives the keyboard back */
export function readKeys(keyboard: Keyboard, onKey: (key: string) => void): () => void {
  const onData = (keys: string) => {
    // An arrow is an escape sequence: none of its characters is a key that was pressed.
    if (!keys.startsWith('\u001b')) for (const key of keys) onKey(key);
  };
  keyboard.setRawMode(true);
  keyboard.setEncoding('utf8');
  keyboard.on('data', onData);
  keyboard.resume();
  return () => {
    keyboard.off('data', onData);
    keyboard.setRawMode(false);
    keyboard.pause();
  };
}
