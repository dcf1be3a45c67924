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

/** The line with which a task runner reports that the tests ended badly, and the code if it names one. */
export function taskFailure({ lines }: Output): { readonly code: number | null; readonly evidence: string } | null {
  for (const line of lines) {
    for (const pattern of FAILURES) {
      const match = pattern.exec(line);
      if (match !== null) return { code: match[1] === undefined ? null : Number(match[1]), evidence: line.trim() };
    }
  }
  return null;
}
