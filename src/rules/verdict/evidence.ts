import type { Output } from './clean.ts';
import type { Echo, Recognition } from './recognise/recognition.ts';
import { taskFailure } from './task-failure.ts';

/** What is known of how the runs ended, without their own words. */
export interface Known {
  /** Runs that ended with 0 for certain. */
  readonly succeeded: ReadonlySet<number>;
  /** A code other than 0 that tests may be to blame for; null when none is known. */
  readonly failure: Failure | null;
}

export interface Failure {
  /** null when only its not being 0 is known. */
  readonly code: number | null;
  /** Something other than tests may be to blame. */
  readonly others: boolean;
  /** What tells, for people. */
  readonly evidence: string;
}

/** A line that says how it went is looked for at the end: anything may print it on the way. */
const LAST_LINES = 4;

/** Reads the exit code, and the codes and words that the command itself printed, by what they are about. */
export function knownOf({ exit, echoes, steps, mixed }: Recognition, exitCode: number | null, output: Output): Known {
  const told = echoes.flatMap((echo) => read(echo, output));
  const all = [
    ...told,
    ...(exitCode === null ? [] : [{ about: exit, code: exitCode, evidence: `exit code ${exitCode}` }]),
  ];
  const succeeded = new Set<number>();
  let failure: Failure | null = null;
  for (const { about, code, evidence } of all) {
    const zero = (code === 0) !== about.inverted;
    if (zero) for (const run of about.proves) succeeded.add(run);
    // With a `!` the code is not that of the tests.
    else if ([...about.blames].some((run) => steps[run]?.certainty === 'test') && failure === null) {
      const others = about.others || [...about.blames].some((run) => steps[run]?.certainty === 'maybe');
      failure = { code: about.inverted ? null : code, others, evidence };
    }
  }
  return { succeeded, failure: failure ?? (mixed ? null : reported(steps, succeeded, output)) };
}

/** A task runner's own word, where nothing better is known: only of runs that it may be about. */
function reported(steps: Recognition['steps'], succeeded: ReadonlySet<number>, output: Output): Failure | null {
  if (
    !steps.some(
      ({ certainty, framework, named }, index) =>
        certainty === 'test' && (framework === null || named) && !succeeded.has(index),
    )
  )
    return null;
  const found = taskFailure(output);
  return found && { ...found, others: false };
}

interface Told {
  readonly about: Echo['about'];
  /** null: not 0. */
  readonly code: number | null;
  readonly evidence: string;
}

function read({ line, says, about }: Echo, { lines }: Output): readonly Told[] {
  const filled = lines.filter((each) => each.trim() !== '');
  const found = filled.findLast(
    (each, index) => (says === 'code' || index >= filled.length - LAST_LINES) && line.test(each),
  );
  if (found === undefined) return [];
  if (says !== 'code') return [{ about, code: says === 'zero' ? 0 : null, evidence: found.trim() }];
  return [{ about, code: Number(line.exec(found)?.[1] ?? 1), evidence: found.trim() }];
}
