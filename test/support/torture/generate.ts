import { AGENT_FAULT_NAMES, type AgentFaultName, HEAVY } from './agent-faults.ts';
import type { Fault, FaultKind, Part, TortureCase } from './case.ts';
import { PASSAGES } from './crash-points.ts';
import { DAMAGES } from './damage.ts';
import { PERSON_DEEDS } from './person.ts';
import { type Random, randomFrom } from './random.ts';
import { SHAPE_NAMES } from './shapes.ts';
import { STATE_FILE_NAMES } from './state-files.ts';

export const FAULT_KINDS: readonly FaultKind[] = [
  'crash',
  'signal',
  'pause',
  'agent',
  'full',
  'read-only',
  'clock',
  'starts',
  'file',
];

/** Kinds that a mixture of all has not: they need an isolation, which keeps other kinds from striking. */
export const APART: readonly FaultKind[] = ['person'];

/** Kinds that need mounts of one's own. */
export const MOUNTING: readonly FaultKind[] = ['full', 'read-only'];

const PARTS: readonly Part[] = ['work tree', 'git dir', 'state folder', 'spec folder', 'temp folder'];
const MOUNTABLE: readonly Part[] = ['work tree', 'git dir', 'state folder', 'temp folder'];
/** A run with three stories takes about as long on an ordinary machine. */
const RUN_MS = 4_000;
const DAY = 86_400;
const LIGHT = AGENT_FAULT_NAMES.filter((name: AgentFaultName) => !HEAVY.includes(name));

const make: Readonly<Record<FaultKind, (random: Random) => Fault>> = {
  crash: (random) => {
    const name = random.pick(Object.keys(PASSAGES));
    return { kind: 'crash', point: `${name}#${random.between(1, PASSAGES[name] ?? 1)}` };
  },
  signal: (random) => ({
    kind: 'signal',
    signal: random.pick(['SIGKILL', 'SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGINT'] as const),
    to: random.pick(['loop', 'loop', 'agent', 'both', 'git'] as const),
    at: random.between(0, RUN_MS),
  }),
  pause: (random) => ({
    kind: 'pause',
    to: random.pick(['loop', 'agent'] as const),
    at: random.between(100, RUN_MS),
    for: random.between(100, 3_000),
  }),
  agent: (random) => ({ kind: 'agent', does: random.pick(LIGHT) }),
  full: (random) => ({ kind: 'full', part: random.pick(MOUNTABLE), ...span(random) }),
  'read-only': (random) => ({ kind: 'read-only', part: random.pick(PARTS), ...span(random) }),
  clock: (random) => ({
    kind: 'clock',
    seconds: random.pick([-400 * DAY, -DAY, -3_600, -5, 5, 3_600, DAY, 400 * DAY]),
    at: random.between(0, RUN_MS),
  }),
  person: (random) => ({ kind: 'person', does: random.pick(PERSON_DEEDS), at: random.between(500, 2 * RUN_MS) }),
  starts: (random) => ({ kind: 'starts', count: random.pick([2, 2, 3, 10]) }),
  file: (random) => ({
    kind: 'file',
    file: random.pick(STATE_FILE_NAMES),
    damage: random.pick(DAMAGES),
    when: random.pick(['before', 'between', random.between(200, RUN_MS)] as const),
  }),
};

function span(random: Random): { readonly at: number; readonly for: number } {
  return { at: random.between(0, RUN_MS), for: random.between(200, 4_000) };
}

/**
 * The case of a seed: the same seed, the same case. Pure.
 *
 * @param kinds what may go wrong; each case has one to three of these
 */
export function caseOf(seed: number, kinds: readonly FaultKind[] = FAULT_KINDS): TortureCase {
  const random = randomFrom(seed);
  const count = random.pick([1, 1, 2, 2, 3]);
  const faults: Fault[] = [];
  for (let n = 0; n < count; n += 1) {
    const kind = random.pick(kinds);
    // One crash point, one wrong agent, one lot of starts: the program takes no more of them.
    if (['crash', 'agent', 'starts'].includes(kind) && faults.some((fault) => fault.kind === kind)) continue;
    faults.push(make[kind](random));
  }
  const shapes = SHAPE_NAMES.filter(() => random.chance(0.12));
  return { version: 1, seed, stories: random.between(1, 3), shapes: together(shapes), faults };
}

/** Shapes that exclude each other do not meet. Pure. */
function together(shapes: readonly (typeof SHAPE_NAMES)[number][]): TortureCase['shapes'] {
  const moving = shapes.filter((shape) => shape === 'merging' || shape === 'rebasing');
  // A conflict needs a clean work tree on a branch.
  if (moving.length > 0) return moving.slice(0, 1);
  return shapes;
}
