import { ownValue } from '../../contracts/index.ts';
import type { Output } from './clean.ts';
import type { Echo, Recognition } from './recognise/scope.ts';

/** What is known about how the runs ended, without the frameworks' output. */
export interface Known {
  /** Runs that certainly ended with 0. */
  readonly succeeded: ReadonlySet<number>;
  /** A non-zero code that tests may have caused; null when none is known. */
  readonly failure: Failure | null;
  /** The command printed that a run succeeded. */
  readonly printed: boolean;
}

interface Failure {
  /** null when it is only known to be non-zero. */
  readonly code: number | null;
  /** Something other than tests may have caused it. */
  readonly others: boolean;
  /** The evidence, for a human reader. */
  readonly evidence: string;
}

/** A status line is searched for near the end: any program may print one earlier. */
const LAST_LINES = 4;

/** Reads the exit code, and the codes and words that the command itself printed, for the runs they describe. */
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
    // After a `!` the code is not that of the tests.
    else if ([...about.blames].some((run) => steps[run]?.certainty === 'test') && failure === null) {
      const others = about.others || [...about.blames].some((run) => steps[run]?.certainty === 'maybe');
      failure = { code: about.inverted ? null : code, others, evidence };
    }
  }
  const printed = told.some(({ about, code }) => about.proves.size > 0 && (code === 0) !== about.inverted);
  return { succeeded, printed, failure: failure ?? (mixed ? null : reported(steps, succeeded, output)) };
}

/** Coverage below its threshold, in the words of nyc, c8, Vitest, Jest, pytest, SimpleCov, JaCoCo, Mix …: all tests may have passed. */
const BELOW_THRESHOLD =
  /^.{0,60}\bcover(?:age|ed)\b.{0,80}\b(?:does not meet|not met|not reached|below (?:the )?(?:threshold|expected|specified|minimum)|but expected minimum)/i;

/** What a runner prints as long as it runs, if its summary always follows. */
const BEGUN: Readonly<Record<string, RegExp>> = {
  jest: /^ {2}● {1,2}process\.exit called with/,
  mocha: /^ {2,}[✔✓] \S/,
  bun: /^bun test v\d/,
  deno: /^running \d+ tests? from /,
  playwright: /^Running \d+ tests? using \d+ workers?/,
  pytest: /^=+ test session starts =+$/,
  phpunit: /^[.FEWRSIDN]+(?: +\d+ \/ \d+ \( ?\d+%\))?$/,
  minitest: /^# Running:$/,
  exunit: /^Running ExUnit with seed: /,
  cargo: /^running \d+ tests?$/,
  gtest: /^\[=+\] Running \d+ tests? from /,
};

/** The line with which a run began that has no summary although all of its output is here: a test ended the process. */
export function brokenOff({ steps }: Recognition, { lines }: Output): string | null {
  const begun = steps.flatMap(({ framework, seen, certainty }) => {
    const own = seen === 'all' && certainty === 'test' && framework !== null ? ownValue(BEGUN, framework) : undefined;
    return own === undefined ? [] : [own];
  });
  return lines.find((line) => begun.some((pattern) => pattern.test(line)))?.trim() ?? null;
}

/** A task runner's own report, without better evidence: only about runs that it may describe. */
function reported(steps: Recognition['steps'], succeeded: ReadonlySet<number>, output: Output): Failure | null {
  const tests = steps.filter(({ certainty }) => certainty === 'test');
  const below = tests.every((step) => succeeded.has(steps.indexOf(step)))
    ? undefined
    : output.lines.find((line) => BELOW_THRESHOLD.test(line));
  if (below !== undefined) return { code: null, others: false, evidence: below.trim() };
  const open = (tests.length > 0 ? tests : steps).filter(({ framework, named }) => framework === null || named);
  if (!open.some((step) => !succeeded.has(steps.indexOf(step)))) return null;
  const found = taskFailure(output);
  return found && { ...found, others: false };
}

