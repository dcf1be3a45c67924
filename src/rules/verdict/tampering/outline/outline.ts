import type { Language } from '../languages/language.ts';
import { languageOf } from '../languages/languages.ts';
import { endOfStatement, pairBrackets } from '../source/brackets.ts';
import { type Masked, mask } from '../source/mask.ts';
import { type Bag, bagOf, tellingTokens, tokensOf } from '../source/tokens.ts';
import { findMarks, type Mark } from './marks.ts';
import { countRows } from './rows.ts';
import { findUnits, unitAt } from './tree.ts';
import type { Unit } from './unit.ts';

export interface Assertion {
  /** Tokens joined by one space: the same for every layout. */
  readonly normal: string;
  readonly tokens: readonly string[];
  readonly start: number;
  readonly line: number;
}

/** A unit with what counts about it; what belongs to a unit inside it is counted there. */
export interface Section {
  readonly unit: Unit;
  readonly line: number;
  /** The innermost group, or ''. */
  readonly group: string;
  readonly assertions: readonly Assertion[];
  /** Words, numbers and strings of its text. */
  readonly words: Bag;
  readonly normal: string;
  /** Rows of its tables, when it is parametrised. */
  readonly rows: number;
}

/** What a test file says, without its layout. */
export interface TestFile {
  readonly path: string;
  readonly language: Language;
  readonly source: Masked;
  readonly cases: readonly Section[];
  readonly helpers: readonly Section[];
  /** The file itself: what stands outside of cases and helpers. */
  readonly loose: Section;
  readonly marks: readonly Mark[];
  /** Words, numbers and strings of the whole file. */
  readonly words: Bag;
}

/** null when this is no test file. */
export function outline(path: string, text: string): TestFile | null {
  const language = languageOf(path);
  if (language === undefined) return null;
  const isTestPath = language.testPath.test(path);
  if (!isTestPath && language.inlineTests?.test(text) !== true) return null;

  const source = mask(text, language.lexis);
  const partners = pairBrackets(source.code);
  const units = findUnits(language, source, partners);
  const assertions = assertionsByOwner(language, source, partners, units);
  const section = (unit: Unit): Section => {
    const tokens = tokensOf(source, unit.head, unit.end);
    return {
      unit,
      line: source.lineAt(unit.head),
      group: unit.parent?.fullName ?? '',
      assertions: assertions.get(unit) ?? [],
      words: unit.kind === 'file' ? new Map() : bagOf(tellingTokens(tokens)),
      normal: unit.kind === 'file' ? '' : tokens.join(' '),
      rows: unit.kind === 'file' ? 0 : countRows(language, source, partners, unit),
    };
  };
  const [file, ...inner] = units as [Unit, ...Unit[]];
  const loose = section(file);
  return {
    path,
    language,
    source,
    cases: inner.filter(({ kind }) => kind === 'case').map(section),
    helpers: inner.filter(({ kind }) => kind === 'helper').map(section),
    // Production code beside inline tests may assert what it likes.
    loose: isTestPath ? loose : { ...loose, assertions: [] },
    marks: findMarks(language, source, units),
    words: bagOf(tellingTokens(tokensOf(source, 0, text.length))),
  };
}

/** Characters that say which assertion it is; more only cost time. */
const longestAssertion = 1_000;

function assertionsByOwner(
  language: Language,
  source: Masked,
  partners: ReadonlyMap<number, number>,
  units: readonly Unit[],
): ReadonlyMap<Unit, readonly Assertion[]> {
  const owned = new Map<Unit, Assertion[]>();
  for (const match of source.code.matchAll(language.assertion)) {
    const start = match.index + match[0].search(/\S|$/);
    let owner = unitAt(units, start);
    if (isHeadOf(owner, source.code, start)) continue;
    // Hooks of a group assert for the file.
    while (owner.kind === 'group' && owner.parent !== null) owner = owner.parent;
    const end = endOfStatement(source.code, partners, start);
    const tokens = withoutReceiver(tokensOf(source, start, Math.min(end, start + longestAssertion)));
    const assertion = { normal: tokens.join(' '), tokens, start, line: source.lineAt(start) };
    const list = owned.get(owner);
    if (list === undefined) owned.set(owner, [assertion]);
    else list.push(assertion);
  }
  return owned;
}

/** A test that moves one level down calls its context `st` instead of `t`. */
function withoutReceiver(tokens: readonly string[]): readonly string[] {
  const [first = '', next] = tokens;
  return next === '.' && /^(?:[st]{1,3}\d?t?|t\d)$/.test(first) ? ['t', ...tokens.slice(1)] : tokens;
}

/** `function assertSame(` names an assertion and makes none. */
function isHeadOf(unit: Unit, code: string, at: number): boolean {
  return (
    (unit.kind === 'helper' || unit.kind === 'case') && at > unit.head && !/[({=\n]/.test(code.slice(unit.head, at))
  );
}
