import { describe, expect, it } from 'vitest';
import { guardContext } from '../context.fixture.ts';
import { awkPrints, literalsOf } from './generated.ts';
import { resolveCommand } from './resolve.ts';

/** The commands that a shell at the end of a pipeline runs; unknown parts are question marks. */
function runByShell(text: string): readonly string[] {
  return resolveCommand(text, guardContext())
    .commands.filter(({ via }) => via.includes('sh'))
    .map(({ name, args }) => [name, ...args.map((word) => word.text)].join(' ').replaceAll('\uFFFD', '?'));
}

describe('text that a program puts together for a shell', () => {
  it.each([
    [`ls | awk '{print "gzip -9 " $1}' | sh`, ['gzip -9 ?']],
    [`awk '{printf "mv %s %s.old\\n", $1, $1}' list | sort | sh`, ['mv ? ?.old']],
    [`cat list | sed 's/^/touch /' | sh`, ['touch ?']],
    [`cat list | sed -e 's/.*/cp & &.bak/' | sh`, ['cp ? ?.bak']],
    [`find lib -printf 'wc -l %p\\n' | sh`, ['wc -l lib/?']],
    [`ruby -e 'puts "stat #{ARGV[0]}"' x | sh`, ['stat ?']],
    [`jq -r '.[] | "touch \\(.name)"' a.json | sh`, ['touch ? ?']],
    ['git log --format="git show %h" | sh', ['git show ? ?']],
  ])('%s', (text, expected) => {
    expect(runByShell(text)).toEqual(expected);
  });

  it('is not looked for where no shell reads it', () => {
    const { commands } = resolveCommand(`jq -r '"touch " + .name' a.json | wc -l`, guardContext());
    expect(commands.map(({ name }) => name)).toEqual(['jq', 'wc']);
  });
});

describe('awkPrints', () => {
  it('tells what is printed, and to which command', () => {
    const prints = awkPrints('BEGIN { print "a", $1 | "sort -u"; print x > "f" }');
    expect(prints).toEqual([
      { line: 'a \uFFFD', reader: 'sort -u' },
      { line: '\uFFFD', reader: null },
    ]);
  });
});

describe('literalsOf', () => {
  it('takes the strings with words in them, and puts something unknown in place of what is filled in', () => {
    expect(literalsOf(`f("."); g("tar x #{name}", 'ls %s')`)).toBe('tar x \uFFFD \uFFFD\nls \uFFFD \uFFFD\n');
  });
});
