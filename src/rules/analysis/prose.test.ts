import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BEGIN, BLOCK_END } from './markdown.ts';
import { prose } from './prose.ts';

const ELIDED = '\uFFFC';

describe('prose', () => {
  it.each([
    ['keeps plain text and paragraphs', 'One.\nTwo.\n\nThree.', 'One.\nTwo.\n\nThree.'],
    ['leaves fenced code out', 'a\n```ts\nb\n```\nc', 'a\n\nc'],
    ['leaves a fence without an end out', 'a\n```\nb\n\nc', 'a'],
    ['leaves a fence out that a longer one closes', '```\nb\n`````\nc', 'c'],
    ['leaves a fence inside a fence out', '````\n```\nb\n```\nb\n````\nc', 'c'],
    ['counts fences with a language inside another', '```md\n```js\nb\n```\nb\n```\nc', 'c'],
    ['leaves fenced code of an item out', '- a\n- ```\n  b\n  ```\n- c', '- a\n\n- c'],
    ['knows inline code from a fence', '```b``` c', `${ELIDED} c`],
    ['leaves indented code out', 'a\n\n    b\n\n\tb\nc', 'a\n\nc'],
    ['keeps an indented line that goes on a paragraph', 'a\n    b', 'a\n    b'],
    ['keeps indented text of an item', '- a\n\n    b', '- a\n\n    b'],
    ['leaves indented code of an item out', '- a\n\n      b\nc', '- a\n\nc'],
    ['leaves block quotes out', 'a\n\n> b\n> b\n\nc', 'a\n\nc'],
    ['lets a quote take its lazy lines along', '> b\nb\n\nc', 'c'],
    ['ends a quote at a heading', '> b\n# c', '# c'],
    ['marks inline code', 'a `b` c ``d ` e`` f', `a ${ELIDED} c ${ELIDED} f`],
    ['keeps a backtick without a partner', 'a ` b', 'a ` b'],
    ['ends inline code with its paragraph', 'a ` b\n\nc ` d', 'a ` b\n\nc ` d'],
    ['marks quotations', 'a "b c" d “e” «f g» ‘h i’ „j“ k', `a ${ELIDED} d ${ELIDED} ${ELIDED} ${ELIDED} ${ELIDED} k`],
    ['marks single quotes of one word too', "now it is 'done'.", `now it is ${ELIDED}.`],
    ['keeps apostrophes', "don't; the users' data isn't here", "don't; the users' data isn't here"],
    ['keeps typographic apostrophes', 'it’s the users’ data', 'it’s the users’ data'],
    ['keeps an inch', 'a 5" b and a 7" c', 'a 5" b and a 7" c'],
    ['marks the outermost of nested quotations', 'a “b ‘c’ d” e', `a ${ELIDED} e`],
    ['keeps a quotation without an end', 'a “b c', 'a “b c'],
    ['leaves comments out', 'a <!-- b\n\nb --> c', 'a  c'],
    ['marks elements of others', 'a <code>b</code> <q>c</q> d', `a ${ELIDED} ${ELIDED} d`],
    ['keeps an element without an end', 'a <code>b', 'a <code>b'],
    ['marks struck out words', 'a ~~b~~ c', `a ${ELIDED} c`],
    ['marks addresses', 'see https://example.org/a?b=done. c', `see ${ELIDED} c`],
    ['keeps the text of a link', 'see [a](https://example.org) b', `see [a](${ELIDED}) b`],
    ['leaves the status block out', `a\n${BLOCK_BEGIN}\nSTATUS: COMPLETE\n${BLOCK_END}\nb`, 'a\n\nb'],
    ['leaves a status block without an end out', `a\n${BLOCK_BEGIN}\nSTATUS: COMPLETE`, 'a'],
    ['takes every kind of line end', 'a\r\nb\rc', 'a\nb\nc'],
    ['is empty for nothing', '', ''],
  ])('%s', (_, text, expected) => {
    expect(prose(text)).toBe(expected);
  });

  it('answers any text, and adds nothing to it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const said = prose(text).replaceAll(ELIDED, '').replace(/\s/g, '');
        expect(said.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it('says nothing of what is fenced or quoted', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const calm = text.replace(/[`~]{3,}/g, '');
        expect(prose(`\`\`\`\n${calm}\n\`\`\``)).toBe('');
        expect(prose(`> ${calm}`)).toBe('');
      }),
    );
  });
});

it('cuts quotations from one mark to another, and nothing else', () => {
  const piece = fc.constantFrom('"', "'", '“', '”', '‘', '’', '„', '«', '»', ' ', 'a', '.');
  const literal = (text: string) => text.replaceAll('.', '\\.');
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = `x ${pieces.join('')}`;
      const around = prose(text).split(ELIDED).map(literal);
      expect(text).toMatch(new RegExp(`^${around.join(`["'“‘„«»].*["'”’“«»]`)}$`));
    }),
  );
});
