import type { Language } from './language.ts';
import { snakeAsserter } from './lexis.ts';

export const ruby: Language = {
  name: 'Ruby',
  extensions: ['rb'],
  lexis: {
    lineComments: ['#'],
    blockComments: [['\n=begin', '\n=end']],
    strings: [
      { open: '"', close: '"', multiline: true, interpolation: '#{' },
      { open: "'", close: "'", multiline: true },
    ],
  },
  testPath: /(?:^|\/)(?:spec|tests?|features)\/.*\.rb$|_(?:spec|test)\.rb$|(?:^|\/)test_[^/]*\.rb$/,
  body: 'indentation',
  cases: [
    { shape: 'block', pattern: /^[ \t]*[xf]?(?:it|specify|example|scenario|its)\b(?=\s*(?:["'({]|do\b))/gm },
    { shape: 'block', pattern: /^[ \t]*(?:test|should|pending|skip)\s*\(?(?=["'][^\n]*(?:\bdo\b|\{))/gm },
    { shape: 'block', pattern: /^[ \t]*def\s+(?<name>test_\w+[?!]?)/gm },
  ],
  groups: [
    {
      shape: 'block',
      pattern: /^[ \t]*(?:RSpec\.)?[xf]?(?:describe|context|feature|shared_examples\w*)\b(?=[\s("'])/gm,
    },
    { shape: 'block', pattern: /^[ \t]*class\s+(?<name>\w+)/gm },
  ],
  helpers: [{ shape: 'block', pattern: /^[ \t]*def\s+(?<name>(?!test_)(?:self\.)?\w+[?!]?)/gm }],
  assertion: new RegExp(
    [
      String.raw`(?<![\w.])(?:expect|is_expected|assert\w*|refute\w*|flunk)\b`,
      String.raw`\.(?:should|should_not|must_\w+|wont_\w+)\b`,
      snakeAsserter,
    ].join('|'),
    'gm',
  ),
  skip: /^[ \t]*x(?:it|specify|example|scenario|describe|context|feature)\b|^[ \t]*(?:skip|pending)\b(?!\s*=|\.)|(?<=,[ \t]{0,4})(?::skip\b|skip:\s*(?:true|["'])|:pending\b|pending:\s*(?:true|["']))|\bRSpec\.xdescribe\b/gm,
  conditionalSkip: /\bskip:\s*(?!true|["'])\S|^[ \t]*skip\b[^\n]*\s(?:if|unless)\b/gm,
  only: /^[ \t]*f(?:it|describe|context|specify|example)\b|(?<=,[ \t]{0,4})(?::focus\b|focus:\s*true\b)/gm,
  table: /(?=\[[^\]]*\]\s*\.each\b)/gm,
  tautology:
    /^(?:expect \( (true|1) \) \. to (?:eq|be|eql|equal) ?\(? ?\1 ?\)?|expect \( true \) \. to be_truthy|assert (?:\( )?(?:true|1)(?: \))?|assert_equal (?:\( )?([\w.]+|'[^']*') , \2(?: \))?|refute (?:\( )?(?:false|nil)(?: \))?|assert .* \|\| true(?: \))?|true \. should .*)$/,
  vague: /\. (?:to_not|not_to) be_nil$|\. to be_(?:truthy|present)$|^assert_not_nil|^refute_nil/,
  swallow: /^[ \t]*rescue\b[^\n]*\n\s*(?:nil\s*)?end\b|\brescue\s+nil\b/gm,
};
