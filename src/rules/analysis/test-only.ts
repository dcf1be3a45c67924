import { isTestFile } from '../test-files.ts';
import type { StatusBlock } from './status-block.ts';
import type { Weighed } from './weigh.ts';

interface Known {
  readonly changedFiles: readonly string[];
  readonly ranTests: boolean;
  /** The status block says that the work goes on. */
  readonly goesOn: boolean;
}

/**
 * Whether an iteration that is not done did nothing but run or write tests, with nothing left besides: three of these
 * end the work. What the agent calls its work does not beat the files it changed, and failing tests are work.
 */
export function isTestOnly(
  block: StatusBlock | null,
  words: Pick<Weighed, 'tested' | 'failing' | 'open'>,
  { changedFiles, ranTests, goesOn }: Known,
): boolean {
  if (block?.testsStatus === 'FAILING' || words.failing) return false;
  const saysTesting = block?.workType === 'TESTING';
  // Tests for twenty modules are twenty iterations of work.
  if (changedFiles.length > 0) {
    return !goesOn && !words.open && areTests(changedFiles) && (saysTesting || ranTests || words.tested);
  }
  return saysTesting || (ranTests && words.tested && !words.open);
}

/** Test files, and what lies beside them for them to read. */
function areTests(paths: readonly string[]): boolean {
  const isTest = (path: string): boolean => isTestFile(path) && !DOCUMENT.test(path);
  return paths.some(isTest) && paths.every((path) => isTest(path) || MATERIAL.test(path));
}

const DOCUMENT = /\.(?:md|mdx|rst|adoc)$/i;
const MATERIAL =
  /(?:^|\/)(?:__snapshots__|snapshots|test-?_?data|__fixtures__|fixtures|__mocks__|golden)\/|\.snap$|\.golden$/i;
