import type { Language } from './language.ts';
import { snakeAsserter } from './lexis.ts';

export const rust: Language = {
  name: 'Rust',
  extensions: ['rs'],
  lexis: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: 'r##"', close: '"##', multiline: true, raw: true },
      { open: 'r#"', close: '"#', multiline: true, raw: true },
      { open: 'r"', close: '"', multiline: true, raw: true },
      // Characters that would open a string or a bracket; other quotes may be lifetimes.
      ...['"', "\\'", '{', '}', '(', ')', '[', ']'].map((character) => ({
        open: `'${character}'`,
        close: '',
        raw: true,
      })),
      { open: '"', close: '"', multiline: true },
    ],
  },
  testPath: /(?:^|\/)tests\/.*\.rs$|(?:^|\/)(?:tests?|[^/]*_tests?)\.rs$/,
  inlineTests: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|proptest)\b/,
  body: 'brackets',
  cases: [
    {
      shape: 'block',
      pattern: /^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+(?<name>\w+)\s*(?=[(<])/gm,
      annotation: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|case|test_log)\b/,
    },
  ],
  groups: [{ shape: 'block', pattern: /^[ \t]*(?:pub\s+)?mod\s+(?<name>\w*tests?\w*)\s*(?=\{)/gm }],
  helpers: [{ shape: 'block', pattern: /^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?fn\s+(?<name>\w+)\s*(?=[(<])/gm }],
  annotationLine: /^#!?\[|^[^#]*\)\]$/,
  assertion: new RegExp(
    [
      String.raw`\b(?:debug_)?assert(?:_\w+)?!\s*[([{]`,
      String.raw`\b(?:prop_assert|insta::assert|check|expect|ensure|verify)\w*!\s*[([{]`,
      String.raw`(?<!\.)${snakeAsserter}`,
      String.raw`\bpanic!\s*\(`,
      String.raw`#\[should_panic\b`,
    ].join('|'),
    'gm',
  ),
  skip: /#\[ignore\b|#\[cfg\(any\(\)\)\]|#\[cfg\(FALSE\)\]/gm,
  conditionalSkip: /#\[cfg_attr\([^\]]*\bignore\b|#\[cfg\((?!test\b|any\(\)|FALSE\))/gm,
  row: /#\[(?:case|test_case)\b/gm,
  table: /\bfor\s+[^{}\n]*\s+in\s+&?(?:vec!\s*)?(?=\[)/gm,
  tautology:
    /^(?:(?:debug_)?assert ! \( (?:true|1 == 1|! false)(?: , .*)? \)|assert_eq ! \( ([\w.]+|'[^']*') , \1(?: , .*)? \)|assert ! \( .* \|\| true \)|assert ! \( .* \|\| true \))$/,
  vague: /^assert ! \( [\w. ]+ \. (?:is_ok|is_some|is_err) \( \) \)$/,
};