interface Told {
  readonly about: Echo['about'];
  /** null: non-zero. */
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

/** What task runners print when one of their tasks fails. The first group, if any, is the exit code. */
const FAILURES: readonly RegExp[] = [
  /^\S*make(?:\[\d+\])?: \*\*\* \[[^\]]*\b(?:tests?|checks?|verify)\b[^\]]*\] Error (\d+)$/i,
  /^ERROR: "[^"]*\btest[^"]*" exited with (\d+)\.$/,
  /^rake aborted!$/,
  /^(?:.*: )?Command failed with status \((\d+)\): \[(?:\S*(?:ruby|rspec|rake|minitest|bundle|test|spec)\b)/,
  /^npm (?:error|ERR!) (?:Test failed\. {1,2}See above|Lifecycle script `?test\S*`? failed)/,
  /^\s?\[?ELIFECYCLE\]?\s?.*(?:Test failed|exit code (\d+))/,
  /^error Command failed with exit code (\d+)\.$/,
  /^error: script "test[^"]*" exited with code (\d+)/,
  /^ ?ERROR {2}run failed: command .*exited(?: with status)? \((\d+)\)/,
  /^\S+#test\S*: +(?:ERROR +)?command .* exited \((\d+)\)$/,
  /^\s?(?:NX|Lerna \(powered by Nx\))\s+(?:Running|Ran) targets? test\S* .*failed/,
  /^ +✖ +\d+\/\d+ targets? failed, including the following:$/,
  /^ninja: build stopped: subcommand failed\.$/,
  /^lerna ERR! .*\btest\S*\b.* exited (\d+) in /,
  /^(?:error: )?Recipe `test[^`]*` failed on line \d+ with exit code (\d+)$/,
  /^ERROR: {3}\S+: commands failed$/,
  // concurrently; a killed task has the name of a signal.
  /^(?:\[[^\]]+\] )?(?:npm|yarn|pnpm|bun) (?:run )?\S+.* exited with code (?:([1-9]\d*)|SIG[A-Z]+)$/,
  /^nox > Session \S+ failed\.$/,
  /^ {2}evaluation failed :\(/,
  /^Process completed with exit code ([1-9]\d*)\.?$/,
];

/** Failures of tasks of any name: they count only in the final lines, because tests of tools print such lines too. */
const LAST_WORDS: readonly RegExp[] = [
  /^\S*make: \*\*\* \[.*\] Error (\d+)$/,
  /^error: Recipe `[^`]+` failed (?:on line \d+ )?with exit code (\d+)$/,
  /^task: Failed to run task "[^"]+": (?:task: .*: )?exit status (\d+)$/,
  /^error: script "[^"]+" exited with code (\d+)/,
  /^npm (?:error|ERR!) Lifecycle script `[^`]+` failed with error:/,
  /^##\[error\]Process completed with exit code ([1-9]\d*)\.?$/,
];
/** How close to the end, in non-empty lines, such a report is. */
const LAST_WORD_LINES = 3;
/** npm prints details below its report. */
const NPM_DETAIL = /^npm (?:error|ERR!)(?! Lifecycle)/;

/** The line in which a task runner reports that the tests failed, and the code if it gives one. */
function taskFailure({ lines }: Output): { readonly code: number | null; readonly evidence: string } | null {
  const last = lines.filter((line) => line.trim() !== '' && !NPM_DETAIL.test(line)).slice(-LAST_WORD_LINES);
  return told(lines, FAILURES) ?? told(last, LAST_WORDS);
}

function told(lines: readonly string[], patterns: readonly RegExp[]): ReturnType<typeof taskFailure> {
  for (const line of lines) {
    for (const pattern of patterns) {
      const match = pattern.exec(line);
      if (match !== null) return { code: match[1] === undefined ? null : Number(match[1]), evidence: line.trim() };
    }
  }
  return null;
}

/** Lines that say why tests could not run. They decide nothing alone: passing tests print them too. */
const TROUBLE: readonly RegExp[] = [
  /^(?:.*: )?(?:line )?\d*:? ?[\w./@-]+: (?:command )?not found$/,
  /^(?:ba|z|da|k)?sh: .*: (?:not found|No such file or directory|Permission denied)$/,
  /^.*\bcd: .*: (?:No such file or directory|Not a directory)$/,
  /No module named ['"]?[\w.-]+/,
  /^(?:npm (?:error|ERR!)|error|ERR_PNPM\w*).*[Mm]issing script:? /,
  /^npm (?:error|ERR!) (?:code (?:ENOENT|EACCES)|enoent)/,
  /^npm (?:error|ERR!) (?:No workspaces found|could not determine executable|404 )/,
  /\bERR_PNPM_(?:NO_|RECURSIVE_RUN_NO_|WORKSPACE_)/,
  /^lerna ERR! (?:EFILTER|ENOLERNA|ENOPKG|ENOWORKSPACES) /,
  /^error Command ["'].*["'] not found\./,
  /^(?:error Couldn't find |Usage Error: |Internal Error: |error Unknown workspace )/,
  /^\s*NX\s+(?:Cannot find|Could not find) /,
  /^\s*(?:x|×) (?:Could not find|Missing) (?:task|tasks|package|script|turbo\.json)\b/,
  /^(?:Could not locate Gemfile|Could not find .* in (?:any of the sources|locally installed gems)|bundler: )/,
  /^Don't know how to build task /,
  /^Task '.*' not found in (?:root )?project /,
  /^(?:\[ERROR\] .*there is no POM in this directory|\[ERROR\] Could not find the selected project)/,
  /^\S*python[\d.]*: can't open file /,
  /^(?:Could not open input file: |Can't open perl script |\S*ruby: No such file or directory -- )/,
  /^Poetry could not find a pyproject\.toml file/,
  /^\S*make(?:\[\d+\])?: \*\*\* (?:No rule to make target|No targets|.*: No such file or directory\.)/,
  /^(?:Uncaught )?(?:Syntax|Reference|Module\w*|Import)Error\b/,
  /^\s*(?:.*\bError: )?Cannot find (?:module|package) ['"]/,
  /^\s*code: '(?:ERR_)?MODULE_NOT_FOUND',?$/,
  /^\s*(?:Preset|Test environment|Reporter) \S+ (?:was )?(?:not|cannot be) found/,
  // A runner's own stack frames, outside any test.
  /^\s+at .*\/(?:jest-cli\/build\/run|mocha\/lib\/cli\/|jasmine\/lib\/(?:jasmine|loader)\.js|@cucumber\/cucumber\/lib\/api\/|playwright\/lib\/cli\/)/,
  /\berror TS\d{4}: /,
  /^error(?:\[E\d{4}\])?: /,
  /^\S+:\d+(?::\d+)?: (?:fatal )?error: /,
  /^.*(?:Could not find or load main class|ClassNotFoundException|UnsupportedClassVersionError)/,
  /^(?:LoadError|.*cannot load such file) -- /,
  /^(?:PHP )?(?:Fatal|Parse) error: /,
  /^Can't locate \S+ in @INC/,
  /^(?:\S*make(?:\[\d+\])?: \*\*\* \[.*\] |.*\.sh: line \d+: +\d+ |\S*sh: line \d+: +\d+ )?(?:Segmentation fault|Aborted|Killed|Bus error|Illegal instruction|Floating point exception)\b/,
  /^\S+: \S+:\d+: .*: Assertion `.*' failed\.$/,
  /^\s*Could not resolve a module for /,
  /^(?:Fatal Python error: |panic: |fatal error: |terminate called |libc\+\+abi: terminating)/,
  // Node prints it last when nothing caught an error.
  /^Node\.js v\d+\.\d+\.\d+$/,
  /JavaScript heap out of memory/,
  /^Cannot connect to the Docker daemon/,
];

