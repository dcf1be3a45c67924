import type { Language } from './language.ts';
import { camelAsserter } from './lexis.ts';

/** Receivers that test frameworks hand to a test (tape, tap, AVA, node:test, QUnit). */
const context = String.raw`(?:t|tt|st|sst|s\dt|st\d|t\d|tap|ctx|assert|chai|should|is|test)`;

const methods = [
  'a|an|assert|beRejected\\w*|contains?|deep\\w*|does\\w+|emits?|equals?|equivalent|error|exists?|fail|false|falsy',
  'has\\w*|ifErr(?:or)?|include\\w*|instanceOf|is|is[A-Z]\\w*|isNot|like|loose\\w*|match\\w*|not|not[A-Z]\\w*|ok|pass',
  'regex|rejects|resolve\\w*|same\\w*|snapshot|strict\\w*|true|truthy|throws?\\w*|type\\w*|lengthOf|propertyVal|step|verify\\w*',
].join('|');

export const javascript: Language = {
  name: 'JavaScript',
  extensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte'],
  lexis: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: '`', close: '`', multiline: true, interpolation: '${' },
      { open: "'", close: "'" },
      { open: '"', close: '"' },
    ],
    slashRegex: true,
  },
  testPath:
    /(?:^|\/)(?:__tests__|tests?|specs?|e2e|cypress)\/.*\.[cm]?[jt]sx?$|(?:^|[/._-])(?:tests?|spec|e2e|cy)\.[cm]?[jt]sx?$/i,
  body: 'brackets',
  cases: [
    { shape: 'call', pattern: /(?<![\w$.])[xf]?(?:it|test|specify)(?:\.\w+)*\s*(?=[(`<])/gm },
    {
      shape: 'call',
      pattern: new RegExp(
        String.raw`(?<![\w$.])(?:${context}|QUnit|Deno|suite|ava)\.(?:test|it|skip|only|todo)(?:\.\w+)*\s*(?=\()`,
        'gm',
      ),
      stringThenMore: true,
    },
  ],
  groups: [
    { shape: 'call', pattern: /(?<![\w$.])[xf]?(?:describe|context|suite|test\.describe)(?:\.\w+)*\s*(?=[(`<])/gm },
  ],
  helpers: [
    { shape: 'block', pattern: /(?<![\w$.])function\s*\*?\s*(?<name>[\w$]+)\s*(?=[(<])/gm },
    {
      shape: 'block',
      pattern:
        /\b(?:const|let|var)\s+(?<name>[\w$]+)\s*=\s*(?:async\s+)?(?:function\b|(?:\([^()]*\)|[\w$]+)(?:\s*:[^=\n]+)?\s*=>)/gm,
    },
  ],
  assertion: new RegExp(
    [
      String.raw`(?<![\w$.])(?:expect|assert|should|expectTypeOf|assertType|invariant)\s*(?=[(<])`,
      String.raw`(?<![\w$.])${context}\.(?:${methods})\s*\(`,
      String.raw`(?<![\w$.])(?:assert|expect|chai|sinon\.assert|QUnit\.assert)\.(?!soft\b|assertions\b|extend\b)\w+(?:\.\w+)*\s*\(`,
      String.raw`(?<![\w$.])${context}\[(['"])[^'"\n]+\1\]\s*\(`,
      String.raw`\b\w+\.assert\w*\s*\(`,
      String.raw`\.should\b`,
      String.raw`(?<![\w$])${camelAsserter}`,
    ].join('|'),
    'gm',
  ),
  skip: new RegExp(
    [
      String.raw`(?<![\w$.])x(?:it|test|specify|describe|context)(?:\.\w+)*\s*(?=\()`,
      String.raw`(?<![\w$.])(?:it|test|specify|describe|context|suite|QUnit|Deno\.test|${context}|${context}\.test)(?:\.\w+)*\.(?:skip|todo|fixme|fails|failing)\b(?=(?:\.\w+)*\s*[(\x60<])`,
      String.raw`(?<![\w$])this\.skip\(`,
      String.raw`\{\s*(?:skip|todo)\s*:\s*(?:true\b|['"\x60])`,
      String.raw`(?<=[,{]\s{0,40})ignore\s*:\s*true\b`,
    ].join('|'),
    'gm',
  ),
  conditionalSkip:
    /\.(?:skipIf|runIf|todoIf|if)\s*\(|(?<![\w$.])(?:test|it|describe)\.(?:skip|fixme|fail)\(\s*(?![\s'"`)])[^,]*,\s*['"`]/gm,
  only: /(?<![\w$.])f(?:it|describe|context)\s*(?=\()|(?<![\w$.])(?:it|test|specify|describe|context|suite|QUnit|Deno\.test|tap?|ava)(?:\.\w+)*\.only\b(?=(?:\.\w+)*\s*[(`<])|\bonly\s*:\s*true\b/gm,
  table: /\.(?:each|for)\s*(?:<[^>]*>)?\(\s*(?=\[)|\bfor\s*\(\s*const\s+[^;()]*?\bof\s*(?=\[)/gm,
  tautology:
    /^(?:(?:expect|assert(?: \. (?:ok|isOk|isTrue))?|\w+ \. (?:ok|assert|true|truthy|pass)) \( (?:true|1|! false|! 0|'[^']*')(?: , '[^']*')? \)(?: \. (?:to|be|not|toBe|toEqual|toStrictEqual|true|ok|equal|toBeTruthy|toBeDefined|toBeFalsy|eql|eq)(?: \( (?:true|1|false|'[^']*')? \))?)*|expect \( (false|0|null|undefined) \) \. \w+ \( (?:\1)? \)|\w+ \. \w*(?:[eE]qual|same|is)\w* \( (\w+|'[^']*') , \2(?: , '[^']*')? \)|expect \( ([\w.]+|'[^']*') \) \. (?:to )?\w+(?: \. equal)? \( \3 \)|assert \( (\w+) === \4 \))$/,
  vague:
    /\. (?:toBeDefined|toBeTruthy|toBeFalsy|toBeNull|toBeUndefined) \( \)$|\. not \. (?:toThrow|toBeNull|toBeUndefined) \( \)$|\. to(?: \. be)? \. (?:exist|ok|be)$|expect \. anything \( \) \)$|\. (?:ok|truthy|exists|isOk|isDefined|assert) \( [\w. ]+(?: , '[^']*')? \)$|\|\| true \)/,
  swallow:
    /\bcatch\s*(?:\([^()]*\))?\s*\{\s*(?:return\s*;?\s*)?\}|\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*,?\s*\)/gm,
};
