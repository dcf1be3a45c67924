/** What a language and its usual test frameworks look like. Patterns have the flags `gm` and run over masked code. */
export interface Language {
  readonly extensions: readonly string[];
  /** How it writes comments (the group `comment`) and strings: enough to tell code from text. */
  readonly lexis: RegExp;
  /** Where a test begins. The group `name` is its identifier; without it, its name is the first string that follows. */
  readonly tests: readonly RegExp[];
  /** Its tests may be in any file; code outside them is not test code. */
  readonly inline?: true;
  /** A body ends with its indentation, not with its bracket. */
  readonly indented?: true;
  readonly assertion: RegExp;
  readonly skip: RegExp;
  /** A skip whose condition is part of it, e.g. `skipif`. */
  readonly conditionalSkip?: RegExp;
  readonly only?: RegExp;
  /** The array or list that follows holds the rows of a parametrised test; for annotations, each match is a row. */
  readonly table?: RegExp;
  readonly row?: RegExp;
  /** Over an assertion's normal form (its tokens joined by one space); not global: holds for any code. */
  readonly tautology: RegExp;
  /** Over an assertion's normal form; not global: only says that a value exists. */
  readonly vague?: RegExp;
  /** Swallows what an assertion throws: the end of a guarded block with an empty handler. */
  readonly swallow?: RegExp;
}

/** A string between two marks. `long`: over several lines; otherwise a newline ends an unclosed one. */
const quoted = (mark: string, long = false) => `${mark}(?:\\\\[^]|[^${mark}\\\\${long ? '' : '\\n'}])*${mark}?`;
const DOUBLE = quoted('"');
const SINGLE = quoted("'");
const LONG_DOUBLE = quoted('"', true);
const LONG_SINGLE = quoted("'", true);
const TEXT_BLOCK = '"""(?:\\\\[^]|[^\\\\])*?(?:"""|$)';
/** Expressions in it, which may hold strings and a few levels of braces, begin with `sign` and a brace. */
const interpolated = (mark: string, sign: string) =>
  `${mark}(?:\\\\[^]|${sign}\\{(?:[^{}]|\\{(?:[^{}]|\\{[^{}]*\\})*\\})*\\}|[^${mark}\\\\])*${mark}?`;
const SLASHES = String.raw`//[^\n]*|/\*[^]*?(?:\*/|$)`;
/** `$#` and `${x#y}` open no comment. */
const HASH = String.raw`(?<![\w$#{])#[^\n]*`;

/** The comments of a language, and its strings, longer openers first. */
const lexis = (comments: string, ...strings: readonly string[]) =>
  new RegExp(`(?<comment>${comments})|${strings.join('|')}`, 'g');

const WITH_BLOCKS = lexis(SLASHES, TEXT_BLOCK, DOUBLE, SINGLE);

/** Any of these patterns. */
const either = (...patterns: readonly string[]) => new RegExp(patterns.join('|'), 'gm');

/** Names of functions that assert, in languages that write `assertSame` … */
const camelAsserter = String.raw`\b(?:assert|expect|verify|check|should|ensure|must|require)[A-Z]\w*\s*\(`;
/** … and in languages that write `assert_same`. */
const snakeAsserter = String.raw`\b(?:assert|expect|verify|check|should|ensure|must|require)_\w+[?!]?\s*\(`;

/** A call with a string and a further argument: distinguishes `t.test('x', …)` from `pattern.test('x')`. */
const NAMED_CALL = String.raw`(?=\(\s*["'\x60][\u00b7\n]*["'\x60]\s*,)`;

/** A function under an annotation that makes it a test; other annotations may come between. */
const annotated = (annotation: string) =>
  new RegExp(
    String.raw`${annotation}\b(?:[^;{}]|\{[^{}]*\}){0,400}?[\w>\]?]\s+(?<name>\w+|\x60[^\x60\n]+\x60)\s*(?:<[^<>]*>\s*)?(?=\()`,
    'gm',
  );

