import type { TamperFinding } from '../api.ts';
import type { Mark } from '../outline/marks.ts';
import type { TestFile } from '../outline/outline.ts';
import { isInside } from '../outline/tree.ts';
import type { Unit } from '../outline/unit.ts';
import { bagOf } from '../source/tokens.ts';
import type { FilePair, Pairing } from './pair.ts';

/** Marks that keep tests from running and were not there before. */
export function newMarks(files: readonly FilePair[], { pairs }: Pairing): TamperFinding[] {
  const origin = new Map(pairs.map(({ before, after }) => [after.section.unit, before.section.unit]));
  const known = bagOf(files.flatMap(({ before }) => (before?.marks ?? []).map(({ kind, unit }) => keyOf(kind, unit))));
  const left = new Map(known);
  return files.flatMap(({ path, before, after }) =>
    (after?.marks ?? []).flatMap((mark) => {
      const key = keyOf(mark.kind, origin.get(mark.unit) ?? mark.unit);
      const count = left.get(key) ?? 0;
      if (count > 0) {
        left.set(key, count - 1);
        return [];
      }
      return judge(path, mark, { before, after, isNew: mark.unit.kind === 'case' && !origin.has(mark.unit) });
    }),
  );
}

const keyOf = (kind: Mark['kind'], unit: Unit) => `${kind}\n${unit.fullName}`;

interface Around {
  readonly before: TestFile | null;
  readonly after: TestFile | null;
  /** The case itself is new. */
  readonly isNew: boolean;
}

function judge(path: string, mark: Mark, { before, after, isNew }: Around): TamperFinding[] {
  const { unit, line, text } = mark;
  const what = nameOf(unit);
  if (mark.kind === 'only') {
    const detail = `\`${oneLine(text)}\` selects ${what}: the other tests of the file no longer run.`;
    return [{ kind: 'test-only-selected', path, line, detail, severity: 'high' }];
  }
  const takesNothing = isNew || before === null || (unit.kind === 'group' && !holdsOldCase(unit, before, after));
  // A new test that only runs where it can is a new test.
  if (takesNothing && mark.conditional) return [];
  const why = mark.conditional ? ' under a condition' : takesNothing ? ', which is new' : '';
  const how = mark.kind === 'return' ? 'returns before its assertions' : `is skipped by \`${oneLine(text)}\``;
  const detail = `${what.charAt(0).toUpperCase()}${what.slice(1)} ${how}${why}.`;
  return [{ kind: 'test-skipped', path, line, detail, severity: why === '' ? 'high' : 'low' }];
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 60);

function nameOf(unit: Unit): string {
  if (unit.kind === 'file') return 'the file';
  return `${unit.kind === 'group' ? 'group' : unit.kind === 'helper' ? 'function' : 'test'} “${unit.name}”`;
}

/** Whether a group holds a case that ran before. */
function holdsOldCase(group: Unit, before: TestFile, after: TestFile | null): boolean {
  const names = new Set(before.cases.map(({ unit }) => unit.name));
  return (after?.cases ?? []).some(({ unit }) => isWithin(unit, group) && names.has(unit.name));
}

const isWithin = (unit: Unit, group: Unit) =>
  isInside('group', unit) && unit.start >= group.start && unit.end <= group.end;
