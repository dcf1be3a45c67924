import type { TestResult, TestRun } from './api.ts';
import { cleanOutput, type Output } from './clean.ts';
import { decide } from './decide.ts';
import type { Finding } from './detectors/finding.ts';
import { detect } from './detectors/registry.ts';
import { knownOf } from './evidence.ts';
import { recognise } from './recognise/recognise.ts';
import { MASKED, type Meaning, type Recognition, type TestRunStep } from './recognise/scope.ts';
import { namesTests } from './recognise/tools.ts';

/** A test result with its full evidence. */
export interface ExplainedResult {
  readonly result: TestResult;
  /** The test runs recognised in the command. */
  readonly recognition: Recognition;
  /** What the detectors found in the output. */
  readonly findings: readonly Finding[];
}

/** Was this command a test run, and how did it end? Never throws. */
export function judgeTestRun(run: TestRun): TestResult {
  return explainTestRun(run).result;
}

/** {@link judgeTestRun} with its reasons. */
export function explainTestRun({ command, stdout, stderr, exitCode, scripts }: TestRun): ExplainedResult {
  const output = cleanOutput(stdout, stderr);
  const recognition = refine(recognise(command, scripts), output);
  const findings = recognition.steps.length === 0 ? [] : detect(output, frameworksOf(recognition), leftOf(recognition));
  const known = knownOf(recognition, exitCode, output);
  return { result: decide({ recognition, findings, known, output }), recognition, findings };
}

/** Whether a filter may have left only a part of the summary, or `head` only what was printed before it. */
function leftOf({ steps }: Recognition): 'start' | 'part' | 'all' {
  const seen = steps.flatMap((step) => (step.certainty === 'test' ? [step.seen] : []));
  if (seen.includes('start')) return 'start';
  return seen.some((each) => each !== 'all') ? 'part' : 'all';
}

/** The frameworks whose output counts; null if one of the runs may use any framework. */
function frameworksOf({ steps }: Recognition): ReadonlySet<string> | null {
  const frameworks = new Set<string>();
  for (const { certainty, framework } of steps) {
    if (certainty !== 'test') continue;
    if (framework === null) return null;
    frameworks.add(framework);
  }
  return frameworks.size > 0 ? frameworks : null;
}

/**
 * Finds what is behind `npm test` and `make check` when they could not be resolved: package managers and make print the
 * commands that they run. A script that masks its tests' status (`jest || true`) also masks it for the command.
 */
function refine(recognition: Recognition, output: Output): Recognition {
  if (!recognition.steps.some(isOpen)) return recognition;
  const called = new Set(recognition.steps.filter(isOpen).flatMap(namesIn));
  const masking = new Set<number>();
  let shown = 0;
  const steps = recognition.steps.map((step, index) => {
    if (!isOpen(step)) return step;
    const echoed = echoedCommands(output, /^\S*make\b|^ninja\b/.test(step.source) ? 'make' : 'package');
    const own = namesIn(step);
    // A script that is called by name belongs to that call; for others the caller is unknown.
    const commands = echoed.filter(({ script }) => script === null || !called.has(script) || own.includes(script));
    const inner = [...new Set(commands.map(({ command }) => command))].map((command) => recognise(command));
    if (inner.some(hides)) masking.add(index);
    if (step.certainty === 'maybe' && onlyShows(inner)) shown += 1;
    const more = refined(step, inner, brokeIn(output, namesTests));
    return { ...more, repeated: more.repeated || commands.length > inner.length };
  });
  // A script that displays a report runs nothing.
  if (shown === steps.length) return { ...recognition, steps: [] };
  return { ...recognition, steps, exit: without(recognition.exit, masking), mixed: recognition.mixed || shown > 0 };
}

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

/** Whether its status shows nothing about a test run in it. */
function hides({ steps, exit }: Recognition): boolean {
  return steps.some(({ certainty }, index) => certainty === 'test' && !exit.proves.has(index));
}

function without(meaning: Meaning, runs: ReadonlySet<number>): Meaning {
  if (runs.size === 0) return meaning;
  const proves = new Set([...meaning.proves].filter((run) => !runs.has(run)));
  return { ...MASKED, ...meaning, proves };
}

/** Lines of output that may hold the first command of a recipe. */
const RECIPE_LINES = 12;
/** Further commands of a project add nothing new. */
const MOST_COMMANDS = 30;

interface Echoed {
  readonly command: string;
  /** The script that contains it; null when that is not printed. */
  readonly script: string | null;
}

/**
 * Commands that npm, yarn, pnpm, bun and make print before they run them: they show what is behind a name. Only for
 * commands that call such a name, because any program can print such lines.
 */
function echoedCommands({ lines }: Output, from: 'package' | 'make'): readonly Echoed[] {
  const found = from === 'make' ? recipeLines(lines) : scriptLines(lines);
  return found.slice(0, MOST_COMMANDS);
}

function recipeLines(lines: readonly string[]): readonly Echoed[] {
  const recipe = lines.slice(0, RECIPE_LINES).filter((line) => /^[\w./@-]+(?: |$)/.test(line));
  return recipe.map((command) => ({ command, script: null }));
}

function scriptLines(lines: readonly string[]): readonly Echoed[] {
  const begun = lines.flatMap((line, index): readonly Echoed[] => {
    // npm and pnpm: `> name@1.0.0 test /folder`, then `> vitest run`.
    const script = /^> (?:\S+ )?([\w:./-]+)(?: \/\S+)?$/.exec(line)?.[1];
    const command = /^> (.+)$/.exec(lines[index + 1] ?? '')?.[1];
    if (script !== undefined && command !== undefined) return [{ command, script }];
    // yarn and bun: `$ vitest run`; pnpm -r: `packages/a test$ vitest run`.
    const own = /^(?:[\w@./-]+ [\w:-]+)?\$ (.+)$/.exec(line)?.[1];
    return own === undefined ? [] : [{ command: own, script: null }];
  });
  return begun.length > 0 ? begun : brokenScripts(lines);
}

/** npm's message about a failed script; it remains where `tail` removed the start. */
function brokenScripts(lines: readonly string[]): readonly Echoed[] {
  return lines.flatMap((line, index): readonly Echoed[] => {
    const [, old, told] = /^npm ERR! \S+@\S+ ([\w:.-]+): `(.+)`$/.exec(line) ?? [];
    if (old !== undefined && told !== undefined) return [{ command: told, script: old }];
    const command = /^npm (?:error|ERR!) command (?:sh -c|\S*cmd(?:\.exe)? \/d \/s \/c) (.+)$/.exec(line)?.[1];
    if (command === undefined) return [];
    const before = lines.slice(0, index).findLast((each) => LIFECYCLE.test(each)) ?? '';
    return [{ command, script: LIFECYCLE.exec(before)?.[1] ?? null }];
  });
}

function brokeIn({ lines }: Output, isWanted: (script: string) => boolean): boolean {
  return lines.some((line) => isWanted(LIFECYCLE.exec(line)?.[1] ?? ''));
}

const LIFECYCLE = /^npm (?:error|ERR!) Lifecycle script `([^`]+)` failed/;
