import type { TamperFinding } from './change.ts';
import type { FilePair, Pairing } from './pair.ts';
import type { Mark, Section, TestFile } from './test-file.ts';

/** New marks that keep tests from running. */
export function newMarks(files: readonly FilePair[], { pairs }: Pairing): TamperFinding[] {
  const origin = new Map(pairs.map(({ before, after }) => [after.test, before.test]));
  const keyOf = ({ kind }: Mark, test: Section | undefined) => `${kind}\n${test?.name ?? ''}`;
  const left = new Map<string, number>();
  for (const mark of files.flatMap(({ before }) => before?.marks ?? [])) {
    const key = keyOf(mark, mark.test);
    left.set(key, (left.get(key) ?? 0) + 1);
  }
  return files.flatMap(({ path, before, after }) =>
    (after?.marks ?? []).flatMap((mark) => {
      const old = mark.test && origin.get(mark.test);
      const key = keyOf(mark, old ?? mark.test);
      const count = left.get(key) ?? 0;
      left.set(key, count - 1);
      const isNew = before === null || (mark.test !== undefined && old === undefined);
      return count > 0 ? [] : judge(path, mark, isNew);
    }),
  );
}

/** @param isNew the test has no earlier version that ran */
function judge(path: string, { kind, test, text, line, conditional }: Mark, isNew: boolean): TamperFinding[] {
  const written = `\`${text.replace(/\s+/g, ' ').slice(0, 60)}\``;
  const name = test === undefined ? '' : ` “${test.name}”`;
  if (kind === 'only') {
    const detail = `${written} selects the test${name}: others of the file no longer run.`;
    return [{ kind: 'test-only-selected', path, line, detail, severity: 'high' }];
  }
  // A new test that only runs where it can is still a new test.
  if (isNew && conditional) return [];
  const why = conditional ? ' under a condition' : isNew ? ', which is new' : '';
  const how = kind === 'return' ? 'returns before its assertions' : `is skipped by ${written}`;
  const detail = `${test === undefined ? 'The file' : `Test${name}`} ${how}${why}.`;
  return [{ kind: 'test-skipped', path, line, detail, severity: why === '' ? 'high' : 'low' }];
}

/** Tests that newly catch what their assertions throw. */
export function swallowedFailures({ pairs }: Pairing): TamperFinding[] {
  return pairs.flatMap(({ before, after }): TamperFinding[] => {
    const { test, file } = after;
    if (before.test.normal === test.normal || test.assertions.length === 0) return [];
    if (swallows(file.after, test) <= swallows(before.file.before, before.test)) return [];
    const detail = `Test “${test.name}” swallows a failure: a handler that does nothing is new in it.`;
    return [{ kind: 'assertion-weakened', path: file.path, line: test.line, detail, severity: 'low' }];
  });
}

function swallows(file: TestFile | null, { start, end }: Section): number {
  if (file?.language.swallow === undefined) return 0;
  return [...file.source.code.slice(start, end).matchAll(file.language.swallow)].length;
}
