import type { Language } from './language.ts';
import { camelAsserter, cLexis, snakeAsserter } from './lexis.ts';

/** C and C++ with GoogleTest, Catch2, doctest, Boost.Test, Unity, CMocka and Check. */
export const c: Language = {
  name: 'C/C++',
  extensions: ['c', 'cc', 'cpp', 'cxx', 'h', 'hh', 'hpp', 'm', 'mm'],
  lexis: {
    ...cLexis,
    strings: [{ open: 'R"(', close: ')"', multiline: true, raw: true }, ...cLexis.strings],
  },
  testPath:
    /(?:^|\/)(?:unit)?tests?\/.*\.(?:c|cc|cpp|cxx|h|hpp|hh|mm?)$|(?:^|[/_-])(?:unit)?tests?\.(?:c|cc|cpp|cxx)$|(?:^|\/)test_[^/]*\.(?:c|cc|cpp|cxx)$|(?:Test|Tests)\.(?:c|cc|cpp|cxx|mm?)$/,
  body: 'brackets',
  cases: [
    { shape: 'block', pattern: /^[ \t]*(?:TYPED_TEST(?:_P)?|TEST(?:_[FP])?)\s*\((?<name>[^()]*)(?=\))/gm },
    {
      shape: 'block',
      pattern: /^[ \t]*(?:TEST_CASE(?:_METHOD|_TEMPLATE|_FIXTURE)?|SCENARIO|SECTION|SUBCASE)\s*(?=\()/gm,
    },
    {
      shape: 'block',
      pattern: /^[ \t]*(?:BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE|START_TEST|Test|Ensure)\s*\((?<name>[^()]*)(?=\))/gm,
    },
    { shape: 'block', pattern: /^(?:static\s+)?(?:void|int)\s+(?<name>test_?\w+|\w+_test)\s*(?=\([^;{}]*\)\s*\{)/gm },
  ],
  groups: [{ shape: 'block', pattern: /^[ \t]*(?:TEST_SUITE|namespace)\s*\(?\s*(?<name>\w+)/gm }],
  helpers: [
    { shape: 'block', pattern: /^(?:static\s+|inline\s+)*[\w:*&<>]+\s+\*?(?<name>\w+)\s*(?=\([^;{}]*\)\s*\{)/gm },
  ],
  assertion: new RegExp(
    [
      String.raw`\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_(?:CHECK|REQUIRE|TEST)|TEST_ASSERT|CU_ASSERT|ck_assert|cr_assert|STATIC_REQUIRE|WARN)(?:_\w+)?\s*\(`,
      String.raw`(?<![\w.>])assert(?:_\w+)?\s*\(|\bFAIL\s*\(`,
      snakeAsserter,
      camelAsserter,
    ].join('|'),
    'gm',
  ),
  skip: /\bGTEST_SKIP\s*\(|(?<=\()\s*\w+\s*,\s*DISABLED_\w+|\bDISABLED_\w+(?=\s*,)|\bSKIP\s*\(|\bTEST_IGNORE\w*\s*\(|^#if\s+0\b|\[!(?:mayfail|shouldfail)\]|\bdoctest::skip\(|\bboost::unit_test::disabled\(/gm,
  tautology:
    /^(?:(?:EXPECT|ASSERT)_TRUE \( (?:true|1) \)|(?:EXPECT|ASSERT)_FALSE \( (?:false|0) \)|(?:EXPECT|ASSERT)_EQ \( ([\w.]+|'[^']*') , \1 \)|(?:CHECK|REQUIRE|assert|BOOST_CHECK|BOOST_TEST|TEST_ASSERT|TEST_ASSERT_TRUE|SUCCEED) \( (?:true|1)? \))$/,
  vague: /^(?:EXPECT|ASSERT)_(?:NE \( \w+ , nullptr|NO_THROW|NO_FATAL_FAILURE)|^(?:EXPECT|ASSERT)_TRUE \( \w+ \)$/,
  swallow: /\bcatch\s*\([^()]*\)\s*\{\s*\}/gm,
};
