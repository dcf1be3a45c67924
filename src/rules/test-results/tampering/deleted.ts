import { isTestName } from '../../project-checks/index.ts';
import { type Bag, bagOf, containment, surplus } from './bags.ts';
import type { FileChange, Finding } from './change.ts';
import { languageOf } from './languages.ts';
import type { Pairing } from './pair.ts';
import { mask } from './source.ts';
import type { FilePair, Section } from './test-file.ts';

/** What was removed from the sources along with the tests: a test of removed code may go. */
export interface Subjects {
  /** Names that no source of the change contains any more. */
  readonly names: ReadonlySet<string>;
  /** Stems of deleted source files, lower case. */
  readonly stems: ReadonlySet<string>;
}

export function goneSubjects(changes: readonly FileChange[], tests: readonly FilePair[]): Subjects {
  const testPaths = new Set(tests.map(({ path }) => path));
  const sources = changes.filter(({ path }) => !testPaths.has(path) && languageOf(path) !== undefined);
  const now = new Set(sources.flatMap(({ path, after }) => codeOf(path, after).match(/[\p{L}_$][\w$]*/gu) ?? []));
  const names = sources.flatMap(({ path, before }) => declared(codeOf(path, before))).filter((name) => !now.has(name));
  const stems = sources.filter(({ after }) => after === null).map(({ path }) => stemOf(path));
  const kept = new Set(sources.filter(({ after }) => after !== null).map(({ path }) => stemOf(path)));
  return { names: new Set(names), stems: new Set(stems.filter((stem) => !kept.has(stem))) };
}

function codeOf(path: string, text: string | null): string {
  const language = languageOf(path);
  return text === null || language === undefined ? '' : mask(text, language.lexis).code;
}

/** Functions, types and methods by their keyword, or by the body that follows; other values only unindented. */
const DECLARATION =
  /\b(?:function\*?|class|def|defp|defmodule|fn|func|fun|struct|interface|type|enum|trait|module)\s+(?:self\.)?([\w$]+)|^(?:export\s+)?(?:const|let|var|static|pub const)\s+([\w$]+)|^[ \t]+(?:[\w<>[\]]+\s+)*([\w$]+)\([^;{}]*\)[^;{}=()]*\{|^func\s*\([^()]*\)\s*(\w+)/gm;

/** Shorter names prove nothing: they come and go. */
const SHORTEST_NAME = 3;

function declared(code: string): readonly string[] {
  return [...code.matchAll(DECLARATION)]
    .flatMap(([, ...names]) => names)
    .filter((name) => name !== undefined && name.length >= SHORTEST_NAME);
}

/** `src/user-list.test.ts`, `test_user_list.py` and `UserListTest.java` are all about `userlist`. */
function stemOf(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  return file
    .replace(/^tests?[._-]|[._-](?:tests?|spec|e2e|cy|it)$|(?:Tests?|Spec|IT|TestCase)$/i, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** Tests that are really gone. One finding per file that was removed as a whole. */
export function deletedTests({ gone, added }: Pairing, files: readonly FilePair[], subjects: Subjects): Finding[] {
  const isAbout = ({ words }: Section) => [...words.keys()].some((word) => subjects.names.has(word));
  return files.flatMap((file) => {
    const lost = gone.filter(({ path }) => path === file.path);
    if (lost.length === 0) return [];
    const excuse = excuseFor(file, lost, added, subjects);
    if (file.after === null && lost.length > 1 && lost.length === file.before?.tests.length) {
      const what = `The file with its ${lost.length} tests was deleted and they are nowhere else`;
      return [finding(file.path, 1, what, excuse ?? (lost.every(isAbout) ? ABOUT_GONE : null))];
    }
    return lost.map((test) =>
      isCommentedOut(test, file)
        ? finding(file.path, test.line, `Test “${test.name}” was commented out`, null)
        : finding(
            file.path,
            test.line,
            `Test “${test.name}” was deleted`,
            excuse ?? (isAbout(test) ? ABOUT_GONE : null),
          ),
    );
  });
}

const ABOUT_GONE = 'what it tests is gone too';
const FILE_GONE = 'the file it tests is gone too';

function finding(path: string, line: number, what: string, excuse: string | null): Finding {
  const detail = excuse === null ? `${what}.` : `${what}; ${excuse}.`;
  return { kind: 'test-deleted', path, line, detail, severity: excuse === null ? 'high' : 'low' };
}

/** Why the tests of a file may have been removed for a good reason. */
function excuseFor(
  { path }: FilePair,
  lost: readonly Section[],
  added: readonly Section[],
  { stems }: Subjects,
): string | null {
  const stem = stemOf(path);
  if (stems.has(stem)) return FILE_GONE;
  const inPlace = added.filter((test) => stemOf(test.path) === stem);
  const weight = (tests: readonly Section[]) => tests.reduce((sum, { assertions }) => sum + assertions.length, 0);
  return inPlace.length >= lost.length && weight(inPlace) >= weight(lost) ? 'new tests replace it' : null;
}

/** Its first assertion is now in a comment, and was not before. */
function isCommentedOut({ assertions }: Section, { before, after }: FilePair): boolean {
  const essence = (text: string) => text.replace(/[\s*#/;,]+/g, '').replace(/["`]/g, "'");
  const sign = essence(assertions[0]?.tokens.join('') ?? '');
  if (after === null || sign.length <= 8) return false;
  return essence(after.source.comments).includes(sign) && !essence(before?.source.comments ?? '').includes(sign);
}

/** Parametrised tests with fewer rows than before. */
export function removedRows({ pairs, added }: Pairing): Finding[] {
  return pairs.flatMap(({ before, after }): Finding[] => {
    const lost = before.rows - after.rows;
    if (lost <= 0 || before.normal === after.normal) return [];
    const gone = [...surplus(before.words, after.words).keys()];
    // The rows may have become separate tests.
    if (added.some(({ words }) => containment(gone, words) >= 0.5)) return [];
    const rewritten = surplus(after.words, before.words).size > 2;
    const detail = `${lost} of ${before.rows} rows of “${after.name}” were removed${rewritten ? ', others rewritten' : ''}.`;
    const severity = rewritten ? 'low' : 'high';
    return [{ kind: 'test-deleted', path: after.path, line: after.line, detail, severity }];
  });
}

/** Share of a file's words that must be in another file for it to count as moved. */
const MOVED = 0.9;

/**
 * Test files that were removed as a whole and in which no test was found: identified by their names.
 * @param reported paths with findings of their own
 */
export function deletedFiles(
  changes: readonly FileChange[],
  subjects: Subjects,
  reported: ReadonlySet<string>,
): Finding[] {
  const tests = changes.filter(({ path }) => isTest(path));
  return tests.flatMap(({ path, before, after }) => {
    if (before === null || before.trim() === '' || after !== null || reported.has(path)) return [];
    const words = [...wordsOf(before).keys()];
    if (tests.some((other) => other.path !== path && containment(words, wordsOf(other.after)) >= MOVED)) return [];
    return [finding(path, 1, 'The test file was deleted', subjects.stems.has(stemOf(path)) ? FILE_GONE : null)];
  });
}

/** Whether it is a test by its name, not a snapshot. */
function isTest(path: string): boolean {
  return isTestName(path) && !/\.(?:snap|md|txt|json|ya?ml|xml|html?|csv|lock)$/i.test(path);
}

function wordsOf(text: string | null): Bag {
  return bagOf((text ?? '').match(/[\p{L}\p{N}_$]+/gu) ?? []);
}
