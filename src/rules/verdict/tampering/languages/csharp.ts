import type { Language } from './language.ts';
import { camelAsserter, textBlockLexis } from './lexis.ts';

export const csharp: Language = {
  name: 'C#',
  extensions: ['cs', 'fs', 'vb'],
  lexis: {
    ...textBlockLexis,
    strings: [
      textBlockLexis.strings[0] ?? { open: '"""', close: '"""' },
      { open: '@"', close: '"', multiline: true, raw: true },
      ...textBlockLexis.strings.slice(1),
    ],
  },
  testPath: /(?:^|\/)[^/]*\.?(?:Unit|Integration)?Tests?(?:\.[^/]*)?\/.*\.cs$|Tests?\.cs$|(?:^|\/)tests?\/.*\.cs$/,
  inlineTests: /\[(?:Fact|Theory|Test|TestCase|TestMethod)\b/,
  body: 'brackets',
  cases: [
    {
      shape: 'block',
      pattern:
        /^[ \t]*(?:(?:public|protected|private|internal|static|async|override|virtual|sealed)\s+)+[\w.<>[\],?]+\s+(?<name>\w+)\s*(?:<[^>]*>)?\s*(?=\()/gm,
      annotation: /\[(?:\w+,\s*)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Property)\b/,
    },
  ],
  groups: [{ shape: 'block', pattern: /\bclass\s+(?<name>\w+)/gm }],
  helpers: [
    {
      shape: 'block',
      pattern:
        /^[ \t]*(?:(?:public|protected|private|internal|static|async|override|virtual)\s+)+[\w.<>[\],?]+\s+(?<name>\w+)\s*(?:<[^>]*>)?\s*(?=\()/gm,
    },
  ],
  annotationLine: /^\[/,
  assertion: new RegExp(
    String.raw`\b(?:Assert|StringAssert|CollectionAssert|FileAssert)\.\w+\s*[(<]|\.Should(?:Be|Throw|Not|Have|Contain|Equal|Match|Satisfy)?\w*\s*[(<]|\.Verify\w*\s*\(|\.(?:Received|DidNotReceive)\(|${camelAsserter}|\b(?:Assert|Expect|Verify|Check|Ensure)[A-Z]\w*\s*\(`,
    'gm',
  ),
  skip: /\[(?:\w+(?:\([^\]]*\))?,\s*)*(?:Ignore|Explicit)\b|\bSkip\s*=\s*"|\bAssert\.(?:Ignore|Inconclusive|Skip)\(|\bIgnore\s*=\s*"/gm,
  conditionalSkip:
    /\bSkip\.(?:If|IfNot)\(|\bAssert\.(?:SkipWhen|SkipUnless)\(|\[(?:Conditional(?:Fact|Theory)|SkippableFact|Platform)\b/gm,
  row: /\[(?:InlineData|TestCase|DataRow)\b/gm,
  tautology:
    /^Assert \. (?:(?:True|IsTrue) \( true(?: , .*)? \)|(?:False|IsFalse) \( false(?: , .*)? \)|(?:Equal|AreEqual|Same|AreSame) \( ([\w.]+|'[^']*') , \1 \)|That \( true(?: , Is \. True)? \)|Pass \(.*\)|Null \( null \))$/,
  vague: /^Assert \. (?:NotNull|IsNotNull|NotEmpty|IsInstanceOf\w*) \(|\. Should \( \) \. NotBeNull(?:OrEmpty)? \( \)$/,
  swallow: /\bcatch\s*(?:\([^()]*\))?\s*\{\s*\}/gm,
};
