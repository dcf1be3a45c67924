import type { CheckResult, RedGreenProof } from '../contracts/index.ts';
import { isTestFile } from './project-checks/index.ts';

/** A check in the proof's work tree: at the story's unchanged base, and with the story's tests laid over it. */
export interface Tried {
  readonly command: string;
  readonly base: CheckResult;
  /** null when the base was enough to decide. */
  readonly withTests: CheckResult | null;
  /** Tests that leave the check green when laid over alone; absent where they were not tried one by one. */
  readonly idle?: readonly string[];
}

export function isRefused(proof: Pick<RedGreenProof, 'outcome'> | null): boolean {
  return proof?.outcome === 'passes-before' || proof?.outcome === 'no-tests';
}

/** The checks worth trying: test runs that are green with the story; without any test run, every green check. */
export function checksToTry(checks: readonly CheckResult[]): readonly string[] {
  const green = checks.filter(({ ok }) => ok);
  const runs = green.filter(({ tests }) => tests?.outcome === 'pass' || tests?.outcome === 'unknown');
  return (runs.length > 0 ? runs : green).map(({ command }) => command);
}

/**
 * The outcome that needs no run; null when the checks must be tried.
 * @param inline code files that contain tests
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

/** Whether a check is green, or has no test that could be red. */
export function isGood({ ok, tests, timedOut }: CheckResult): boolean {
  return !timedOut && (ok || tests?.outcome === 'no-tests');
}

export function isRed({ ok, timedOut, tests }: CheckResult): boolean {
  return !ok && !timedOut && tests?.outcome !== 'no-tests';
}

type Told = 'proven' | 'passes' | 'not-run' | 'unknown';

/**
 * What one check shows. A red base counts only where it is red because the story's tests are missing: it names one of
 * them, or the tests turn it green, or more tests fail with them than without.
 */
export function tell(files: Pick<ProofFiles, 'tests' | 'added' | 'code'>, { base, withTests }: Tried): Told {
  if (withTests === null || withTests.timedOut || withTests.tests?.outcome === 'no-tests') return 'unknown';
  const isMissed = !isGood(base) && mentions(base.tail, files.added);
  if (withTests.ok) {
    if (isGood(base)) return isPassedOver(files, base, withTests) ? 'not-run' : 'passes';
    // The tests themselves were red and are fixed: there is no code that they could fail without.
    return isMissed || files.code.length > 0 ? 'passes' : 'unknown';
  }
  return isGood(base) || isMissed || failsMore(base, withTests) ? 'proven' : 'unknown';
}

/** Whether an output mentions one of these files, by its path, its name, or as a module. */
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

/** Whether new tests were laid over, but the check counts no more tests than before and mentions none of them. */
function isPassedOver(
  { tests, added }: Pick<ProofFiles, 'tests' | 'added'>,
  base: CheckResult,
  withTests: CheckResult,
): boolean {
  const [before, after] = [base.tests?.passed ?? null, withTests.tests?.passed ?? null];
  return added.length === tests.length && before !== null && after === before && !mentions(withTests.tail, tests);
}

/** The outcome of all tries. One check that turns red is a proof; if all stay green, they pass without the code. */
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
    const why = unknown ? explainFailure(unknown) : 'no check was tried';
    return inconclusive(why, { tests, command: unknown?.command ?? null });
  }
  const { command } = passedOver;
  const detail = `no check seems to run ${named(tests)}: \`${command}\` counts as many tests without ${tests.length === 1 ? 'it' : 'them'}. Place the tests where it finds them, and let them fail without the story's code`;
  return { outcome: 'no-tests', detail, tests, command };
}

/** Says that a test fails only where that is known: for a single one, and for those that were tried one by one. */
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

