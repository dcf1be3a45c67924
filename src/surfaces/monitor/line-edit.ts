import type { Key } from './key.ts';

/** A line that is being typed, and where in it the next character goes, in code units. */
export interface Line {
  readonly text: string;
  readonly cursor: number;
}

/** What people take for one character before and behind a place. */
const BEFORE = /(?:\p{RI}\p{RI}|\P{M}\p{M}*(?:\u200d\P{M}\p{M}*)*)$/su;
const BEHIND = /^(?:\p{RI}\p{RI}|\P{M}\p{M}*(?:\u200d\P{M}\p{M}*)*)/su;

/** What a key does to a line. Pure. */
export function edited({ text, cursor }: Line, key: Key): Line {
  const before = text.slice(0, cursor);
  const behind = text.slice(cursor);
  const left = before.replace(BEFORE, '');
  const right = behind.replace(BEHIND, '');
  switch (key.name) {
    case null:
      return { text: before + key.text + behind, cursor: cursor + key.text.length };
    case 'backspace':
      return { text: left + behind, cursor: left.length };
    case 'delete':
      return { text: before + right, cursor };
    case 'left':
      return { text, cursor: left.length };
    case 'right':
      return { text, cursor: text.length - right.length };
    case 'home':
      return { text, cursor: 0 };
    case 'end':
      return { text, cursor: text.length };
    case 'ctrl-u':
      return { text: behind, cursor: 0 };
    case 'ctrl-w': {
      const rest = before.replace(/\S*\s*$/, '');
      return { text: rest + behind, cursor: rest.length };
    }
    default:
      return { text, cursor };
  }
}
