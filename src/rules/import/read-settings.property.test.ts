// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell parameters, not templates.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flatten, readAssignments, readToml } from './read-settings.ts';

const SHELL = 'a|Z|0| |-|=|/|.|\'|"|\\|$|`|#|;|:|{|}|$(|${A:-x}|${B-y}|&|~|*|\\"|export |,'.split('|');
const written = fc.array(fc.constantFrom(...SHELL), { maxLength: 8 }).map((parts) => parts.join(''));
const quoted = fc.tuple(fc.constantFrom('"', "'", ''), written).map(([quote, text]) => `${quote}${text}${quote}`);

/** What a shell makes of each assignment, in a subshell of its own that finds no program. */
const EVALUATE = `for value; do ( eval "V=$value" 2>/dev/null; printf '%s\\0' "$V" ); done`;

test('what is read of a shell file is what a shell would have, wherever it is read at all', () => {
  const values = fc.sample(quoted, { numRuns: 500, seed: 4 });
  const known = values.flatMap((value) => {
    const said = readAssignments(`V=${value}`).values['V'];
    return said === undefined ? [] : [{ value, said }];
  });
  expect(known.length).toBeGreaterThan(100);
  const args = ['--norc', '-c', EVALUATE, 'sh', ...known.map(({ value }) => value)];
  const shell = execFileSync('/bin/bash', args, { encoding: 'utf8', env: { PATH: '/none' } }).split('\0');
  expect(known.map(({ value, said }) => [value, said])).toEqual(known.map(({ value }, at) => [value, shell[at]]));
});

test('what TOML was written for is what is read', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,5}$/);
  const value = fc.oneof(
    fc.string({ unit: 'grapheme-ascii', maxLength: 12 }),
    fc.integer({ min: -1e6, max: 1e6 }),
    fc.boolean(),
    fc.array(fc.constantFrom('a', 'b c', '#'), { maxLength: 3 }),
  );
  const settings = fc.dictionary(name, fc.dictionary(name, value, { maxKeys: 3 }), { maxKeys: 3 });
  fc.assert(
    fc.property(settings, (tables) => {
      const text = Object.entries(tables)
        .map(
          ([table, rows]) =>
            `[${table}]\n${Object.entries(rows)
              .map(([key, one]) => `${key} = ${JSON.stringify(one)}\n`)
              .join('')}`,
        )
        .join('# a remark\n');
      const filled = Object.fromEntries(Object.entries(tables).filter(([, rows]) => Object.keys(rows).length > 0));
      expect(readToml(text)).toEqual(flatten(filled));
    }),
  );
});