/** How a shell or a program launcher reports that it could not start the program. */
const REFUSED: readonly RegExp[] = [
  /^(?:\S.*[: ])?(?:cd|pushd|chdir):(?:\d+:)? .*(?:no such file or directory|not a directory|permission denied|can't cd to|does not exist|too many arguments)/i,
  /^(?:\S+: )?(?:line )?\d*:? ?[\w./@-]+: (?:command )?not found$|^zsh:(?:\d+:)? command not found: /,
  /^(?:env|timeout|nice|nohup|stdbuf|xargs|setsid): .*(?:No such file or directory|Permission denied)$/,
];

/** `npm init` writes this script; it runs no tests and says so. */
const NO_SCRIPT = /^(?:Error: )?no test specified$/i;

/** The line that says why tests did not run; null without one. */
export function troubleIn({ lines }: Output): string | null {
  return lines.find((line) => TROUBLE.some((pattern) => pattern.test(line)))?.trim() ?? null;
}

/** The shell's own message, when there is no other output: nothing ran. Null when anything else was printed. */
export function nothingRan({ lines }: Output): string | null {
  const filled = lines.filter((line) => line.trim() !== '');
  return filled.every((line) => REFUSED.some((pattern) => pattern.test(line))) ? (filled[0] ?? null) : null;
}

/** The line with which a project says that it has no tests; null without one. */
export function noTestScript({ lines }: Output): string | null {
  return lines.find((line) => NO_SCRIPT.test(line.trim()))?.trim() ?? null;
}
