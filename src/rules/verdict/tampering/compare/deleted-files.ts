import type { FileChange, TamperFinding } from '../api.ts';
import { type Bag, bagOf, containment } from '../source/tokens.ts';
import { type Subjects, stemOf } from './context.ts';

/** Share of its words that must stand in another file for a file to have moved there. */
const MOVED = 0.9;

/**
 * Test files that are gone as a whole and that no case says anything about: a test is one whatever its functions are
 * called. Only by a name that says so, since folders of tests hold helpers and data, too.
 * @param told paths that are named already
 */
export function deletedFiles(
  changes: readonly FileChange[],
  subjects: Subjects,
  told: ReadonlySet<string>,
): TamperFinding[] {
  return changes.flatMap(({ path, before, after }) => {
    if (before === null || before.trim() === '' || after !== null || told.has(path) || !isTestName(path)) return [];
    const words = [...wordsOf(before).keys()];
    const isMoved = changes.some((other) => gained(other, path) && containment(words, wordsOf(other.after)) >= MOVED);
    if (isMoved) return [];
    const isExcused = subjects.stems.has(stemOf(path));
    return [
      {
        kind: 'test-deleted',
        path,
        line: 1,
        detail: `The test file was deleted${isExcused ? '; the file it tests is gone too' : ''}.`,
        severity: isExcused ? 'low' : 'high',
      },
    ];
  });
}

/** Whether a file may have taken in what stood in another: a test, new or changed. */
function gained({ path, before, after }: FileChange, from: string): boolean {
  return path !== from && after !== null && after !== before && isTestName(path);
}

/** `cart.test.js`, `test_cart.py`, `CartTest.java`, `cart_spec.rb`, `cart.bats`; not their snapshots. */
function isTestName(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  if (/\.(?:snap|md|txt|json|ya?ml|xml|html?|csv|lock)$/i.test(file)) return false;
  return (
    /[._-](?:test|tests|spec|specs|e2e|cy)\.\w+$/i.test(file) ||
    /^tests?[._-]?\w*\.\w+$/i.test(file) ||
    /(?:Test|Tests|Spec|IT|TestCase)\.\w+$/.test(file) ||
    /\.(?:t|bats)$/.test(file)
  );
}

function wordsOf(text: string | null): Bag {
  return bagOf((text ?? '').match(/[\p{L}\p{N}_$]+/gu) ?? []);
}
