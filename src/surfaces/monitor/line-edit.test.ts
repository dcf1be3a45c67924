import { describe, expect, it } from 'vitest';
import type { Key, KeyName } from './key.ts';
import { edited, type Line } from './line-edit.ts';

const typed = (line: Line, ...keys: readonly (KeyName | { readonly typed: string })[]) =>
  keys.reduce((now, key) => {
    const one: Key = typeof key === 'string' ? { name: key, text: '' } : { name: null, text: key.typed };
    return edited(now, one);
  }, line);

describe('a line that is typed', () => {
  it('is changed where the cursor stands', () => {
    const line = { text: 'note', cursor: 4 };
    expect(typed(line, 'left', 'left', { typed: 'X' })).toEqual({ text: 'noXte', cursor: 3 });
    expect(typed(line, 'home', { typed: 'a ' }, 'end', { typed: '!' })).toEqual({ text: 'a note!', cursor: 7 });
    expect(typed(line, 'home', 'delete', 'right', 'backspace')).toEqual({ text: 'te', cursor: 0 });
  });

  it('takes what people see as one character for one', () => {
    expect(typed({ text: 'ae\u0301', cursor: 3 }, 'backspace').text).toBe('a');
    expect(typed({ text: 'a👩‍👧b', cursor: 1 }, 'right', 'backspace').text).toBe('ab');
  });

  it('loses its last word, and all before the cursor', () => {
    expect(typed({ text: 'one two ', cursor: 8 }, 'ctrl-w')).toEqual({ text: 'one ', cursor: 4 });
    expect(typed({ text: 'one two', cursor: 4 }, 'ctrl-u')).toEqual({ text: 'two', cursor: 0 });
  });

  it('stays as it is at its ends, and at keys that mean nothing in it', () => {
    const line = { text: 'x', cursor: 0 };
    expect(typed(line, 'left', 'backspace', 'up', 'tab')).toEqual(line);
    expect(typed(line, 'end', 'right', 'delete')).toEqual({ text: 'x', cursor: 1 });
  });
});
