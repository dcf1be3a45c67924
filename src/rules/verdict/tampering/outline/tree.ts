import type { Language } from '../languages/language.ts';
import type { Masked } from '../source/mask.ts';
import { type Found, findHeads } from './heads.ts';
import type { Unit } from './unit.ts';

interface Kinded extends Found {
  readonly kind: Unit['kind'];
}

/** Units of a file in order of their heads; the first is the file itself. */
export function findUnits(language: Language, source: Masked, partners: ReadonlyMap<number, number>): readonly Unit[] {
  const of = (kind: Unit['kind'], heads: Language['cases']): Kinded[] =>
    heads.flatMap((head) => findHeads(head, language, source, partners).map((found) => ({ ...found, kind })));
  // A head that reads as a case is not also a helper.
  const byHead = new Map<number, Kinded>();
  for (const found of [
    ...of('helper', language.helpers),
    ...of('group', language.groups),
    ...of('case', language.cases),
  ]) {
    byHead.set(found.head, found);
  }
  return nest(
    [...byHead.values()].sort((a, b) => a.head - b.head || b.end - a.end),
    source.text.length,
  );
}

function nest(found: readonly Kinded[], length: number): readonly Unit[] {
  const file: Unit = {
    kind: 'file',
    name: '',
    fullName: '',
    start: 0,
    head: 0,
    end: length,
    dynamic: false,
    parent: null,
  };
  const units = [file];
  const around: Unit[] = [file];
  for (const { kind, name, dynamic, start, head, end } of found) {
    while (around.length > 1 && (around.at(-1)?.end ?? 0) <= head) around.pop();
    const parent = around.at(-1) ?? file;
    // What a case defines for itself is part of the case.
    if (kind === 'helper' && isInside('case', parent)) continue;
    const fullName = parent.fullName === '' ? name : `${parent.fullName} › ${name}`;
    const unit: Unit = { kind, name, fullName, dynamic, start, head, end: Math.min(end, parent.end), parent };
    units.push(unit);
    around.push(unit);
  }
  return units;
}

/** Whether a unit or one around it is of a kind. */
export function isInside(kind: Unit['kind'], unit: Unit | null): boolean {
  for (let at = unit; at !== null; at = at.parent) if (at.kind === kind) return true;
  return false;
}

/** The innermost unit that holds an offset, annotations included. */
export function unitAt(units: readonly Unit[], offset: number): Unit {
  let best = units[0] as Unit;
  for (const unit of units) {
    if (unit.start > offset && unit.head > offset) continue;
    if (unit.end > offset && unit.start <= offset && unit.end - unit.start <= best.end - best.start) best = unit;
  }
  return best;
}
