import type { Language } from './language.ts';
import { snakeAsserter } from './lexis.ts';

export const python: Language = {
  name: 'Python',
  extensions: ['py'],
  lexis: {
    lineComments: ['#'],
    blockComments: [],
    strings: [
      { open: '"""', close: '"""', multiline: true },
      { open: "'''", close: "'''", multiline: true },
      { open: '"', close: '"' },
      { open: "'", close: "'" },
    ],
  },
  testPath: /(?:^|\/)(?:tests?|testing|test_\w+)\/.*\.py$|(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests?|conftest)\.py$/,
  body: 'indentation',
  cases: [{ shape: 'block', pattern: /^[ \t]*(?:async\s+)?def\s+(?<name>test\w*)\s*(?=\()/gm }],
  groups: [{ shape: 'block', pattern: /^[ \t]*class\s+(?<name>\w*Tests?\w*|\w*TestCase)\b/gm }],
  helpers: [{ shape: 'block', pattern: /^[ \t]*(?:async\s+)?def\s+(?<name>(?!test)\w+)\s*(?=\()/gm }],
  annotationLine: /^@/,
  assertion: new RegExp(
    [
      String.raw`^[ \t]*assert\b`,
      String.raw`(?<=:[ \t]{0,4})assert\b`,
      String.raw`\b(?:self|cls|case|testcase|tc)\.(?:assert|fail|expect)\w*\s*\(`,
      String.raw`(?<![\w.])\w+(?:\.\w+)*\.(?:raises|warns|deprecated_call|assert_\w+|approx_equal)\s*\(`,
      String.raw`(?<![\w.])(?:raises|warns|assert\w+)\s*\(`,
      snakeAsserter,
    ].join('|'),
    'gm',
  ),
  skip: /@(?:\w+\.)*(?:skip|xfail|expectedFailure|Ignore)\b(?!\s*\([^)]*(?:sys|os|platform|condition|version)\b)|\bpytest\.(?:skip|xfail)\(|\bself\.skipTest\(|\braise\s+(?:\w+\.)?(?:SkipTest|Skipped)\b|^pytestmark\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b(?!if)|^[ \t]*__test__\s*=\s*False\b|\bmarks\s*=\s*\[?\s*pytest\.mark\.(?:skip|xfail)\b/gm,
  conditionalSkip: /@(?:\w+\.)*(?:skipif|skipIf|skipUnless|skip_unless\w*|requires?_\w+)\b|\bpytest\.importorskip\(/gm,
  only: /@(?:\w+\.)*(?:only|focus)\b/gm,
  table: /\.parametrize\(\s*(?:[^[\]()]*|\([^()]*\)|\[[^[\]]*\]),\s*(?=[[(])|\bfor\s+[\w, ]+\s+in\s+(?=[[(])/gm,
  tautology:
    /^(?:assert (?:\( )?(?:True|1|not False|'[^']+')(?: \))?(?: , .*)?|assert ([\w.]+|'[^']*') (?:==|is) \1|assert .* or (?:True|1)(?: \))?|self \. assert(?:True|IsTrue|_) \( (?:True|1)(?: , .*)? \)|self \. assertFalse \( (?:False|0) \)|self \. assert(?:Equals?|Is) \( ([\w.]+|'[^']*') , \2 \))$/,
  vague:
    /^assert [\w. ()]+ is not None$|^assert \w+(?: \. \w+)*$|\. assert(?:IsNotNone|True) \( \w+(?: \. \w+)* \)$|^assert isinstance \(/,
  swallow: /^[ \t]*except\b[^\n]*:\s*(?:pass|\.\.\.|return)\b|\bcontextlib\.suppress\(|\bwith\s+suppress\(/gm,
};
