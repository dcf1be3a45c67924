import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { oneLine, safeLines } from './printable.ts';

describe('one safe line', () => {
  test('colours, cursor movements and window titles are removed, the words stay', () => {
    expect(oneLine('\u001b[31mred\u001b[0m \u001b[2J\u001b[10;20Hthere \u001b]0;title\u0007end')).toBe('red there end');
  });

  test('a sequence that is never finished hides no words', () => {
    expect(oneLine('before \u001b]0;rm -rf / is what I did')).toBe('before ]0;rm -rf / is what I did');
    expect(oneLine('\u001b[31mlogin\u0007')).toBe('login');
  });

  test('one-byte controls of the C1 set are removed as well', () => {
    expect(oneLine('a\u009b31mb\u0085c\u0090q\u009cd')).toBe('ab cd');
  });

  test('line breaks and tabs become single spaces', () => {
    expect(oneLine('  one\r\ntwo\t\tthree\n')).toBe('one two three');
  });

  test('characters that reorder the text around them are removed', () => {
    expect(oneLine('user\u202egnp.exe\u2066!')).toBe('usergnp.exe!');
  });

  test('no control character ever comes through', () => {
    const nasty = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '[',
        ']',
        '0',
        ';',
        'm',
        '\u0007',
        '\u009b',
        '\u0000',
        '\r',
        '\n',
        '\u202e',
        'é',
        '日',
      ),
    });
    fc.assert(fc.property(nasty, (text) => !/[\p{Cc}\u202a-\u202e]/u.test(oneLine(text))));
  });

  test('a long text without any end of sequence is done in linear time', () => {
    oneLine('\u001b]'.repeat(200_000));
  });
});

test('safe lines keep breaks and indentation', () => {
  expect(safeLines('a\r\n  b\u001b[1m!\u001b[0m  \n\tc')).toEqual(['a', '  b!', '  c']);
});
