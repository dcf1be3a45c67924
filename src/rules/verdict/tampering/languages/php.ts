import type { Language } from './language.ts';
import { camelAsserter, cLexis } from './lexis.ts';

export const php: Language = {
  name: 'PHP',
  extensions: ['php', 'phpt'],
  lexis: {
    ...cLexis,
    // `#[` opens an attribute, so that a hash is no comment here.
    strings: [
      { open: '"', close: '"', multiline: true },
      { open: "'", close: "'", multiline: true },
    ],
  },
  testPath: /(?:^|\/)[tT]ests?\/.*\.php$|(?:Test|Cest|Spec)\.php$/,
  body: 'brackets',
  cases: [
    { shape: 'block', pattern: /^[ \t]*(?:(?:public|final|static)\s+)*function\s+(?<name>test\w*)\s*(?=\()/gm },
    {
      shape: 'block',
      pattern: /^[ \t]*(?:(?:public|final|static)\s+)*function\s+(?<name>(?!test)\w+)\s*(?=\()/gm,
      annotation: /#\[Test\b|@test\b/,
    },
    { shape: 'call', pattern: /(?<![\w$>:])(?:it|test)\s*(?=\(\s*["'])/gm },
  ],
  groups: [
    { shape: 'block', pattern: /^[ \t]*(?:(?:final|abstract|readonly)\s+)*class\s+(?<name>\w+)/gm },
    { shape: 'call', pattern: /(?<![\w$>:])describe\s*(?=\(\s*["'])/gm },
  ],
  helpers: [
    {
      shape: 'block',
      pattern: /^[ \t]*(?:(?:public|protected|private|final|static)\s+)*function\s+(?<name>(?!test)\w+)\s*(?=\()/gm,
    },
  ],
  annotationLine: /^#\[|^\*|^\/\*/,
  assertion: new RegExp(
    String.raw`(?:\$this->|self::|static::|Assert::)(?:assert\w*|fail|expect\w*)\s*\(|(?<![\w$>:])expect\s*\(|->(?:shouldHave\w*|shouldReturn|shouldBe\w*|shouldThrow)\s*\(|${camelAsserter}`,
    'gm',
  ),
  skip: /(?:\$this->|self::)markTest(?:Skipped|Incomplete)\(|->(?:skip|todo)\(\s*(?:["'][^)]*)?\)|#\[Ignore\b/gm,
  conditionalSkip: /->skip(?:On\w+|If)?\(\s*(?!["')])|#\[Requires\w+/gm,
  only: /->only\(\s*\)/gm,
  row: /#\[(?:TestWith|DataProvider)\b/gm,
  tautology:
    /^(?:\$this -> |self :: |static :: |Assert :: )(?:assertTrue \( true(?: , .*)? \)|assertFalse \( false(?: , .*)? \)|assert(?:Same|Equals) \( ([\w$.]+|'[^']*') , \1 \)|assertNull \( null \)|addToAssertionCount \( .* \))$|^expect \( (true|1) \) -> (?:toBeTrue|toBe|toEqual) \( (?:\2)? \)$/,
  vague: /assert(?:NotNull|NotEmpty|IsObject|IsArray) \(|-> not -> toBeNull \( \)$/,
  swallow: /\bcatch\s*\([^()]*\)\s*\{\s*\}/gm,
};
