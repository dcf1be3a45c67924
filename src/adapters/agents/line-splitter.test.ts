import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineSplitter } from './line-splitter.ts';

function split(chunks: readonly Buffer[], maxBytes?: number): { lines: string[]; dropped: number[] } {
  const lines: string[] = [];
  const dropped: number[] = [];
  const splitter = lineSplitter({
    onLine: (line) => lines.push(line),
    onDropped: (bytes) => dropped.push(bytes),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, dropped };
}

describe('lineSplitter', () => {
  it('gives the same lines however the bytes are cut, also within a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))),
        fc.array(fc.nat(200)),
        (texts, cuts) => {
          const bytes = Buffer.from(texts.join('\n'));
          const places = [...new Set(cuts.map((cut) => Math.min(cut, bytes.length)))].sort((a, b) => a - b);
          const chunks = [0, ...places].map((start, i) => bytes.subarray(start, places[i] ?? bytes.length));
          expect(split(chunks).lines).toEqual(texts.filter((text) => text !== ''));
        },
      ),
    );
  });

  it('hands out the last line without a newline, and no empty lines', () => {
    expect(split([Buffer.from('\n\na\r\n\r\nb')]).lines).toEqual(['a', 'b']);
  });

  it('drops a line that is too long with its size and goes on with the next one', () => {
    const chunks = ['ok\n', 'x'.repeat(60), 'x'.repeat(60), '\nafter\n'].map((text) => Buffer.from(text));
    expect(split(chunks, 100)).toEqual({ lines: ['ok', 'after'], dropped: [120] });
    expect(split([Buffer.from('x'.repeat(100))], 100)).toEqual({ lines: ['x'.repeat(100)], dropped: [] });
  });
});
