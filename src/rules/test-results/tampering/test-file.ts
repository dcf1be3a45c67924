import { isTestFile } from '../../project-checks/index.ts';
import { type Bag, bagOf } from './bags.ts';
import { startOf } from './change.ts';
import { type Language, languageOf } from './languages.ts';
import {
  closingOf,
  endOfIndentation,
  endOfStatement,
  indentationAt,
  type Masked,
  mask,
  startOfLine,
  tellingTokens,
  tokensOf,
} from './source.ts';

/** One test file of a change, before and after. */
export interface FilePair {
  readonly path: string;
  readonly before: TestFile | null;
  readonly after: TestFile | null;
}

/** The content of a test file, without its layout. */
interface TestFile {
  readonly source: Masked;
  readonly tests: readonly Section[];
  /** The file itself: the code outside tests. */
  readonly loose: Section;
  /** Functions outside tests that tests may call, with the number of assertions in each. */
  readonly helpers: ReadonlyMap<string, number>;
  readonly marks: readonly Mark[];
  readonly words: Bag;
}

/** A test, or the code outside all tests; code of a nested test counts for the nested test. */
export interface Section {
  readonly path: string;
  readonly language: Language;
  /** Empty outside tests. */
  readonly name: string;
  readonly line: number;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly assertions: readonly Assertion[];
  /** Words, numbers and strings of a test. */
  readonly words: Bag;
  /** Its tokens joined by one space: the same for every layout. */
  readonly normal: string;
  /** Rows of its tables, when it is parametrised. */
  readonly rows: number;
  /** Handlers that drop what its assertions throw. */
  readonly swallows: number;
}

export interface Assertion {
  readonly normal: string;
  readonly tokens: readonly string[];
  readonly start: number;
  readonly line: number;
}

/** A mark that keeps tests from running. */
export interface Mark {
  readonly kind: 'skip' | 'only' | 'return';
  /** The test it is in, or the next one. */
  readonly test: Section | undefined;
  /** As written. */
  readonly text: string;
  readonly line: number;
  /** Only in some cases: on a platform, without a tool … */
  readonly conditional: boolean;
}

/** null when this is not a test file. */
export function readTestFile(path: string, text: string): TestFile | null {
  const language = languageOf(path);
  if (language === undefined) return null;
  const isTest = isTestFile(path);
  if (!isTest && !language.inline) return null;
  const source = mask(text, language.lexis);
  const ranges = testsIn(language, source);
  if (!isTest && ranges.length === 0) return null;

  const own = new Map<Range | undefined, Assertion[]>();
  for (const assertion of assertionsIn(language, source)) {
    const range = innermost(ranges, assertion.start);
    own.set(range, [...(own.get(range) ?? []), assertion]);
  }
  const tests = ranges.map((range): Section => {
    const tokens = tokensOf(source, range.start, range.end);
    const code = source.code.slice(range.start, range.end);
    return {
      path,
      language,
      ...range,
      line: source.lineAt(range.start),
      assertions: own.get(range) ?? [],
      words: bagOf(tellingTokens(tokens)),
      normal: tokens.join(' '),
      rows: rowsIn(language, code),
      swallows: countIn(code, language.swallow),
    };
  });
  const loose: Section = {
    ...{ path, language, name: '', line: 1, start: 0, end: text.length, words: new Map(), normal: '' },
    // Production code beside inline tests may assert freely.
    assertions: isTest ? (own.get(undefined) ?? []) : [],
    rows: 0,
    swallows: 0,
  };
  return {
    source,
    tests,
    loose,
    helpers: helpersIn(language, source, loose.assertions),
    marks: marksIn(language, source, tests),
    words: bagOf(tellingTokens(tokensOf(source, 0, text.length))),
  };
}

type Range = Pick<Section, 'name' | 'start' | 'end'>;

const countIn = (code: string, pattern?: RegExp) => (pattern === undefined ? 0 : [...code.matchAll(pattern)].length);

