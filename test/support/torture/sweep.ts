import { AGENT_FAULT_NAMES } from './agent-faults.ts';
import type { Fault, FaultKind, TortureCase } from './case.ts';
import { PASSAGES } from './crash-points.ts';
import { DAMAGES } from './damage.ts';
import { randomFrom } from './random.ts';
import { SHAPE_NAMES } from './shapes.ts';
import { STATE_FILE_NAMES } from './state-files.ts';

/**
 * Every case of some kinds with one fault each, in an order that a seed gives: each crash point early, in the middle
 * and late in each kind of repository, each wrong agent, each damage to each file before and after a start. Pure.
 */
export function sweep(kinds: readonly FaultKind[], seed: number): readonly TortureCase[] {
  const cases: Omit<TortureCase, 'version' | 'seed'>[] = [];
  if (kinds.includes('crash')) {
    for (const fault of crashes())
      for (const shapes of [[], ...SHAPE_NAMES.map((name) => [name])])
        cases.push({ stories: 3, shapes, faults: [fault] });
  }
  if (kinds.includes('agent'))
    for (const does of AGENT_FAULT_NAMES) cases.push({ stories: 1, shapes: [], faults: [{ kind: 'agent', does }] });
  if (kinds.includes('file')) for (const fault of spoiledFiles()) cases.push({ stories: 2, shapes: [], faults: fault });
  const random = randomFrom(seed);
  return cases
    .map((each, at) => ({ ...each, version: 1 as const, seed: seed + at, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ order: _, ...torture }) => torture);
}

function crashes(): readonly Fault[] {
  return Object.entries(PASSAGES).flatMap(([name, passages]) =>
    [...new Set([1, Math.ceil(passages / 2), passages])].map((n): Fault => ({ kind: 'crash', point: `${name}#${n}` })),
  );
}

/** Before a start, and between a kill in the middle of an iteration and the recovery. */
function spoiledFiles(): readonly (readonly Fault[])[] {
  return STATE_FILE_NAMES.flatMap((file) =>
    DAMAGES.flatMap((damage): readonly (readonly Fault[])[] => [
      [{ kind: 'file', file, damage, when: 'before' }],
      [
        { kind: 'crash', point: 'agent-ended#2' },
        { kind: 'file', file, damage, when: 'between' },
      ],
    ]),
  );
}
