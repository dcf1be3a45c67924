import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MENTIONED, SAID } from './promise.fixture.ts';
import { promisesCompletion } from './promise.ts';

const TAG = '<promise>COMPLETE</promise>';

const withTag = (text: string): string => text.replaceAll('@', TAG);

describe('promisesCompletion', () => {
  it.each(SAID)('hears the promise in %j', (text) => {
    expect(promisesCompletion(withTag(text), 'COMPLETE')).toBe(true);
  });

  it.each(MENTIONED)('hears none in %j', (text) => {
    expect(promisesCompletion(withTag(text), 'COMPLETE')).toBe(false);
  });

  it('compares other words literally', () => {
    for (const words of ['ALL DONE', 'a.c', '$& (x|y)*', 'fertig!', '"quoted"', '`code`']) {
      expect(promisesCompletion(`Good.\n\n<promise>${words}</promise>`, ` ${words} `)).toBe(true);
      expect(promisesCompletion(`Good.\n\n<promise>${words}</promise>`, `${words}x`)).toBe(false);
    }
    expect(promisesCompletion('<promise>abc</promise>', 'a.c')).toBe(false);
    expect(promisesCompletion('<promise></promise>', '  ')).toBe(false);
  });

  it('never throws, and hears nothing that is fenced or quoted', () => {
    const line = fc.oneof(
      fc.constantFrom(TAG, 'All done.', 'When done, write:', '', '"', '`', '> a', '- a', '    a', '<!--', '-->'),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        const text = lines.join('\n');
        promisesCompletion(text, 'COMPLETE');
        const calm = text.replace(/[`~]{3,}/g, '');
        expect(promisesCompletion(`\`\`\`\`\`\n${calm}\n\`\`\`\`\``, 'COMPLETE')).toBe(false);
        expect(promisesCompletion(text.replace(/^/gm, '> ').replaceAll('\r', ''), 'COMPLETE')).toBe(false);
      }),
    );
  });

  it('hears a promise alone on its line after any closed sentence without cues', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 20, mode: 'sentences' }), (filler) => {
        expect(promisesCompletion(`${filler}\n\n${TAG}`, 'COMPLETE')).toBe(true);
        expect(promisesCompletion(`${filler} \`${TAG}\``, 'COMPLETE')).toBe(false);
      }),
    );
  });
});
