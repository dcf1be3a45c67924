// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell parameters, not templates.
import { describe, expect, it } from 'vitest';
import { expandBraces } from './braces.ts';

describe('brace expansion', () => {
  it.each([
    ['a{b,c}d', ['abd', 'acd']],
    ['{a,b{1,2}}', ['a', 'b1', 'b2']],
    ['{1..3}', ['1', '2', '3']],
    ['{3..1..2}', ['3', '1']],
    ['{a..c}', ['a', 'b', 'c']],
    ['{a,}', ['a', '']],
    ['{a}', ['{a}']],
    ['{}', ['{}']],
    ['"{a,b}"', ['"{a,b}"']],
    ["'{a,b}'", ["'{a,b}'"]],
    ['${x,y}', ['${x,y}']],
    ['$(a {b,c})', ['$(a {b,c})']],
    ['{$x,"p q"}z', ['$xz', '"p q"z']],
    ['{a,b', ['{a,b']],
  ])('%s', (source, expected) => {
    expect(expandBraces(source)).toEqual(expected);
  });

  it('cuts a bomb short', () => {
    expect(expandBraces('{a,b}'.repeat(40)).length).toBeLessThanOrEqual(128);
  });
});
