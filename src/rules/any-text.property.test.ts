import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../test/support/property-runs.ts';
import { TEXT_READERS } from './parsers.fixture.ts';

/**
 * What agents, people and tools write may be anything: no reader of text throws, and none goes on for minutes. How long
 * one takes is not measured: what is tried again and again would run into the time limit of the test.
 */

/** Where every sign is looked at again from every other one, so many take minutes; else a second or two. */
const LONG = 500_000;
const LIMIT_MS = 200_000;
/** Texts that make careless patterns slow: one sign again and again, and what spoils the match at the end. */
const SIGNS = [' ', '\r\n', 'a', '-', '.', '[', '"'];

describe.each(TEXT_READERS.map((reader) => [reader.name, reader] as const))(
  '%s',
  (_, { read, words, longest = LONG }) => {
    test('takes whatever text there is', () => {
      const bits = fc.oneof(
        fc.constantFrom(...words),
        fc.constantFrom('\n', ' ', '  ', '\t'),
        fc.string({ maxLength: 3 }),
      );
      const soup = fc
        .array(bits, { maxLength: 25 })
        .chain((parts) => fc.constantFrom('', ' ', '\n').map((glue) => parts.join(glue)));
      const text = fc.oneof(
        { weight: 4, arbitrary: soup },
        { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 80 }) },
      );
      fc.assert(
        fc.property(text, (one) => {
          expect(() => read(one)).not.toThrow();
        }),
        { numRuns: runs(150) },
      );
    });

    test('goes through one sign again and again', { timeout: LIMIT_MS }, () => {
      for (const sign of SIGNS) {
        expect(() => read(`- [ ] US-1 a${sign.repeat(longest / sign.length)}\u0001x`)).not.toThrow();
      }
    });
  },
);
