import type { Language } from '../languages/language.ts';
import { indentationAt, startOfLine } from '../source/lines.ts';
import type { Masked } from '../source/mask.ts';
import { unitAt } from './tree.ts';
import type { Unit } from './unit.ts';

/** Something that keeps tests from running. */
export interface Mark {
  readonly kind: 'skip' | 'only' | 'return';
  readonly unit: Unit;
  /** As it is written. */
  readonly text: string;
  readonly line: number;
  /** Only sometimes: on a platform, without a tool … */
  readonly conditional: boolean;
}

/** A `return` that gives nothing back, alone on its line; also one under a condition that always holds. */
const bareReturn =
  /^[ \t]*(?:return(?:[ \t]+(?:undefined|null|nil|None))?|if[ \t]*\(?(?:true|True|1)\)?[ \t]*:?[ \t]*\{?[ \t]*return)[ \t]*;?[ \t]*\}?[ \t]*$/gm;

/** Every mark of a file with the unit it concerns. */
export function findMarks(language: Language, source: Masked, units: readonly Unit[]): readonly Mark[] {
  const conditional = marksOf('skip', language.conditionalSkip, source, units).map((m) => ({
    ...m,
    conditional: true,
  }));
  const lines = new Set(conditional.map(({ line }) => line));
  const skips = marksOf('skip', language.skip, source, units).filter(({ line }) => !lines.has(line));
  const returns = marksOf('return', bareReturn, source, units).filter(
    (mark) => !mark.conditional && hasAssertionBelow(language, source, mark),
  );
  return [...conditional, ...skips, ...marksOf('only', language.only, source, units), ...returns];
}

function marksOf(
  kind: Mark['kind'],
  pattern: RegExp | undefined,
  source: Masked,
  units: readonly Unit[],
): readonly Mark[] {
  if (pattern === undefined) return [];
  const { code, text, lineAt } = source;
  const margins = new Map<Unit, number>();
  return [...code.matchAll(pattern)].flatMap((match) => {
    const at = match.index + match[0].search(/\S|$/);
    const unit = unitAt(units, at);
    if (kind === 'return' && unit.kind !== 'case') return [];
    // Options of a call inside the body are not the case's own.
    if (match[0].startsWith('{') && code.slice(unit.head, at).includes('{')) return [];
    const margin = margins.get(unit) ?? marginOf(code, unit);
    margins.set(unit, margin);
    const written = text.slice(at, match.index + match[0].length).trim();
    return [{ kind, unit, text: written, line: lineAt(at), conditional: isConditional(code, at, unit, margin) }];
  });
}

const condition = /\b(?:if|unless|elif|else|when|case|catch|except|rescue)\b|\?|&&|\|\|/;

/** In the body, but deeper than the body's own statements; or behind a condition on the same line. */
function isConditional(code: string, at: number, unit: Unit, margin: number): boolean {
  const start = startOfLine(code, at);
  if (condition.test(code.slice(Math.max(start, unit.start), at))) return true;
  return start > unit.head && indentationAt(code, at) > margin;
}

/** Indentation of the statements of a unit's body. */
function marginOf(code: string, unit: Unit): number {
  const head = indentationAt(code, unit.head);
  let least = Number.POSITIVE_INFINITY;
  for (let at = code.indexOf('\n', unit.head) + 1; at > 0 && at < unit.end; at = code.indexOf('\n', at) + 1) {
    const own = indentationAt(code, at);
    if (own > head && code.slice(at, at + own + 1).trim() !== '') least = Math.min(least, own);
  }
  return least;
}

function hasAssertionBelow({ assertion }: Language, { code, lineAt }: Masked, { unit, line }: Mark): boolean {
  const body = code.slice(unit.head, unit.end);
  return [...body.matchAll(assertion)].some((match) => lineAt(unit.head + match.index) > line);
}
