import { type Detector, type Finding, summary, uncounted } from './finding.ts';

/** Whole lines that count both ways: one word alone says nothing. */
const COUNTS: readonly RegExp[] = [
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?passed:? (?<passed>\d{1,9})[\s,;|/]{1,6}failed:? (?<failed>\d{1,9})\b[^a-z]*$/i,
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?failed:? (?<failed>\d{1,9})[\s,;|/]{1,6}passed:? (?<passed>\d{1,9})\b[^a-z]*$/i,
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?(?<passed>\d{1,9}) (?:tests? )?passed[\s,;|/]{1,6}(?:and )?(?<failed>\d{1,9}) (?:tests? )?failed\b(?: in [\d.]+ ?m?s| \([\d.]+ ?m?s\))?\W{0,10}$/i,
  /^\W{0,10}(?:(?:results?|summary|total|tests?):? +)?(?<failed>\d{1,9}) (?:tests? )?failed[\s,;|/]{1,6}(?:and )?(?<passed>\d{1,9}) (?:tests? )?passed\b(?: in [\d.]+ ?m?s| \([\d.]+ ?m?s\))?\W{0,10}$/i,
];
/** Marks of single tests, as people write them in scripts. */
const BAD = /^\s*(?:✗|✘|✖|❌|\[FAIL(?:ED)?\]|FAIL(?:ED)?:?) \S/;
const GOOD = /^\s*(?:✓|✔|✅|\[(?:PASS(?:ED)?|OK)\]|PASS(?:ED)?:?|ok:?) \S/;
const ALL_PASSED = /^\W{0,10}all (?:\d{1,9} )?tests? passed\W{0,10}$/i;
const SOME_FAILED =
  /^\W{0,10}(?:some|[1-9]\d{0,8}(?: ?(?:of|\/) ?\d{1,9})?) (?:tests?|checks?|specs?|cases?|suites?|scenarios?|assertions?) (?:have )?failed\W{0,10}$/i;

/** Scripts that test without a framework. */
export const generic: Detector = {
  framework: 'script',
  kind: 'generic',
  hints: ['assed', 'ASSED', 'ailed', 'AILED', 'AIL'],
  detect: ({ lines }) => {
    const counted = lines.flatMap(countsAt).at(-1);
    if (counted !== undefined) return [counted];
    const failed = lines.find((line) => SOME_FAILED.test(line));
    if (failed !== undefined) return [uncounted('script', 'fail', failed)];
    const passed = lines.find((line) => ALL_PASSED.test(line));
    // A suite that ends well, and one after it that does not.
    const later = passed !== undefined && lines.slice(lines.indexOf(passed)).some((line) => BAD.test(line));
    if (passed !== undefined && !later) return [uncounted('script', 'pass', passed)];
    return marks(lines);
  },
};

function countsAt(line: string): readonly Finding[] {
  if (line.length > 200) return [];
  return COUNTS.flatMap((pattern) => {
    const groups = pattern.exec(line)?.groups;
    return groups === undefined
      ? []
      : [summary('script', { passed: Number(groups['passed']), failed: Number(groups['failed']) }, line)];
  }).slice(0, 1);
}

function marks(lines: readonly string[]): readonly Finding[] {
  const bad = lines.find((line) => BAD.test(line));
  if (bad !== undefined) return [uncounted('script', 'fail', bad, 'hint')];
  const good = lines.find((line) => GOOD.test(line));
  return good === undefined ? [] : [uncounted('script', 'pass', good, 'hint')];
}
