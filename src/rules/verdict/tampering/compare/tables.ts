import type { TamperFinding } from '../api.ts';
import { containment, surplus } from '../source/tokens.ts';
import type { Pairing } from './pair.ts';

/** Parametrised tests with fewer rows than before. */
export function removedRows({ pairs, added }: Pairing): TamperFinding[] {
  return pairs.flatMap(({ before: { section: before }, after: { file, section: after } }): TamperFinding[] => {
    const lost = before.rows - after.rows;
    if (lost <= 0 || before.normal === after.normal) return [];
    const gone = [...surplus(before.words, after.words).keys()];
    // The rows may have become tests of their own.
    if (added.some(({ section }) => containment(gone, section.words) >= 0.5)) return [];
    const rewritten = surplus(after.words, before.words).size > 2;
    const detail = `${lost} of ${before.rows} rows of “${after.unit.name}” were removed${rewritten ? ', others rewritten' : ''}.`;
    const severity = rewritten ? 'low' : 'high';
    return [{ kind: 'test-deleted', path: file.path, line: after.line, detail, severity }];
  });
}
