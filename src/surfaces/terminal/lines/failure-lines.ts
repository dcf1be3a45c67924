/** Lines on which runners name what failed. */
const FAILED =
  /^\s*(?:not ok\b|[✗✖×✕✘❌]|FAIL(?:ED|URE)?\b|--- FAIL|●\s|\d+\) |error(?:\[\w+\])?:|\S+(?::\d+(?::\d+)?|\(\d+,\d+\)):? (?:- )?error\b|\d+:\d+\s+error\b)|\.\.\. FAILED$|\bpanicked at\b/;

/** Lines that say why. */
const WHY =
  /\b\w*(?:Error|Exception):?(?:\s|$)|^\s*(?:E {2,}|error:|\+ expected|[Ee]xpected\b)|\b(?:expected|AssertionError)\b/;

/** A passed test may have any name. */
const PASSED = /^\s*(?:ok \d|[✓✔√]|PASS\b|#)/;

/** TAP lines beside a failure that no person looks for. */
const NOISE =
  /^\s*(?:---|\.\.\.|TAP version \d+|duration_ms: .*|type: '\w+'|failureType: .*|code: 'ERR_\w+'|stack: \|-)$/;

/** Lines shown of the failure's name when the reason is further away. */
const OF_NAME = 3;

/**
 * The lines of a failed check that a person looks for first: the name of the first failing test, and why. Without a
 * known pattern the last ones, as runners sum up at the end. Pure.
 * @param most how many lines
 */
export function failureLines(output: readonly string[], most: number): readonly string[] {
  const lines = output.filter((line) => line.trim() !== '' && !NOISE.test(line));
  const named = lines.findIndex((line) => FAILED.test(line) && !PASSED.test(line));
  const from = Math.max(0, named);
  const offset = lines.slice(from).findIndex((line) => WHY.test(line) && !PASSED.test(line));
  const why = offset < 0 ? -1 : from + offset;
  if (named < 0 && why < 0) return lines.slice(-most);
  // The line before says where, in runners that do not mark failures.
  if (named < 0) return windowAt(lines, Math.max(0, why - 1), most);
  if (why < named + most) return windowAt(lines, named, most);
  return [...lines.slice(named, named + OF_NAME), '…', ...lines.slice(why, why + most - OF_NAME - 1)];
}

/** That many lines from there on; near the end those before it, too. */
function windowAt(lines: readonly string[], start: number, most: number): readonly string[] {
  const from = Math.max(0, Math.min(start, lines.length - most));
  return lines.slice(from, from + most);
}
