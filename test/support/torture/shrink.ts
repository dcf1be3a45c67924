import type { Fault, TortureCase } from './case.ts';

/** Cases a step smaller than one, the most promising first: less that goes wrong, a plainer place, earlier. Pure. */
export function smallerCases(torture: TortureCase): readonly TortureCase[] {
  const { faults, shapes, stories } = torture;
  const without = <T>(list: readonly T[], at: number): readonly T[] => list.filter((_, index) => index !== at);
  return [
    ...faults.map((_, at) => ({ ...torture, faults: without(faults, at) })),
    ...(shapes.length > 1 ? [{ ...torture, shapes: [] }] : []),
    ...shapes.map((_, at) => ({ ...torture, shapes: without(shapes, at) })),
    ...(stories > 1 ? [{ ...torture, stories: stories - 1 }] : []),
    ...faults.flatMap((fault, at) =>
      smallerFaults(fault).map((smaller) => ({ ...torture, faults: faults.with?.(at, smaller) ?? faults })),
    ),
  ].filter((each) => each.faults.length > 0 || each.shapes.length > 0);
}

/** The same fault, earlier or for a shorter time. Pure. */
function smallerFaults(fault: Fault): readonly Fault[] {
  switch (fault.kind) {
    case 'crash': {
      const [name, passage] = fault.point.split('#');
      return Number(passage) > 1 ? [{ kind: 'crash', point: `${name}#1` }] : [];
    }
    case 'signal':
    case 'clock':
      return fault.at > 200 ? [{ ...fault, at: Math.floor(fault.at / 2) }] : [];
    case 'pause':
    case 'full':
    case 'read-only':
      return fault.at > 200 ? [{ ...fault, at: Math.floor(fault.at / 2) }] : [];
    case 'starts':
      return fault.count > 2 ? [{ ...fault, count: 2 }] : [];
    case 'file':
      return typeof fault.when === 'number' && fault.when > 400 ? [{ ...fault, when: Math.floor(fault.when / 2) }] : [];
    default:
      return [];
  }
}

/** Tries smaller and smaller cases as long as they fail and time is left; the smallest that failed. */
export async function shrink(
  torture: TortureCase,
  fails: (torture: TortureCase) => Promise<boolean>,
  timeLeft: () => boolean,
): Promise<TortureCase> {
  for (const smaller of smallerCases(torture)) {
    if (!timeLeft()) return torture;
    if (await fails(smaller)) return shrink(smaller, fails, timeLeft);
  }
  return torture;
}
