// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell parameters, not templates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardContext } from '../../../test/support/guard-context.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { judgeCommand } from './judge-command.ts';

const context = guardContext();

/** Bits of shell that mean something, to be put together without sense. */
const FRAGMENTS =
  "rm|-rf|/|~|$X|${X:-|}|$(|)|`|'|\"|;|&&||||&|\n|{|{a,b}|(|<<E\n|E\n|<<<|<(|>|2>&1|if|then|fi|for x in|do|done|case x in|esac|x=|x=(|eval|sh -c|find . -exec|{} +|xargs -I{}|python3 -c|node -e|echo|cat|git -c alias.z=!|sed e|$'\\x41'|\\|#|*|[!|$((|))|[[|]]|f()|read x|\uFFFD|constructor|__proto__".split(
    '|',
  );

describe('the guard', () => {
  it('never throws, whatever the text', () => {
    const anyText = fc.string({ unit: 'binary', maxLength: 200 });
    const splices = fc
      .array(fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ maxLength: 4 })), { maxLength: 30 })
      .map((parts) => parts.join(' '));
    fc.assert(
      fc.property(fc.oneof(anyText, splices), (text) => {
        expect(['allow', 'block']).toContain(judgeCommand(text, context).decision);
      }),
      { numRuns: runs(5_000) },
    );
  });

  const deep = (open: string, inner: string, close: string, times = 2_000): string =>
    open.repeat(times) + inner + close.repeat(times);

  it.each([
    ['substitutions', deep('echo $(', 'rm -rf /', ')')],
    ['subshells', deep('( ', 'rm -rf /', ')')],
    ['groups', deep('{ ', 'rm -rf /;', '}')],
    ['conditions', deep('if a; then ', 'rm -rf /', '; fi')],
    ['arithmetic', deep('echo $((', '1', '))')],
    ['sums', `echo $((${'1+'.repeat(20_000)}1))`],
    ['wrappers', `${'sudo '.repeat(2_000)}ls`],
    ['evals', `${'eval '.repeat(2_000)}ls`],
    ['long sequences', 'echo a; '.repeat(25_000)],
    ['long pipelines', 'a | '.repeat(12_000)],
    ['here-documents', '<<a '.repeat(12_000)],
    ['braces', `echo ${'{a,b}'.repeat(10_000)}`],
    ['words with braces', `echo ${`${'{1..99}'.repeat(12)} `.repeat(150)}`],
    ['replacements', `x=${'a'.repeat(79)}; echo ${'${x//*b*a*/b}'.repeat(300)}`],
    ['loops', 'for i in {1..100}; do '.repeat(10) + 'echo $i; '.repeat(5) + 'done; '.repeat(10)],
    ['doubling values', `x=aaaaaaaa; ${'x=$x$x; '.repeat(60)}`],
    ['doubling calls', `${Array.from({ length: 25 }, (_, at) => `f${at}() { f${at + 1}; f${at + 1}; }; `).join('')}f0`],
    ['one long word', 'a'.repeat(200_000)],
    ['quotes', "'".repeat(45_001)],
    ['blanks in sed', `sed '1${' '.repeat(40_000)}x'`],
    ['brackets in Python', `python3 -c "${'(['.repeat(20_000)}"`],
  ])('judges %s quickly', (_, text) => {
    judgeCommand(text.slice(0, 1_000), context);
    judgeCommand(text, context);
  });
});
