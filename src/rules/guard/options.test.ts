import { describe, expect, it } from 'vitest';
import { hasFlag, operands, optionValue, optionValues, wordsBehind } from './options.ts';
import { wordOf } from './words.ts';

function command(...words: readonly string[]) {
  return { args: words.map((text) => wordOf(text)) };
}

const texts = (words: readonly { readonly text: string }[]) => words.map((word) => word.text);

describe('options', () => {
  it.each([
    [['-rf'], 'r', true],
    [['-f'], 'r', false],
    [['--recursive'], 'recursive', true],
    [['--recurs'], 'recursive', true],
    [['--re'], 'recursive', false],
    [['--recursive=yes'], 'recursive', true],
    [['--', '-r'], 'r', false],
    [['-delete'], '-delete', true],
    [['-auto-approve=true'], '-auto-approve', true],
  ])('%j has %s: %s', (words, name, expected) => {
    expect(hasFlag(command(...words), name)).toBe(expected);
  });

  it.each([[['--out=x']], [['--out', 'x']], [['-ox']], [['-o', 'x']], [['-vo', 'x']], [['-o=x']]])(
    '%j gives the value x',
    (words) => {
      expect(optionValue(command(...words), 'o', 'out')?.text).toBe('x');
    },
  );

  it('collects every value in order', () => {
    expect(texts(optionValues(command('-e', 'a', '-eb', '--expr=c'), 'e', 'expr'))).toEqual(['a', 'b', 'c']);
  });

  it('are left out of the operands, with the values of those that take one', () => {
    expect(texts(operands({ name: 'git', ...command('-C', 'x', 'push', '-u', 'origin', '--', '-f') }))).toEqual([
      'push',
      'origin',
      '-f',
    ]);
  });

  it('take the rest of their word, or else the next, as value', () => {
    expect(texts(operands({ name: 'mvn', ...command('-DskipTests', '-qf', 'x', '-pl', 'y', 'deploy') }))).toEqual([
      'deploy',
    ]);
  });

  it('end where the subcommand starts', () => {
    expect(texts(wordsBehind({ name: 'nice', ...command('-n', '5', '-v', 'run', '-x') }))).toEqual(['run', '-x']);
  });
});
