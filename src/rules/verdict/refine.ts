import type { Output } from './clean.ts';
import { brokeIn, echoedCommands } from './recognise/echoed.ts';
import { MASKED, type Meaning } from './recognise/meaning.ts';
import { namesTests } from './recognise/names.ts';
import { recognise } from './recognise/recognise.ts';
import type { Recognition, TestRunStep } from './recognise/recognition.ts';

/**
 * What hides behind `npm test` and `make check` when it could not be looked up: package managers and make print the
 * commands that they run. A script that masks its tests' status (`jest || true`) masks it for the command, too.
 */
export function refine(recognition: Recognition, output: Output): Recognition {
  if (!recognition.steps.some(isOpen)) return recognition;
  const called = new Set(recognition.steps.filter(isOpen).flatMap(namesIn));
  const masking = new Set<number>();
  let shown = 0;
  const steps = recognition.steps.map((step, index) => {
    if (!isOpen(step)) return step;
    const echoed = echoedCommands(output, /^\S*make\b|^ninja\b/.test(step.source) ? 'make' : 'package');
    const own = namesIn(step);
    // A script that is called by name belongs to that call; of others it is not known who calls them.
    const commands = echoed.filter(({ script }) => script === null || !called.has(script) || own.includes(script));
    const inner = [...new Set(commands.map(({ command }) => command))].map((command) => recognise(command));
    if (inner.some(hides)) masking.add(index);
    if (step.certainty === 'maybe' && onlyShows(inner)) shown += 1;
    const more = refined(step, inner, brokeIn(output, namesTests));
    return { ...more, repeated: more.repeated || commands.length > inner.length };
  });
  // A script that shows a report runs nothing.
  if (shown === steps.length) return { ...recognition, steps: [] };
  return { ...recognition, steps, exit: without(recognition.exit, masking), mixed: recognition.mixed || shown > 0 };
}

/** Do its commands print what others wrote, and nothing else? */
function onlyShows(inner: readonly Recognition[]): boolean {
  return inner.some(({ mixed }) => mixed) && inner.every(({ steps }) => steps.length === 0);
}

function isOpen({ named, framework }: TestRunStep): boolean {
  return named && framework === null;
}

function namesIn({ source }: TestRunStep): readonly string[] {
  return source.split(' ');
}

function refined(step: TestRunStep, inner: readonly Recognition[], broke: boolean): TestRunStep {
  const runs = inner.flatMap(({ steps }) => steps).filter(({ named }) => !named);
  const tests = runs.filter(({ certainty }) => certainty === 'test');
  const frameworks = new Set(tests.map(({ framework }) => framework));
  const [framework = null] = frameworks.size === 1 ? frameworks : [];
  if (tests.length === 0) return broke ? { ...step, certainty: 'test' } : step;
  return {
    ...step,
    certainty: 'test',
    framework,
    repeated: tests.length > 1 || tests.some(({ repeated }) => repeated),
  };
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
