import type { FileChange } from '../api.ts';
import { languageOf } from '../languages/languages.ts';
import { outline } from '../outline/outline.ts';
import { mask } from '../source/mask.ts';
import type { FilePair } from './pair.ts';

/** What left the sources together with the tests: a test of what is gone may go. */
export interface Subjects {
  /** Names that no source of the change has any more. */
  readonly names: ReadonlySet<string>;
  /** Stems of deleted source files, lower case. */
  readonly stems: ReadonlySet<string>;
}

/** The test files of a change. */
export function testPairs(changes: readonly FileChange[]): readonly FilePair[] {
  return changes.flatMap(({ path, before, after }) => {
    const pair = {
      path,
      before: before === null ? null : outline(path, before),
      after: after === null ? null : outline(path, after),
    };
    return pair.before === null && pair.after === null ? [] : [pair];
  });
}

/** `src/user-list.test.ts`, `test_user_list.py` and `UserListTest.java` are all about `userlist`. */
export function stemOf(path: string): string {
  const file = path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]+$/, '');
  return file
    .replace(/^tests?[._-]|[._-](?:tests?|spec|e2e|cy|it)$|(?:Tests?|Spec|IT|TestCase)$/i, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
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

/** Functions, types and methods by their keyword, or by the body that follows; other values only at the margin. */
const declaration =
  /\b(?:function\*?|class|def|defp|defmodule|fn|func|fun|struct|interface|type|enum|trait|module)\s+(?:self\.)?(?<a>[\w$]+)|^(?:export\s+)?(?:const|let|var|static|pub const)\s+(?<b>[\w$]+)|^[ \t]+(?:[\w<>[\]]+\s+)*(?<c>[\w$]+)\([^;{}]*\)[^;{}=()]*\{|^func\s*\([^()]*\)\s*(?<d>\w+)/gm;

/** Short names say nothing: they come and go. */
const shortest = 3;

function declared(code: string): readonly string[] {
  return [...code.matchAll(declaration)]
    .flatMap(({ groups }) => Object.values(groups ?? {}))
    .filter((name) => name !== undefined && name.length >= shortest);
}
