import { describe, expect, it } from 'vitest';
import { edited, type Key, type KeyName, keysOf, unfinishedAt } from './key.ts';

const names = (input: string) => keysOf(input).map(({ name }) => name);
const text = (input: string) =>
  keysOf(input)
    .map((key) => key.text)
    .join('');

describe('keys', () => {
  it.each<[string, KeyName]>([
    ['\u001b[A', 'up'],
    ['\u001bOB', 'down'],
    ['\u001b[1;5C', 'right'],
    ['\u001b\u001b[D', 'left'],
    ['\u001b[5~', 'page-up'],
    ['\u001b[6;5~', 'page-down'],
    ['\u001b[1~', 'home'],
    ['\u001bOF', 'end'],
    ['\u001b[3~', 'delete'],
    ['\u001b[Z', 'shift-tab'],
    ['\t', 'tab'],
    ['\r', 'enter'],
    ['\u001b', 'escape'],
    ['\u007f', 'backspace'],
    ['\b', 'backspace'],
    ['\u0003', 'ctrl-c'],
  ])('have names where they have no character: %j', (input, name) => {
    expect(keysOf(input)).toEqual([{ name, text: '' }]);
  });

  it('that were typed fast are taken apart', () => {
    expect(keysOf('né👍')).toEqual(['n', 'é', '👍'].map((one) => ({ name: null, text: one })));
    expect(names('\u001b[A\u001b[A')).toEqual(['up', 'up']);
  });

  it('behind a line break of a pasted text are dropped: they must not stop a run', () => {
    expect(keysOf('a\r\u001b[31mS')).toEqual([
      { name: null, text: 'a' },
      { name: 'enter', text: '' },
    ]);
  });

  it.each([
    '\u001b[1;5P',
    '\u001b[0m',
    '\u001b[31m',
    '\u001b[0n',
    '\u001b[[A',
    '\u001bOP',
    '\u001bx',
    '\u001b[200~',
    '\u0002',
  ])('that nobody knows do nothing: %j', (input) => {
    expect(keysOf(input)).toEqual([]);
  });

  it('of a pasted text come without its colours and titles', () => {
    expect(text('\u001b[1;31mred\u001b[0m and \u001b]0;title\u0007plain \u001b[38;5;200mpink')).toBe(
      'red and plain pink',
    );
  });

  it('wait for the rest of a sequence, and for nothing else', () => {
    expect(unfinishedAt('ab\u001b')).toBe(2);
    expect(unfinishedAt('ab\u001b[1;')).toBe(2);
    expect(unfinishedAt('\u001b[1;5P')).toBe(6);
    expect(unfinishedAt('a[1')).toBe(3);
  });

  it('never throw, and never carry a control character, whatever comes', () => {
    let seed = 7;
    const next = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % most;
    };
    const telling = Array.from('\u001b\u001b[[O;0159~mPRnAZ\r\t\u0007\u009b\ud83d漢');
    for (let turn = 0; turn < 1500; turn += 1) {
      const bytes = Array.from({ length: 1 + next(12) }, () =>
        next(3) === 0 ? String.fromCharCode(next(300)) : (telling[next(telling.length)] ?? ''),
      );
      for (const key of keysOf(bytes.join(''))) expect(key.text).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      expect(unfinishedAt(bytes.join(''))).toBeGreaterThanOrEqual(0);
    }
  });
});

const typed = (line: Parameters<typeof edited>[0], ...keys: readonly (KeyName | { readonly typed: string })[]) =>
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
