import type { Language } from './language.ts';
import { camelAsserter } from './lexis.ts';

export const go: Language = {
  name: 'Go',
  extensions: ['go'],
  lexis: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: '`', close: '`', multiline: true, raw: true },
      { open: '"', close: '"' },
      { open: "'", close: "'" },
    ],
  },
  testPath: /_test\.go$/,
  body: 'brackets',
  cases: [
    { shape: 'block', pattern: /^func\s+(?:\([^()]*\)\s*)?(?<name>(?:Test(?!Main\b)|Fuzz|Example)\w*)\s*(?=\()/gm },
    { shape: 'call', pattern: /\b\w+\.Run\s*(?=\()/gm, stringThenMore: true },
    { shape: 'call', pattern: /(?<![\w.])[FPX]?(?:It|Specify|Entry)\s*(?=\()/gm, stringThenMore: true },
  ],
  groups: [
    {
      shape: 'call',
      pattern: /(?<![\w.])[FPX]?(?:Describe|Context|When|DescribeTable)\s*(?=\()/gm,
      stringThenMore: true,
    },
  ],
  helpers: [
    { shape: 'block', pattern: /^func\s+(?:\([^()]*\)\s*)?(?<name>(?!Test|Fuzz|Example|Benchmark)\w+)\s*(?=[([])/gm },
  ],
  assertion: new RegExp(
    [
      String.raw`\b(?:t|tb|b|f|tt|c|s\.T\(\))\.(?:Errorf?|Fatalf?|Fail|FailNow)\(`,
      String.raw`\b(?:assert|require|s|suite|is|qt|td|check|must|a|r|s\.Require\(\)|s\.Assert\(\)|gt|cv)\.(?:[A-Z]\w*)\(`,
      String.raw`(?<![\w.])(?:Expect|Eventually|Consistently|So|Convey|Ω)\(`,
      camelAsserter,
    ].join('|'),
    'gm',
  ),
  skip: /\b(?:t|tb|f|tt|s\.T\(\)|c|suite)\.Skip(?:f|Now)?\(|(?<![\w.])(?:Skip|[PX](?:It|Describe|Context|Specify|Entry|When))\(/gm,
  only: /(?<![\w.])F(?:It|Describe|Context|Specify|Entry|When)\(/gm,
  table: /\[\](?:struct\s*(?=\{)|\w+(?=\{)|\*?[\w.]+(?=\{))/gm,
  tautology:
    /^(?:\w+ \. (?:True|Truef) \( (?:t , )?true(?: , .*)? \)|\w+ \. (?:False) \( (?:t , )?false(?: , .*)? \)|\w+ \. (?:Equal|Same|Exactly) \( (?:t , )?([\w.]+|'[^']*') , \1(?: , .*)? \)|\w+ \. Nil \( (?:t , )?nil \))$/,
  vague: /^\w+ \. (?:NotNil|NotEmpty|NotZero) \(/,
  swallow: /\bdefer\s+func\(\)\s*\{\s*(?:_\s*=\s*)?recover\(\)\s*;?\s*\}\(\)/gm,
};
