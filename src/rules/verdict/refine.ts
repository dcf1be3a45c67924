import type { Output } from './clean.ts';
import { echoedCommands } from './recognise/echoed.ts';
import { MASKED, type Meaning } from './recognise/meaning.ts';
import { recognise } from './recognise/recognise.ts';
import type { Recognition, TestRunStep } from './recognise/recognition.ts';

/**
 * What hides behind `npm test` and `make check` when it could not be looked up: package managers and make print the
 * commands that they run. A script that masks its tests' status (`jest || true`) masks it for the command, too.
 */
export function refine(recognition: Recognition, output: Output): Recognition {
  if (!recognition.steps.some(isOpen)) return recognition;
  const masking = new Set<number>();
  const steps = recognition.steps.map((step, index) => {
    if (!isOpen(step)) return step;
    const inner = echoedCommands(output, /^\S*make\b|^ninja\b/.test(step.source) ? 'make' : 'package').map((command) =>
      recognise(command),
    );
    if (inner.some(hides)) masking.add(index);
    return refined(step, inner);
  });
  return { ...recognition, steps, exit: without(recognition.exit, masking) };
}

function isOpen({ named, framework }: TestRunStep): boolean {
  return named && framework === null;
}

function refined(step: TestRunStep, inner: readonly Recognition[]): TestRunStep {
  const runs = inner.flatMap(({ steps }) => steps).filter(({ named }) => !named);
  const tests = runs.filter(({ certainty }) => certainty === 'test');
  const frameworks = new Set(tests.map(({ framework }) => framework));
  const [framework = null] = frameworks.size === 1 ? frameworks : [];
  return tests.length > 0 ? { ...step, certainty: 'test', framework } : step;
}

/** Does its status say nothing of a test run in it? */
function hides({ steps, exit }: Recognition): boolean {
  return steps.some(({ certainty }, index) => certainty === 'test' && !exit.proves.has(index));
}

function without(meaning: Meaning, runs: ReadonlySet<number>): Meaning {
  if (runs.size === 0) return meaning;
  const proves = new Set([...meaning.proves].filter((run) => !runs.has(run)));
  return { ...MASKED, ...meaning, proves };
}
