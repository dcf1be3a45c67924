/** How a language writes comments and strings: enough to tell code from text. */
export interface Lexis {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [open: string, close: string])[];
  /** Longer openers first. */
  readonly strings: readonly StringForm[];
  /** JavaScript: a slash after an operator opens a regular expression. */
  readonly slashRegex?: boolean;
}

export interface StringForm {
  readonly open: string;
  readonly close: string;
  /** A newline inside belongs to the string; else it ends an unclosed one. */
  readonly multiline?: boolean;
  /** No backslash escapes. */
  readonly raw?: boolean;
  /** Opens an interpolated expression that may hold strings of its own, e.g. `${`. */
  readonly interpolation?: string;
}

/** The start of something with a name and a body. The pattern's group `name` is its identifier; without one the first string after it is. */
export interface Head {
  readonly pattern: RegExp;
  /** `call`: the body is among the arguments. `block`: brackets or indentation after the head, as the language has it. */
  readonly shape: 'call' | 'block';
  /** Must match the annotations above the head, e.g. `@Test`. */
  readonly annotation?: RegExp;
  /** A string and a further argument: tells `t.test('x', …)` from `pattern.test('x')`. */
  readonly stringThenMore?: boolean;
}

/** What a language and its usual test frameworks look like. Patterns have the flags `gm` and run over masked code. */
export interface Language {
  readonly name: string;
  readonly extensions: readonly string[];
  readonly lexis: Lexis;
  /** What is a test file by its path; not global. */
  readonly testPath: RegExp;
  /** Tests may live in any file whose code matches this; what is outside of cases there is not test code. */
  readonly inlineTests?: RegExp;
  readonly body: 'brackets' | 'indentation';
  readonly cases: readonly Head[];
  readonly groups: readonly Head[];
  /** Functions that cases may call. */
  readonly helpers: readonly Head[];
  /** A line above a head that belongs to it; over one trimmed line, not global. */
  readonly annotationLine?: RegExp;
  readonly assertion: RegExp;
  readonly skip: RegExp;
  /** A skip whose condition is part of it, e.g. `skipif`. */
  readonly conditionalSkip?: RegExp;
  readonly only?: RegExp;
  /** The array or list that follows holds the rows of a parametrised test; or, for annotations, each match is a row. */
  readonly table?: RegExp;
  readonly row?: RegExp;
  /** Over an assertion's normal form (its tokens with one space between); not global: holds whatever the code does. */
  readonly tautology: RegExp;
  /** Over an assertion's normal form; not global: only says that there is something. */
  readonly vague?: RegExp;
  /** Swallows what an assertion throws: the end of a guarded block with nothing in its handler. */
  readonly swallow?: RegExp;
}
