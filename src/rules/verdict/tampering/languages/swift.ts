import type { Language } from './language.ts';
import { camelAsserter, textBlockLexis } from './lexis.ts';

export const swift: Language = {
  name: 'Swift',
  extensions: ['swift'],
  lexis: textBlockLexis,
  testPath: /(?:^|\/)\w*Tests?\/.*\.swift$|Tests?\.swift$|Spec\.swift$/,
  body: 'brackets',
  cases: [
    {
      shape: 'block',
      pattern: /^[ \t]*(?:(?:public|internal|override|final|@\w+)[ \t]+)*func\s+(?<name>test\w*)\s*(?=\()/gm,
    },
    {
      shape: 'block',
      pattern:
        /^[ \t]*(?:@Test\b(?:\([^\n]*\))?\s+)?(?:(?:public|internal|override|final|static|@\w+)[ \t]+)*func\s+(?<name>(?!test)\w+|`[^`\n]+`)\s*(?=\()/gm,
      annotation: /@Test\b/,
    },
    { shape: 'call', pattern: /(?<![\w.])[xf]?it\s*(?=\(")/gm },
  ],
  groups: [
    { shape: 'block', pattern: /\b(?:class|struct|actor)\s+(?<name>\w+)/gm },
    { shape: 'call', pattern: /(?<![\w.])[xf]?(?:describe|context)\s*(?=\(")/gm },
  ],
  helpers: [
    {
      shape: 'block',
      pattern:
        /^[ \t]*(?:(?:public|internal|private|fileprivate|static|final)\s+)*func\s+(?<name>(?!test)\w+)\s*(?=[(<])/gm,
    },
  ],
  annotationLine: /^@/,
  assertion: new RegExp(
    String.raw`\bXCT(?:Assert\w*|Fail|Unwrap)\s*\(|#(?:expect|require)\s*\(|(?<![\w.])expect\s*[({]|${camelAsserter}`,
    'gm',
  ),
  skip: /\bthrow\s+XCTSkip\(|@Test\([^\n]*\.disabled\(|@Suite\([^\n]*\.disabled\(|(?<![\w.])x(?:it|describe|context)\s*\(/gm,
  conditionalSkip: /\bXCTSkip(?:If|Unless)\(|\.(?:disabled|enabled)\(\s*if:/gm,
  only: /(?<![\w.])f(?:it|describe|context)\s*\(/gm,
  tautology:
    /^(?:XCTAssert(?:True)? \( true(?: , .*)? \)|XCTAssertFalse \( false(?: , .*)? \)|XCTAssertEqual \( ([\w.]+|'[^']*') , \1 \)|# expect \( (?:true|Bool \( true \)) \)|XCTAssertNil \( nil \))$/,
  vague: /^XCTAssertNot(?:Nil|NotNil) \(|^XCTAssertNotNil \(|^# expect \( \w+ != nil \)$/,
  swallow: /\bcatch\s*\{\s*\}|\btry\?\s/gm,
};
