import { isTestFile } from '../test-files.ts';

/** A path that differs between the story's base and its work now. */
export interface Change {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted' | 'type-changed';
}

/** What a story changed, as a proof sees it. */
export interface ProofFiles {
  /** Tests that were added or changed; where none was, the helpers, fixtures and snapshots that were. */
  readonly tests: readonly string[];
  /** Those of the tests that the base does not have. */
  readonly added: readonly string[];
  /** What is laid over the base: the tests, and everything beside them. */
  readonly laid: readonly string[];
  /** The same that are gone: a renamed test is gone under its old name. */
  readonly gone: readonly string[];
  /** Everything else but documents. */
  readonly code: readonly string[];
}

/** Sorts what changed since the story's base. */
export function proofFiles(changes: readonly Change[]): ProofFiles {
  const beside = changes.filter(({ path }) => isTestFile(path));
  const there = beside.filter(({ status }) => status !== 'deleted');
  const laid = there.map(({ path }) => path);
  const shown = laid.filter((path) => !isDocument(path));
  const own = shown.filter((path) => !isMaterial(path));
  const tests = own.length > 0 ? own : shown;
  return {
    tests,
    added: there.filter(({ path, status }) => status === 'added' && tests.includes(path)).map(({ path }) => path),
    laid,
    gone: beside.filter(({ status }) => status === 'deleted').map(({ path }) => path),
    code: changes.map(({ path }) => path).filter((path) => !isTestFile(path) && !isDocument(path)),
  };
}

/** Beside the tests, for them to use: it runs nothing by itself. */
function isMaterial(path: string): boolean {
  return (
    /(?:^|\/)(?:__?)?(?:fixtures?|snapshots?|mocks?|testdata|test-data|test_data|helpers?|support|golden|data|resources)(?:__?)?\//i.test(
      path,
    ) ||
    /(?:^|\/)(?:conftest\.py|__init__\.py|(?:test|spec|rails)?[._-]?(?:helpers?|setup|utils?)\.\w+)$/i.test(path) ||
    /\.(?:snap|json|ya?ml|toml|xml|csv|tsv|html?|css|sql|env|ini|lock|bin|zip|gz)$/i.test(path)
  );
}

/** Nothing a test could fail for. */
function isDocument(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return (
    /\.(?:md|markdown|mdx|txt|rst|adoc|png|jpe?g|gif|svg|webp|ico|pdf)$/i.test(file) ||
    /^(?:LICEN[CS]E|NOTICE|AUTHORS|CHANGELOG)$/i.test(file)
  );
}

/** Whether a file of code holds tests of its own: they cannot be tried without it. */
export function hasInlineTests(path: string, text: string): boolean {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(INLINE, extension) && INLINE[extension]?.test(text) === true;
}

const VITEST = /\bimport\.meta\.vitest\b/;
/** At the beginning of its line: `\s` would go on through the empty lines below, again from each of them. */
const INLINE: Readonly<Record<string, RegExp>> = {
  rs: /#\[(?:\w+::)*test\b|#\[cfg\(test\)\]|^[^\S\r\n\u2028\u2029]*\/\/[/!] ```/m,
  py: /^[^\S\r\n\u2028\u2029]*>>> /m,
  ex: /^[^\S\r\n\u2028\u2029]*iex> /m,
  zig: /^[^\S\r\n\u2028\u2029]*test\s+(?:"|\w+\s*\{|\{)/m,
  d: /^[^\S\r\n\u2028\u2029]*(?:@\w+\s+)*unittest\b/m,
  ts: VITEST,
  tsx: VITEST,
  js: VITEST,
  jsx: VITEST,
};
