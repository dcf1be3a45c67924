import type { Language } from './language.ts';

/** Bats and shunit2; a plain script's assertions are what can make it fail. */
export const shell: Language = {
  name: 'shell',
  extensions: ['bats', 'sh', 'bash', 'zsh', 't'],
  lexis: {
    lineComments: ['#'],
    blockComments: [],
    strings: [
      { open: '"', close: '"', multiline: true },
      { open: "'", close: "'", multiline: true, raw: true },
    ],
  },
  testPath: /\.bats$|(?:^|\/)tests?\/.*\.(?:sh|bash|zsh|t)$|(?:^|[/_.-])tests?\.(?:sh|bash)$|(?:^|\/)test_[^/]*\.sh$/,
  body: 'brackets',
  cases: [
    { shape: 'block', pattern: /^[ \t]*@test\s+(?=["'])/gm },
    { shape: 'block', pattern: /^[ \t]*(?:function\s+)?(?<name>test\w+)\s*(?:\(\s*\))\s*(?=\{)/gm },
  ],
  groups: [],
  helpers: [{ shape: 'block', pattern: /^[ \t]*(?:function\s+)?(?<name>(?!test)\w+)\s*(?:\(\s*\))\s*(?=\{)/gm }],
  assertion:
    /^[ \t]*(?:\[\[?\s|assert\w*\b|refute\w*\b|test\s+[-!"$]|run\s+-\d|fail\b|diff\s|cmp\s|grep\s+-\w*q|check_\w+|expect_\w+)/gm,
  skip: /^[ \t]*(?:skip|startSkipping)\b/gm,
  conditionalSkip: /(?:&&|\|\|)\s*(?:skip|startSkipping)\b/gm,
  tautology:
    /^(?:\[ \[? ?(?:1|true|'1') (?:=|==|- eq) (?:1|true|'1') \]? ?\]|\[ 1 \]|true|test 1|assertTrue (?:0|true|'0'|'true')|assert true)$|\|\| true$/,
  swallow: /^[ \t]*set\s+\+e\b/gm,
};
