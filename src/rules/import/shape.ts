import type { Path } from '../backlog/formats/prd-list.ts';

/** Where stories were found, in a few signs: `userStories`, `phases[].tasks`, `phases.*.features`, `a list`. */
export function shapeOf(paths: readonly Path[]): string {
  const [first, ...others] = paths;
  if (first === undefined) return 'nothing';
  if (first.length === 0) return 'a list';
  return first
    .map((part, at) => {
      if (typeof part === 'number') return '[]';
      return others.some((other) => other[at] !== part) ? '.*' : `.${part}`;
    })
    .join('')
    .slice(1);
}