function testsIn({ tests, indented }: Language, source: Masked): readonly Range[] {
  const { code } = source;
  const found = new Map<number, Range>();
  for (const match of tests.flatMap((pattern) => [...code.matchAll(pattern)])) {
    const start = startOf(match);
    const after = match.index + match[0].length;
    const end = indented ? endOfIndentation(code, start) : endOfStatement(code, after);
    const name = (match.groups?.['name'] ?? nameAt(source, after, end)).replace(/^[`"]|[`"]$/g, '').trim();
    found.set(after, { name, start, end });
  }
  return [...found.values()].sort((a, b) => a.start - b.start || b.end - a.end);
}

/** The first string among the arguments; `it.each(rows)('name')` has the rows before them. */
function nameAt({ text, code }: Masked, after: number, end: number): string {
  const close = code[after] === '(' ? closingOf(code, after) : code[after] === '`' ? code.indexOf('`', after + 1) : -1;
  const from = code[close + 1] === '(' ? close + 1 : after;
  const first = /[^;{}"'`]{0,80}?(["'`])[\u00b7\n]*\1/y;
  first.lastIndex = from;
  const [found, quote = ''] = first.exec(code.slice(0, end)) ?? [];
  if (found === undefined) return text.slice(from, end).replace(/\s+/g, ' ').replace(/^\(/, '').slice(0, 60);
  return text.slice(code.indexOf(quote, from) + 1, from + found.length - 1);
}

function innermost<T extends Range>(ranges: readonly T[], at: number): T | undefined {
  return ranges.findLast(({ start, end }) => start <= at && at < end);
}

/** Characters that identify an assertion; more only cost time. */
const LONGEST_ASSERTION = 1_000;
/** `function assertSame(` defines an assertion and calls none. */
const DECLARES = /\b(?:function\*?|defp?|func|fun|fn|void|int|bool|static)\s+(?:self\.)?$/;

function assertionsIn({ assertion }: Language, source: Masked): readonly Assertion[] {
  return [...source.code.matchAll(assertion)].flatMap((match) => {
    const start = startOf(match);
    if (DECLARES.test(source.code.slice(startOfLine(source.code, start), start))) return [];
    const end = Math.min(endOfStatement(source.code, start), start + LONGEST_ASSERTION);
    const tokens = withoutReceiver(tokensOf(source, start, end));
    return [{ normal: tokens.join(' '), tokens, start, line: source.lineAt(start) }];
  });
}

/** A test that moves one level down calls its context `st` instead of `t`. */
function withoutReceiver(tokens: readonly string[]): readonly string[] {
  const [first = '', next] = tokens;
  return next === '.' && /^(?:[st]{1,3}\d?t?|t\d)$/.test(first) ? ['t', ...tokens.slice(1)] : tokens;
}

const FUNCTION =
  /\b(?:function\*?|defp?|func|fun|fn|void|int|bool)\s+(?:\([^()]*\)\s*)?(?:self\.)?(?<a>[\w$]+[?!]?)|\b(?:const|let|var)\s+(?<b>[\w$]+)\s*=\s*(?:async\s+)?(?:function\b|(?:\([^()]*\)|[\w$]+)(?:\s*:[^=\n]+)?\s*=>)|^[ \t]*(?<c>\w+)\s*\(\s*\)\s*(?=\{)/gm;

function helpersIn({ indented }: Language, { code }: Masked, loose: readonly Assertion[]): TestFile['helpers'] {
  return new Map(
    [...code.matchAll(FUNCTION)].map((match) => {
      const after = match.index + match[0].length;
      const end = indented ? endOfIndentation(code, match.index) : endOfStatement(code, after);
      const { a, b, c } = match.groups ?? {};
      return [a ?? b ?? c ?? '', loose.filter(({ start }) => start >= match.index && start < end).length];
    }),
  );
}

/** Number of rows in the tables of a parametrised test; 0 when it has none. */
function rowsIn({ table, row }: Language, code: string): number {
  const tables = table === undefined ? [] : [...code.matchAll(table)];
  return tables.reduce((sum, match) => sum + elementsAt(code, match.index + match[0].length), countIn(code, row));
}

/** Elements of the list at an offset. Go writes the fields of a row before the rows: `[]struct{…}{…}`. */
function elementsAt(code: string, first: number): number {
  const fields = closingOf(code, first);
  const next = fields + 1 + code.slice(fields + 1, fields + 40).search(/\S/);
  const open = code[first] === '{' && code[next] === '{' ? next : first;
  const close = closingOf(code, open);
  let elements = 0;
  let pending = false;
  for (let at = open + 1; at < close; at += 1) {
    const character = code[at] ?? '';
    if (character === ',') {
      if (pending) elements += 1;
      pending = false;
    } else if (character.trim() !== '') {
      pending = true;
      if ('([{'.includes(character)) at = closingOf(code, at);
    }
  }
  return pending ? elements + 1 : elements;
}

/** A `return` without a value, alone on its line; also one under a condition that always holds. */
const BARE_RETURN =
  /^[ \t]*(?:return(?:[ \t]+(?:undefined|null|nil|None))?|if[ \t]*\(?(?:true|True|1)\)?[ \t]*:?[ \t]*\{?[ \t]*return)[ \t]*;?[ \t]*\}?[ \t]*$/gm;

function marksIn(language: Language, source: Masked, tests: readonly Section[]): readonly Mark[] {
  const of = (kind: Mark['kind'], pattern?: RegExp) =>
    pattern === undefined ? [] : marksOf(kind, pattern, source, tests);
  const conditional = of('skip', language.conditionalSkip).map((mark) => ({ ...mark, conditional: true }));
  const lines = new Set(conditional.map(({ line }) => line));
  return [
    ...conditional,
    ...of('skip', language.skip).filter(({ line }) => !lines.has(line)),
    ...of('only', language.only),
    ...of('return', BARE_RETURN).filter(
      (mark) => !mark.conditional && mark.test?.assertions.some(({ line }) => line > mark.line),
    ),
  ];
}

function marksOf(
  kind: Mark['kind'],
  pattern: RegExp,
  { code, text, lineAt }: Masked,
  tests: readonly Section[],
): readonly Mark[] {
  return [...code.matchAll(pattern)].flatMap((match) => {
    const at = startOf(match);
    const next = tests.find(({ start }) => start > at);
    const inner = innermost(tests, at);
    // An annotation inside a test applies to the next test in it.
    const around = /^[@#[]/.test(code.slice(at)) && next && inner && next.start < inner.end ? undefined : inner;
    if (kind === 'return' && around === undefined) return [];
    // Options of a call inside the body are not the test's own.
    if (match[0].startsWith('{') && around !== undefined && code.slice(around.start, at).includes('{')) return [];
    const written = text.slice(at, match.index + match[0].length).trim();
    const conditional = isConditional(code, at, around);
    return [{ kind, test: around ?? next, text: written, line: lineAt(at), conditional }];
  });
}

const CONDITION = /\b(?:if|unless|elif|else|when|case|catch|except|rescue)\b|\?|&&|\|\|/;

/** After a condition on the same line, or in a test but indented deeper than the statements of its body. */
function isConditional(code: string, at: number, test: Section | undefined): boolean {
  const line = startOfLine(code, at);
  if (CONDITION.test(code.slice(Math.max(line, test?.start ?? 0), at))) return true;
  return test !== undefined && line > test.start && indentationAt(code, at) > marginOf(code, test);
}

/** Indentation of the statements in a test's body. */
function marginOf(code: string, { start, end }: Section): number {
  const head = indentationAt(code, start);
  let least = Number.POSITIVE_INFINITY;
  for (let at = code.indexOf('\n', start) + 1; at > 0 && at < end; at = code.indexOf('\n', at) + 1) {
    const own = indentationAt(code, at);
    if (own > head && code.slice(at, at + own + 1).trim() !== '') least = Math.min(least, own);
  }
  return least;
}
