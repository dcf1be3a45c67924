import type { CheckResult, RedGreenProof } from '../../contracts/model.ts';
import type { ProofFiles } from './files.ts';

/** A check in the work tree of the proof: at the story's base as it was, and with the story's tests laid over. */
export interface Tried {
  readonly command: string;
  readonly base: CheckResult;
  /** null when the base told enough. */
  readonly withTests: CheckResult | null;
  /** Tests that leave it green when they are laid over alone; absent where they were not tried one by one. */
  readonly idle?: readonly string[];
}

/** Outcomes that refuse a story. */
export function isRefused(proof: Pick<RedGreenProof, 'outcome'> | null): boolean {
  return proof?.outcome === 'passes-before' || proof?.outcome === 'no-tests';
}

/** The checks worth trying: test runs that are green with the story; where no check is one, every green check. */
export function checksToTry(checks: readonly CheckResult[]): readonly string[] {
  const green = checks.filter(({ ok }) => ok);
  const runs = green.filter(({ tests }) => tests !== undefined && tests.outcome === 'pass');
  return (runs.length > 0 ? runs : green).map(({ command }) => command);
}

/**
 * What can be said without running anything; null when it has to be tried.
 * @param inline files of code that hold tests of their own
 */
export function outcomeOfFiles(
  files: ProofFiles,
  commands: readonly string[],
  inline: readonly string[],
): RedGreenProof | null {
  const { tests, gone, code } = files;
  const without = { tests, command: null };
  if (tests.length === 0) {
    if (code.length === 0)
      return inconclusive(
        gone.length === 0 ? 'the story changed no code that a test could fail for' : 'the story only removed tests',
        without,
      );
    const [first] = inline;
    if (first !== undefined)
      return inconclusive(`${first} holds its tests itself: they cannot be tried without the code`, without);
    return {
      outcome: 'no-tests',
      detail: `the story changed ${named(code)} and no test: add or change a test that fails without this code`,
      ...without,
    };
  }
  return commands.length === 0 ? inconclusive('there is no green check that could run the tests', without) : null;
}

/** Green, or without any test that could be red. */
export function isGood({ ok, tests, timedOut }: CheckResult): boolean {
  return !timedOut && (ok || tests?.outcome === 'no-tests');
}

/** Whether the tests made a check red. */
export function isRed({ ok, timedOut, tests }: CheckResult): boolean {
  return !ok && !timedOut && tests?.outcome !== 'no-tests';
}

type Told = 'proven' | 'passes' | 'not-run' | 'unknown';

/**
 * What one check tells. A base that is red counts as one where it is red only for want of the story's tests: it names
 * one of them, or the tests turn it green, or more tests fail with them than without.
 */
export function tell(files: Pick<ProofFiles, 'tests' | 'added' | 'code'>, { base, withTests }: Tried): Told {
  if (withTests === null || withTests.timedOut || withTests.tests?.outcome === 'no-tests') return 'unknown';
  const isMissed = !isGood(base) && mentions(base.tail, files.added);
  if (withTests.ok) {
    if (isGood(base)) return isPassedOver(files, base, withTests) ? 'not-run' : 'passes';
    // Tests that were red themselves and are mended: there is no code that they could fail without.
    return isMissed || files.code.length > 0 ? 'passes' : 'unknown';
  }
  return isGood(base) || isMissed || failsMore(base, withTests) ? 'proven' : 'unknown';
}

/** Whether an output speaks of one of these files, by its path, its name, or as a module. */
function mentions(output: string, paths: readonly string[]): boolean {
  return paths.some((path) => {
    const file = path.slice(path.lastIndexOf('/') + 1);
    const stem = file.replace(/\.[^.]+$/, '');
    return output.includes(file) || (/test|spec/i.test(stem) && output.includes(stem));
  });
}

function failsMore({ tests: before }: CheckResult, { tests: after }: CheckResult): boolean {
  return (after?.failed ?? 0) > (before?.failed ?? 0);
}

/** Whether new tests were laid over, and the check counts no more tests than before and speaks of none of them. */
function isPassedOver(
  { tests, added }: Pick<ProofFiles, 'tests' | 'added'>,
  base: CheckResult,
  withTests: CheckResult,
): boolean {
  const [before, after] = [base.tests?.passed ?? null, withTests.tests?.passed ?? null];
  return added.length === tests.length && before !== null && after === before && !mentions(withTests.tail, tests);
}

/** What the tries tell. One check that the tests turn red is a proof; where all stay green, they pass without the code. */
export function outcomeOfTries(
  files: Pick<ProofFiles, 'tests' | 'added' | 'code'>,
  tried: readonly Tried[],
): RedGreenProof {
  const { tests } = files;
  const told = (what: Told) => tried.find((one) => tell(files, one) === what);
  const red = told('proven');
  if (red) return { outcome: 'proven', detail: provenText(tests, red), tests, command: red.command };
  const green = told('passes');
  if (green) {
    const detail = `${named(tests)} ${tests.length === 1 ? 'passes' : 'pass'} before the story already (\`${green.command}\`): change the tests so that they fail without the story's code`;
    return { outcome: 'passes-before', detail, tests, command: green.command };
  }
  const unknown = told('unknown');
  const passedOver = told('not-run');
  if (unknown || !passedOver) {
    const why = unknown ? tellWhy(unknown) : 'no check was tried';
    return inconclusive(why, { tests, command: unknown?.command ?? null });
  }
  const { command } = passedOver;
  const detail = `no check seems to run ${named(tests)}: \`${command}\` counts as many tests without ${tests.length === 1 ? 'it' : 'them'}. Place the tests where it finds them, and let them fail without the story's code`;
  return { outcome: 'no-tests', detail, tests, command };
}

/** Says of a test that it fails only where that is known: of a single one, and of those that were tried one by one. */
function provenText(tests: readonly string[], { command, idle }: Tried): string {
  const failing = tests.filter((path) => !idle?.includes(path));
  const isKnown = tests.length === 1 || (idle !== undefined && failing.length > 0);
  if (!isKnown)
    return `with ${named(tests)} and without the story's code \`${command}\` fails; with the code it passes`;
  const rest = tests.filter((path) => !failing.includes(path));
  return [
    `${named(failing)} ${failing.length === 1 ? 'fails' : 'fail'} without the story's code and ${failing.length === 1 ? 'passes' : 'pass'} with it`,
    ...(rest.length === 0 ? [] : [`${named(rest)} ${rest.length === 1 ? 'does' : 'do'} not fail without it`]),
  ].join('; ');
}

function tellWhy({ command, base, withTests }: Tried): string {
  const name = `\`${command}\``;
  if (base.notSetUp !== undefined) return `\`${base.notSetUp}\` fails at the commit before the story`;
  if (base.timedOut || withTests === null) return `${name} takes too long at the commit before the story`;
  if (withTests.timedOut) return `${name} takes too long there with the story's tests`;
  if (withTests.tests?.outcome === 'no-tests') return `${name} ran none of the story's tests there`;
  if (withTests.ok) return `${name} fails at the commit before the story, and the story changed nothing but its tests`;
  return `${name} fails at the commit before the story, without its tests, too`;
}

/** It could not be tried. */
export function inconclusive(
  detail: string,
  { tests, command }: Pick<RedGreenProof, 'tests' | 'command'>,
): RedGreenProof {
  return { outcome: 'inconclusive', detail, tests, command };
}

const MOST_NAMED = 3;

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, MOST_NAMED).join(', ');
  return paths.length <= MOST_NAMED ? shown : `${shown} and ${paths.length - MOST_NAMED} more`;
}
