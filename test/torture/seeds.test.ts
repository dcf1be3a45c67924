import { expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { describeCase } from '../support/torture/case.ts';
import { caseOf, FAULT_KINDS, MOUNTING } from '../support/torture/generate.ts';
import { play } from '../support/torture/play.ts';
import { saveCase } from '../support/torture/save.ts';
import { sweep } from '../support/torture/sweep.ts';

/** Fixed, so that a failure can be tried again: `npm run torture -- --seed N --runs 1 --only …`. */
const SEED = 20_260_101;
const RANDOM_CASES = 2;
const AGENTS = 2;
const FILES = 2;
const REPOSITORIES = 1;
const PEOPLE = 1;

/** A person works beside an agent that is isolated. */
const missing = await needs('bwrap');
if (missing) console.warn(`people beside agents are not tried: ${missing}`);

const withoutMounts = FAULT_KINDS.filter((kind) => !MOUNTING.includes(kind));
const cases = [
  ...Array.from({ length: RANDOM_CASES }, (_, at) => caseOf(SEED + at, withoutMounts)),
  ...sweep(['agent'], SEED)
    .filter(({ faults }) => !/1 GB|100,000/.test(JSON.stringify(faults)))
    .slice(0, AGENTS),
  ...sweep(['file'], SEED).slice(0, FILES),
  ...sweep(['crash'], SEED).slice(0, REPOSITORIES),
  ...Array.from({ length: missing ? 0 : PEOPLE }, (_, at) => caseOf(SEED + at, ['person', 'person', 'crash'])),
];

test.each(cases.map((torture) => [describeCase(torture), torture] as const))(
  'every invariant holds after %s',
  async (_, torture) => {
    const { violations } = await play(torture);
    const saved = violations.length > 0 ? await saveCase(torture, violations) : null;
    expect(violations, `npm run torture -- --replay ${saved}`).toEqual([]);
  },
);
