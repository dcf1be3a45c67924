import type { Output } from './clean.ts';

/** What task runners print when a task of theirs fails. The first group, if any, is the exit code. */
const FAILURES: readonly RegExp[] = [
  /^\S*make(?:\[\d+\])?: \*\*\* \[[^\]]*\b(?:tests?|checks?|verify)\b[^\]]*\] Error (\d+)$/i,
  /^ERROR: "[^"]*\btest[^"]*" exited with (\d+)\.$/,
  /^rake aborted!$/,
  /^npm (?:error|ERR!) (?:Test failed\. {1,2}See above|Lifecycle script `?test\S*`? failed)/,
  /^\s?ELIFECYCLE\s?.*(?:Test failed|exit code (\d+))/,
  /^error Command failed with exit code (\d+)\.$/,
  /^error: script "test[^"]*" exited with code (\d+)/,
  /^ ?ERROR {2}run failed: command .*exited(?: with status)? \((\d+)\)/,
  /^\S+#test\S*: +(?:ERROR +)?command .* exited \((\d+)\)$/,
  /^\s?(?:NX|Lerna \(powered by Nx\))\s+(?:Running|Ran) targets? test\S* .*failed/,
  /^ +✖ +\d+\/\d+ targets? failed, including the following:$/,
  /^ninja: build stopped: subcommand failed\.$/,
  /^lerna ERR! .*\btest\S*\b.* exited (\d+) in /,
  /^(?:error: )?Recipe `test[^`]*` failed on line \d+ with exit code (\d+)$/,
  /^nox > Session \S+ failed\.$/,
  /^ {2}evaluation failed :\(/,
  /^Process completed with exit code ([1-9]\d*)\.?$/,
];

/** The same for tasks of any name: they count as the last words of all, as tests of tools print such lines, too. */
const LAST_WORDS: readonly RegExp[] = [
  /^\S*make: \*\*\* \[.*\] Error (\d+)$/,
  /^error: Recipe `[^`]+` failed (?:on line \d+ )?with exit code (\d+)$/,
  /^task: Failed to run task "[^"]+": (?:task: .*: )?exit status (\d+)$/,
  /^error: script "[^"]+" exited with code (\d+)/,
  /^npm (?:error|ERR!) Lifecycle script `[^`]+` failed with error:/,
  /^##\[error\]Process completed with exit code ([1-9]\d*)\.?$/,
];
/** How near to the end, in lines that are not empty, a last word stands. */
const LAST_LINES = 3;
/** npm's has details below it. */
const NPM_DETAIL = /^npm (?:error|ERR!)(?! Lifecycle)/;

/** The line with which a task runner reports that the tests ended badly, and the code if it names one. */
export function taskFailure({ lines }: Output): { readonly code: number | null; readonly evidence: string } | null {
  const last = lines.filter((line) => line.trim() !== '' && !NPM_DETAIL.test(line)).slice(-LAST_LINES);
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
