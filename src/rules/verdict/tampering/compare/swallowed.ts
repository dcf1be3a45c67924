import type { TamperFinding } from '../api.ts';
import type { TestFile } from '../outline/outline.ts';
import type { Unit } from '../outline/unit.ts';
import type { Pairing } from './pair.ts';

/** Tests that catch what their assertions throw, and did not before. */
export function swallowedFailures({ pairs }: Pairing): TamperFinding[] {
  return pairs.flatMap(({ before, after }): TamperFinding[] => {
    if (before.section.normal === after.section.normal || after.section.assertions.length === 0) return [];
    const count = (file: TestFile | null, unit: Unit) =>
      file?.language.swallow === undefined
        ? 0
        : [...file.source.code.slice(unit.head, unit.end).matchAll(file.language.swallow)].length;
    const { unit, line } = after.section;
    if (count(after.file.after, unit) <= count(before.file.before, before.section.unit)) return [];
    const detail = `Test “${unit.name}” swallows a failure: a handler that does nothing is new in it.`;
    return [{ kind: 'assertion-weakened', path: after.file.path, line, detail, severity: 'low' }];
  });
}
