import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { fullOutline, quickOutline } from './markdown-outline.ts';

const indent = fc.integer({ min: 0, max: 7 }).map((width) => ' '.repeat(width));
/** Lines of a plan, between bars. */
const lines = (text: string): readonly string[] => text.split('|');
const usual = fc.constantFrom(
  ...lines('- [ ] box|- [x] done|* [X] done|+ item|1. one|2. two|1) [ ] one|10. [x] ten|- [ ]|- [ ]  |- [x]'),
  ...lines('- - [ ] twice|1. - item|text|more text|# Heading|### [ ] US-001: Story|###### six #|####### seven'),
  ...lines('```|````js|~~~|---|***|- - -|===|||   |<!-- note -->|<!-- open|- [ ] x -->|-->'),
  ...lines('-   [ ] wide|[ ] no item|[x]: /url|- [ ]tight|- [-] partial|-no space|1.no|- ```|- # [ ] heading'),
  ...lines('\\- [ ] escaped|`code|**bold**|- <!-- c -->|a --- b|12|1999. year|- [ ] a\u00a0b|- [ ]\u00a0x|- [ ]\tx'),
);
/** Lines that make the quick outline give up. */
const odd = fc.constantFrom(
  ...lines('> quote|<div>|- |\t- [ ] tab|-\t[ ] tab|-     [ ] code|- [x]: /url|-    [ ] wider'),
);
const plan = fc
  .tuple(
    fc.array(fc.tuple(indent, fc.oneof({ arbitrary: usual, weight: 60 }, { arbitrary: odd, weight: 1 })), {
      maxLength: 12,
    }),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([all, lineEnd]) => all.map((parts) => parts.join('')).join(lineEnd));

test('the quick outline of any text is null or what the reference parser finds', () => {
  fc.assert(
    fc.property(plan, (text) => {
      const quick = quickOutline(text);
      if (quick) expect(quick).toEqual(fullOutline(text));
    }),
    { numRuns: runs(3000) },
  );
});

test('the quick outline understands ordinary plans', () => {
  const text =
    '# Plan\n\n- [ ] US-001: One\n  - criterion\n    - [x] nested\n\n```\n- [ ] code\n```\n<!--\n- [ ] hidden\n-->\n1. [x] two\n';
  expect(quickOutline(text)).toEqual(fullOutline(text));
  expect(quickOutline(text)?.items.map((item) => item.parent)).toEqual([-1, 0, 1, -1]);
});

test('what is outside the subset is left to the reference parser', () => {
  for (const text of [
    '> - [ ] quoted',
    '<div>\n- [ ] html',
    '- \n  [ ] empty item',
    '\t- [ ] tab',
    '- [ ] a\n  ---\n',
  ]) {
    expect(quickOutline(text)).toBeNull();
  }
});