function explainFailure({ command, base, withTests }: Tried): string {
  const name = `\`${command}\``;
  if (base.notSetUp !== undefined) return `\`${base.notSetUp}\` fails at the commit before the story`;
  if (base.timedOut || withTests === null) return `${name} takes too long at the commit before the story`;
  if (withTests.timedOut) return `${name} takes too long there with the story's tests`;
  if (withTests.tests?.outcome === 'no-tests') return `${name} ran none of the story's tests there`;
  if (withTests.ok) return `${name} fails at the commit before the story, and the story changed nothing but its tests`;
  return `${name} fails at the commit before the story, without its tests, too`;
}

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

/** A path that differs between the story's base and its work now. */
interface Change {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted' | 'type-changed';
}

/** What a story changed, as a proof sees it. */
export interface ProofFiles {
  /** Tests that were added or changed; without any, the added or changed helpers, fixtures and snapshots. */
  readonly tests: readonly string[];
  /** Tests that the base does not have. */
  readonly added: readonly string[];
  /** What is laid over the base: the tests, and the helpers, fixtures and snapshots beside them. */
  readonly laid: readonly string[];
  /** Deleted files of the same kinds: a renamed test is gone under its old name. */
  readonly gone: readonly string[];
  /** All other files except documents. */
  readonly code: readonly string[];
}

export function proofFiles(changes: readonly Change[]): ProofFiles {
  const beside = changes.filter(({ path }) => isTestFile(path));
  const there = beside.filter(({ status }) => status !== 'deleted');
  const laid = there.map(({ path }) => path);
  const shown = laid.filter((path) => !isDocument(path));
  const own = shown.filter((path) => !isMaterial(path));
  const tests = own.length > 0 ? own : shown;
  return {
    tests,
    added: there.filter(({ path, status }) => status === 'added' && tests.includes(path)).map(({ path }) => path),
    laid,
    gone: beside.filter(({ status }) => status === 'deleted').map(({ path }) => path),
    code: changes.map(({ path }) => path).filter((path) => !isTestFile(path) && !isDocument(path)),
  };
}

/** Whether a file is beside the tests, for their use: it runs nothing by itself. */
function isMaterial(path: string): boolean {
  return (
    /(?:^|\/)(?:__?)?(?:fixtures?|snapshots?|mocks?|testdata|test-data|test_data|helpers?|support|golden|data|resources)(?:__?)?\//i.test(
      path,
    ) ||
    /(?:^|\/)(?:conftest\.py|__init__\.py|(?:test|spec|rails)?[._-]?(?:helpers?|setup|utils?)\.\w+)$/i.test(path) ||
    /\.(?:snap|json|ya?ml|toml|xml|csv|tsv|html?|css|sql|env|ini|lock|bin|zip|gz)$/i.test(path)
  );
}

/** Whether a file is one that no test could fail for. */
function isDocument(path: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return (
    /\.(?:md|markdown|mdx|txt|rst|adoc|png|jpe?g|gif|svg|webp|ico|pdf)$/i.test(file) ||
    /^(?:LICEN[CS]E|NOTICE|AUTHORS|CHANGELOG)$/i.test(file)
  );
}

/** Whether a code file contains tests: they cannot be tried without it. */
export function hasInlineTests(path: string, text: string): boolean {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(INLINE, extension) && INLINE[extension]?.test(text) === true;
}

const VITEST = /\bimport\.meta\.vitest\b/;
/** Anchored to one line: `\s` would run on through the empty lines below, again from each of them. */
const INLINE: Readonly<Record<string, RegExp>> = {
  rs: /#\[(?:\w+::)*test\b|#\[cfg\(test\)\]|^[^\S\r\n\u2028\u2029]*\/\/[/!] ```/m,
  py: /^[^\S\r\n\u2028\u2029]*>>> /m,
  ex: /^[^\S\r\n\u2028\u2029]*iex> /m,
  zig: /^[^\S\r\n\u2028\u2029]*test\s+(?:"|\w+\s*\{|\{)/m,
  d: /^[^\S\r\n\u2028\u2029]*(?:@\w+\s+)*unittest\b/m,
  ts: VITEST,
  tsx: VITEST,
  js: VITEST,
  jsx: VITEST,
};
