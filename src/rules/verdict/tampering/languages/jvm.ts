import type { Language } from './language.ts';
import { camelAsserter, textBlockLexis } from './lexis.ts';

const testAnnotation = /@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Theory|Property)\b/;

/** Java, Kotlin, Scala and Groovy with JUnit, TestNG, Kotest, ScalaTest and Spock. */
export const jvm: Language = {
  name: 'Java/Kotlin',
  extensions: ['java', 'kt', 'kts', 'scala', 'groovy'],
  lexis: textBlockLexis,
  testPath:
    /(?:^|\/)(?:\w*[tT]est|it|integrationTest|androidTest|testFixtures)\/.*\.(?:java|kts?|scala|groovy)$|(?:Tests?|IT|Spec|TestCase)\.(?:java|kts?|scala|groovy)$/,
  body: 'brackets',
  cases: [
    {
      shape: 'block',
      pattern:
        /^[ \t]*(?:(?:public|protected|private|internal|static|final|open|override|suspend|synchronized|default|abstract)\s+)*(?:fun\s+(?:<[^>]*>\s*)?|(?:<[^>]*>\s*)?[\w.<>[\],?]+\s+|def\s+)(?<name>\w+|`[^`\n]+`)\s*(?=\()/gm,
      annotation: testAnnotation,
    },
    // JUnit 3 and TestNG by name.
    { shape: 'block', pattern: /^[ \t]*public\s+void\s+(?<name>test[A-Z_]\w*)\s*(?=\()/gm },
    { shape: 'call', pattern: /(?<![\w.])x?(?:test|it|should|expect|scenario)\s*(?=\(")/gm },
    { shape: 'block', pattern: /^[ \t]*def\s+(?<name>"[^"\n]*")\s*(?=\()/gm },
  ],
  groups: [{ shape: 'block', pattern: /\b(?:class|object|interface)\s+(?<name>\w+)/gm }],
  helpers: [
    {
      shape: 'block',
      pattern:
        /^[ \t]*(?:(?:public|protected|private|internal|static|final|open|override|suspend)\s+)*(?:fun\s+(?:<[^>]*>\s*)?|(?:<[^>]*>\s*)?(?!return\b|new\b|throw\b|else\b)[\w.<>[\],?]+\s+|def\s+)(?<name>\w+)\s*(?=\([^;{}]*\{)/gm,
    },
  ],
  annotationLine: /^@|^[^@]*"\s*[})]*\)$/,
  assertion: new RegExp(
    [
      String.raw`(?<![\w])(?:Assert|Assertions|Truth|MatcherAssert|Mockito|StepVerifier)\.\w+\s*\(`,
      String.raw`(?<![\w.])(?:assert\w*|verify|fail|expect|then|shouldThrow\w*)\s*[({<]`,
      String.raw`^[ \t]*assert\s`,
      String.raw`\.andExpect\s*\(|\.(?:should(?:Be|Not|Have|Contain|Throw|Equal)\w*)\b|\s(?:shouldBe|shouldNotBe|shouldEqual|mustBe|shouldThrow)\s`,
      String.raw`@Test\s*\(\s*expected\b`,
      camelAsserter,
    ].join('|'),
    'gm',
  ),
  skip: /@(?:\w+\.)*(?:Disabled|Ignored?)\b|@Test\s*\([^)]*\benabled\s*=\s*false\b|\bassum(?:eTrue\(\s*false|eFalse\(\s*true)\b|\bthrow\s+new\s+(?:SkipException|TestAbortedException)\b|(?<![\w.])x(?:test|it|should|describe|context)\s*\(|@file:Ignore\b/gm,
  conditionalSkip: /@(?:Disabled|Enabled)(?:On|If|For)\w*|\bassum(?:eTrue|eFalse|eThat|ingThat)\(\s*(?!false|true)/gm,
  row: /^[ \t]*(?:"[^"\n]*",?\s*$)|@(?:CsvSource|ValueSource|MethodSource|EnumSource)\b/gm,
  tautology:
    /^(?:(?:\w+ \. )?assert(?:True|That)? \( (?:'[^']*' , )?true(?: , '[^']*')? \)(?: \. isTrue \( \))?|(?:\w+ \. )?assertFalse \( false \)|(?:\w+ \. )?assert(?:Equals|Same) \( ([\w.]+|'[^']*') , \1 \)|(?:\w+ \. )?assertNull \( null \)|assert true|(?:\w+ \. )?assertTrue \( .* \|\| true \))$/,
  vague: /^(?:\w+ \. )?assert(?:NotNull|DoesNotThrow) \(|\. (?:isNotNull|isNotEmpty) \( \)$/,
  swallow: /\bcatch\s*\([^()]*\)\s*\{\s*\}/gm,
};