/** JavaScript: a slash after an operator opens a regular expression. */
const REGEX = String.raw`(?=/)(?<=(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else|void|yield|await))\s*)/(?![*/])(?:[^\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/`;
/** Rust: one character; other single quotes may be lifetimes. */
const CHARACTER = String.raw`'(?:\\.|[^'\\\n])'`;

/** Receivers that test frameworks pass to a test (tape, tap, AVA, node:test, QUnit). */
const context = String.raw`(?:t|tt|st|sst|s\dt|st\d|t\d|tap|ctx|assert|chai|should|is|test)`;

const methods = [
  'a|an|assert|beRejected\\w*|contains?|deep\\w*|does\\w+|emits?|equals?|equivalent|error|exists?|fail|false|falsy',
  'has\\w*|ifErr(?:or)?|include\\w*|instanceOf|is|is[A-Z]\\w*|isNot|like|loose\\w*|match\\w*|not|not[A-Z]\\w*|ok|pass',
  'regex|rejects|resolve\\w*|same\\w*|snapshot|strict\\w*|true|truthy|throws?\\w*|type\\w*|lengthOf|propertyVal|step|verify\\w*',
].join('|');

const javascript: Language = {
  extensions: ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte'],
  lexis: lexis(SLASHES, interpolated('`', '\\$'), DOUBLE, SINGLE, REGEX),
  tests: [
    /(?<![\w$.])[xf]?(?:it|test|specify)(?!\.(?:describe|before|after|use|extend|step)\w*\b)(?:\.\w+)*\s*(?=[(`<])/gm,
    new RegExp(
      String.raw`(?<![\w$.])(?:${context}|QUnit|Deno|suite|ava)\.(?:test|it|skip|only|todo)(?:\.\w+)*\s*${NAMED_CALL}`,
      'gm',
    ),
  ],
  assertion: either(
    String.raw`(?<![\w$.])(?:expect|assert|should|expectTypeOf|assertType|invariant)\s*(?=[(<])`,
    String.raw`(?<![\w$.])${context}\.(?:${methods})\s*\(`,
    String.raw`(?<![\w$.])(?:assert|expect|chai|sinon\.assert|QUnit\.assert)\.(?!soft\b|assertions\b|extend\b)\w+(?:\.\w+)*\s*\(`,
    String.raw`(?<![\w$.])${context}\[(['"])[^'"\n]+\1\]\s*\(`,
    String.raw`\b\w+\.assert\w*\s*\(`,
    String.raw`\.should\b`,
    String.raw`(?<![\w$])${camelAsserter}`,
  ),
  skip: either(
    String.raw`(?<![\w$.])x(?:it|test|specify|describe|context)(?:\.\w+)*\s*(?=\()`,
    String.raw`(?<![\w$.])(?:it|test|specify|describe|context|suite|QUnit|Deno\.test|${context}|${context}\.test)(?:\.\w+)*\.(?:skip|todo|fixme|fails|failing)\b(?=(?:\.\w+)*\s*[(\x60<])`,
    String.raw`(?<![\w$])this\.skip\(`,
    String.raw`\{\s*(?:skip|todo)\s*:\s*(?:true\b|['"\x60])`,
    String.raw`(?<=[,{]\s{0,40})ignore\s*:\s*true\b`,
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

const python: Language = {
  extensions: ['py'],
  lexis: lexis(HASH, TEXT_BLOCK, TEXT_BLOCK.replaceAll('"', "'"), DOUBLE, SINGLE),
  tests: [/^[ \t]*(?:async\s+)?def\s+(?<name>test\w*)\s*(?=\()/gm],
  indented: true,
  assertion: either(
    String.raw`^[ \t]*assert\b`,
    String.raw`(?<=:[ \t]{0,4})assert\b`,
    String.raw`\b(?:self|cls|case|testcase|tc)\.(?:assert|fail|expect)\w*\s*\(`,
    String.raw`(?<![\w.])\w+(?:\.\w+)*\.(?:raises|warns|deprecated_call|assert_\w+|approx_equal)\s*\(`,
    String.raw`(?<![\w.])(?:raises|warns|assert\w+)\s*\(`,
    snakeAsserter,
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

const go: Language = {
  extensions: ['go'],
  lexis: lexis(SLASHES, '`[^`]*`?', DOUBLE, SINGLE),
  tests: [
    /^func\s+(?:\([^()]*\)\s*)?(?<name>(?:Test(?!Main\b)|Fuzz|Example)\w*)\s*(?=\()/gm,
    new RegExp(String.raw`(?:\b\w+\.Run|(?<![\w.])[FPX]?(?:It|Specify|Entry))\s*${NAMED_CALL}`, 'gm'),
  ],
  assertion: either(
    String.raw`\b(?:t|tb|b|f|tt|c|s\.T\(\))\.(?:Errorf?|Fatalf?|Fail|FailNow)\(`,
    String.raw`\b(?:assert|require|s|suite|is|qt|td|check|must|a|r|s\.Require\(\)|s\.Assert\(\)|gt|cv)\.(?:[A-Z]\w*)\(`,
    String.raw`(?<![\w.])(?:Expect|Eventually|Consistently|So|Convey|Ω)\(`,
    camelAsserter,
  ),
  skip: /\b(?:t|tb|f|tt|s\.T\(\)|c|suite)\.Skip(?:f|Now)?\(|(?<![\w.])(?:Skip|[PX](?:It|Describe|Context|Specify|Entry|When))\(/gm,
  only: /(?<![\w.])F(?:It|Describe|Context|Specify|Entry|When)\(/gm,
  table: /\[\](?:struct\s*(?=\{)|\w+(?=\{)|\*?[\w.]+(?=\{))/gm,
  tautology:
    /^(?:\w+ \. (?:True|Truef) \( (?:t , )?true(?: , .*)? \)|\w+ \. (?:False) \( (?:t , )?false(?: , .*)? \)|\w+ \. (?:Equal|Same|Exactly) \( (?:t , )?([\w.]+|'[^']*') , \1(?: , .*)? \)|\w+ \. Nil \( (?:t , )?nil \))$/,
  vague: /^\w+ \. (?:NotNil|NotEmpty|NotZero) \(/,
  swallow: /\bdefer\s+func\(\)\s*\{\s*(?:_\s*=\s*)?recover\(\)\s*;?\s*\}\(\)/gm,
};

const rust: Language = {
  extensions: ['rs'],
  lexis: lexis(SLASHES, 'r(?<hashes>#{0,3})"[^]*?"\\k<hashes>', CHARACTER, LONG_DOUBLE),
  tests: [annotated('#\\[(?:\\w+::)*(?:test|rstest|test_case|quickcheck|case|test_log)')],
  inline: true,
  assertion: either(
    String.raw`\b(?:debug_)?assert(?:_\w+)?!\s*[([{]`,
    String.raw`\b(?:prop_assert|insta::assert|check|expect|ensure|verify)\w*!\s*[([{]`,
    String.raw`(?<!\.)${snakeAsserter}`,
    String.raw`\bpanic!\s*\(`,
    String.raw`#\[should_panic\b`,
  ),
  skip: /#\[ignore\b|#\[cfg\(any\(\)\)\]|#\[cfg\(FALSE\)\]/gm,
  conditionalSkip: /#\[cfg_attr\([^\]]*\bignore\b|#\[cfg\((?!test\b|any\(\)|FALSE\))/gm,
  table: /\bfor\s+[^{}\n]*\s+in\s+&?(?:vec!\s*)?(?=\[)/gm,
  row: /#\[(?:case|test_case)\b/gm,
  tautology:
    /^(?:(?:debug_)?assert ! \( (?:true|1 == 1|! false)(?: , .*)? \)|assert_eq ! \( ([\w.]+|'[^']*') , \1(?: , .*)? \)|assert ! \( .* \|\| true \)|assert ! \( .* \|\| true \))$/,
  vague: /^assert ! \( [\w. ]+ \. (?:is_ok|is_some|is_err) \( \) \)$/,
};

/** Java, Kotlin, Scala and Groovy with JUnit, TestNG, Kotest, ScalaTest and Spock. */
const jvm: Language = {
  extensions: ['java', 'kt', 'kts', 'scala', 'groovy'],
  lexis: WITH_BLOCKS,
  tests: [
    annotated('@(?:\\w+\\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Theory|Property)'),
    // JUnit 3 and TestNG by name.
    /^[ \t]*public\s+void\s+(?<name>test[A-Z_]\w*)\s*(?=\()/gm,
    /(?<![\w.])x?(?:test|it|should|expect|scenario)\s*(?=\(")/gm,
    /^[ \t]*def\s+(?<name>"[^"\n]*")\s*(?=\()/gm,
  ],
  assertion: either(
    String.raw`(?<![\w])(?:Assert|Assertions|Truth|MatcherAssert|Mockito|StepVerifier)\.\w+\s*\(`,
    String.raw`(?<![\w.])(?:assert\w*|verify|fail|expect|then|shouldThrow\w*)\s*[({<]`,
    String.raw`^[ \t]*assert\s`,
    String.raw`\.andExpect\s*\(|\.(?:should(?:Be|Not|Have|Contain|Throw|Equal)\w*)\b|\s(?:shouldBe|shouldNotBe|shouldEqual|mustBe|shouldThrow)\s`,
    String.raw`@Test\s*\(\s*expected\b`,
    camelAsserter,
  ),
  skip: /@(?:\w+\.)*(?:Disabled|Ignored?)\b|@Test\s*\([^)]*\benabled\s*=\s*false\b|\bassum(?:eTrue\(\s*false|eFalse\(\s*true)\b|\bthrow\s+new\s+(?:SkipException|TestAbortedException)\b|(?<![\w.])x(?:test|it|should|describe|context)\s*\(|@file:Ignore\b/gm,
  conditionalSkip: /@(?:Disabled|Enabled)(?:On|If|For)\w*|\bassum(?:eTrue|eFalse|eThat|ingThat)\(\s*(?!false|true)/gm,
  row: /^[ \t]*(?:"[^"\n]*",?\s*$)|@(?:CsvSource|ValueSource|MethodSource|EnumSource)\b/gm,
  tautology:
    /^(?:(?:\w+ \. )?assert(?:True|That)? \( (?:'[^']*' , )?true(?: , '[^']*')? \)(?: \. isTrue \( \))?|(?:\w+ \. )?assertFalse \( false \)|(?:\w+ \. )?assert(?:Equals|Same) \( ([\w.]+|'[^']*') , \1 \)|(?:\w+ \. )?assertNull \( null \)|assert true|(?:\w+ \. )?assertTrue \( .* \|\| true \))$/,
  vague: /^(?:\w+ \. )?assert(?:NotNull|DoesNotThrow) \(|\. (?:isNotNull|isNotEmpty) \( \)$/,
  swallow: /\bcatch\s*\([^()]*\)\s*\{\s*\}/gm,
};

const csharp: Language = {
  extensions: ['cs', 'fs', 'vb'],
  lexis: lexis(SLASHES, TEXT_BLOCK, '@"[^"]*"?', DOUBLE, SINGLE),
  tests: [
    annotated('\\[(?:\\w+,\\s*)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Property)'),
  ],
  inline: true,
  assertion: new RegExp(
    String.raw`\b(?:Assert|StringAssert|CollectionAssert|FileAssert)\.\w+\s*[(<]|\.Should(?:Be|Throw|Not|Have|Contain|Equal|Match|Satisfy)?\w*\s*[(<]|\.Verify\w*\s*\(|\.(?:Received|DidNotReceive)\(|${camelAsserter}|\b(?:Assert|Expect|Verify|Check|Ensure)[A-Z]\w*\s*\(`,
    'gm',
  ),
  skip: /\[(?:\w+(?:\([^\]]*\))?,\s*)*(?:Ignore|Explicit)\b|\bSkip\s*=\s*"|\bAssert\.(?:Ignore|Inconclusive|Skip)\(|\bIgnore\s*=\s*"/gm,
  conditionalSkip:
    /\bSkip\.(?:If|IfNot)\(|\bAssert\.(?:SkipWhen|SkipUnless)\(|\[(?:Conditional(?:Fact|Theory)|SkippableFact|Platform)\b/gm,
  row: /\[(?:InlineData|TestCase|DataRow)\b/gm,
  tautology:
    /^Assert \. (?:(?:True|IsTrue) \( true(?: , .*)? \)|(?:False|IsFalse) \( false(?: , .*)? \)|(?:Equal|AreEqual|Same|AreSame) \( ([\w.]+|'[^']*') , \1 \)|That \( true(?: , Is \. True)? \)|Pass \(.*\)|Null \( null \))$/,
  vague: /^Assert \. (?:NotNull|IsNotNull|NotEmpty|IsInstanceOf\w*) \(|\. Should \( \) \. NotBeNull(?:OrEmpty)? \( \)$/,
  swallow: /\bcatch\s*(?:\([^()]*\))?\s*\{\s*\}/gm,
};

const ruby: Language = {
  extensions: ['rb'],
  lexis: lexis(`${HASH}|\\n=begin[^]*?(?:\\n=end|$)`, interpolated('"', '#'), LONG_SINGLE),
  tests: [
    /^[ \t]*[xf]?(?:it|specify|example|scenario|its)\b(?=\s*(?:["'({]|do\b))/gm,
    /^[ \t]*(?:test|should|pending|skip)\s*\(?(?=["'][^\n]*(?:\bdo\b|\{))/gm,
    /^[ \t]*def\s+(?<name>test_\w+[?!]?)/gm,
  ],
  indented: true,
  assertion: either(
    String.raw`(?<![\w.])(?:expect|is_expected|assert\w*|refute\w*|flunk)\b`,
    String.raw`\.(?:should|should_not|must_\w+|wont_\w+)\b`,
    snakeAsserter,
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

const php: Language = {
  extensions: ['php', 'phpt'],
  lexis: lexis(SLASHES, LONG_DOUBLE, LONG_SINGLE),
  tests: [
    /^[ \t]*(?:(?:public|final|static)\s+)*function\s+(?<name>test\w*)\s*(?=\()/gm,
    annotated('#\\[Test'),
    /(?<![\w$>:])(?:it|test)\s*(?=\(\s*["'])/gm,
  ],
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

const elixir: Language = {
  extensions: ['ex', 'exs'],
  lexis: lexis(HASH, TEXT_BLOCK, interpolated('"', '#'), SINGLE),
  tests: [/^[ \t]*(?:test|property|feature)\s*\(?(?=")/gm],
  indented: true,
  assertion: new RegExp(String.raw`(?<![\w.:])(?:assert\w*|refute\w*|flunk)\b|${snakeAsserter}`, 'gm'),
  skip: /^[ \t]*@(?:module|describe)?tag\s*\(?\s*(?::skip\b|skip:\s*(?:true|")|\[[^\]]*(?::skip\b|skip:\s*(?:true|")))/gm,
  tautology:
    /^(?:assert (?:\( )?(?:true|1)(?: \))?|assert ([\w.]+|'[^']*') == \1|refute (?:\( )?(?:false|nil)(?: \))?|assert .* (?:\|\||or) true)$/,
  vague: /^assert \w+(?: \. \w+)*$|^refute is_nil \(|^assert .* != nil$/,
  swallow: /^[ \t]*rescue\s*\n\s*_\w*\s*->\s*(?::ok|nil|true)\s*\n/gm,
};

const swift: Language = {
  extensions: ['swift'],
  lexis: WITH_BLOCKS,
  tests: [
    /^[ \t]*(?:(?:public|internal|override|final|@\w+)[ \t]+)*func\s+(?<name>test\w*)\s*(?=\()/gm,
    annotated('@Test'),
    /(?<![\w.])[xf]?it\s*(?=\(")/gm,
  ],
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

/** C and C++ with GoogleTest, Catch2, doctest, Boost.Test, Unity, CMocka and Check. */
const c: Language = {
  extensions: ['c', 'cc', 'cpp', 'cxx', 'h', 'hh', 'hpp', 'm', 'mm'],
  lexis: lexis(SLASHES, 'R"\\([^]*?(?:\\)"|$)', DOUBLE, SINGLE),
  tests: [
    /^[ \t]*(?:TYPED_TEST(?:_P)?|TEST(?:_[FP])?)\s*\((?<name>[^()]*)\)/gm,
    /^[ \t]*(?:TEST_CASE(?:_METHOD|_TEMPLATE|_FIXTURE)?|SCENARIO|SECTION|SUBCASE)\s*(?=\()/gm,
    /^[ \t]*(?:BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE|START_TEST|Test|Ensure)\s*\((?<name>[^()]*)\)/gm,
    /^(?:static\s+)?(?:void|int)\s+(?<name>test_?\w+|\w+_test)\s*(?=\([^;{}]*\)\s*\{)/gm,
  ],
  assertion: either(
    String.raw`\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_(?:CHECK|REQUIRE|TEST)|TEST_ASSERT|CU_ASSERT|ck_assert|cr_assert|STATIC_REQUIRE|WARN)(?:_\w+)?\s*\(`,
    String.raw`(?<![\w.>])assert(?:_\w+)?\s*\(|\bFAIL\s*\(`,
    snakeAsserter,
    camelAsserter,
  ),
  skip: /\bGTEST_SKIP\s*\(|(?<=\()\s*\w+\s*,\s*DISABLED_\w+|\bDISABLED_\w+(?=\s*,)|\bSKIP\s*\(|\bTEST_IGNORE\w*\s*\(|^#if\s+0\b|\[!(?:mayfail|shouldfail)\]|\bdoctest::skip\(|\bboost::unit_test::disabled\(/gm,
  tautology:
    /^(?:(?:EXPECT|ASSERT)_TRUE \( (?:true|1) \)|(?:EXPECT|ASSERT)_FALSE \( (?:false|0) \)|(?:EXPECT|ASSERT)_EQ \( ([\w.]+|'[^']*') , \1 \)|(?:CHECK|REQUIRE|assert|BOOST_CHECK|BOOST_TEST|TEST_ASSERT|TEST_ASSERT_TRUE|SUCCEED) \( (?:true|1)? \))$/,
  vague: /^(?:EXPECT|ASSERT)_(?:NE \( \w+ , nullptr|NO_THROW|NO_FATAL_FAILURE)|^(?:EXPECT|ASSERT)_TRUE \( \w+ \)$/,
  swallow: /\bcatch\s*\([^()]*\)\s*\{\s*\}/gm,
};

/** Bats and shunit2; in a plain script, what can make it fail is its assertions. */
const shell: Language = {
  extensions: ['bats', 'sh', 'bash', 'zsh', 't'],
  lexis: lexis(HASH, LONG_DOUBLE, "'[^']*'?"),
  tests: [/^[ \t]*@test\s+(?=["'])/gm, /^[ \t]*(?:function\s+)?(?<name>test\w+)\s*(?:\(\s*\))\s*(?=\{)/gm],
  assertion:
    /^[ \t]*(?:\[\[?\s|assert\w*\b|refute\w*\b|test\s+[-!"$]|run\s+-\d|fail\b|diff\s|cmp\s|grep\s+-\w*q|check_\w+|expect_\w+)/gm,
  skip: /^[ \t]*(?:skip|startSkipping)\b/gm,
  conditionalSkip: /(?:&&|\|\|)\s*(?:skip|startSkipping)\b/gm,
  tautology:
    /^(?:\[ \[? ?(?:1|true|'1') (?:=|==|- eq) (?:1|true|'1') \]? ?\]|\[ 1 \]|true|test 1|assertTrue (?:0|true|'0'|'true')|assert true)$|\|\| true$/,
  swallow: /^[ \t]*set\s+\+e\b/gm,
};

const BY_EXTENSION: ReadonlyMap<string, Language> = new Map(
  [javascript, python, go, rust, jvm, csharp, ruby, php, elixir, swift, c, shell].flatMap((language) =>
    language.extensions.map((extension) => [extension, language] as const),
  ),
);

/** The language of a path by its extension; undefined for a file that holds no tests. */
export function languageOf(path: string): Language | undefined {
  return BY_EXTENSION.get(path.slice(path.lastIndexOf('.') + 1).toLowerCase());
}
