import { type Detector, type Finding, summary, uncounted } from './finding.ts';

/** What pretty printers of TAP end with, each form as the patterns of its lines in their order. */
const BLOCKS: readonly (readonly RegExp[])[] = [
  // tap-spec, tap-dot and their kin
  [/^ *total: +(?<total>\d+)$/, /^ *pass(?:ing|ed)?: +(?<passed>\d+)$/, /^ *fail(?:ing|ed)?: +(?<failed>\d+)$/],
  // tap-spec leaves the third out when there are none
  [/^ *total: +(?<total>\d+)$/, /^ *passing: +(?<passed>\d+)$/, /^ *duration: /],
  [/^ *(?<total>\d+) tests$/, /^ *(?<passed>\d+) passed$/, /^ *(?<failed>\d+) failed$/],
  // tap-summary
  [/^assertions: *(?<total>\d+)$/, /^pass(?:ing)?: *(?<passed>\d+)$/, /^fail(?:ing)?: *(?<failed>\d+)$/],
  // faucet
  [/^# tests +(?<total>\d+)$/, /^# pass +(?<passed>\d+)$/, /^(?:⨯|✗|✖|x) fail +(?<failed>\d+)$/],
  // tap-diff
  [/^ *passed: +(?<passed>\d+),? +failed: +(?<failed>\d+) +of +(?<total>\d+) tests?\b/],
];
/** tap-spec */
const FAILED = /^ *Failed Tests: There (?:was|were) (\d+) failures?$/;

/** Printers that stand behind a pipe: `tape test | tap-spec`. */
export const tapReporters: Detector = {
  framework: 'tap',
  kind: 'protocol',
  hints: ['ailed', 'failing: ', ' fail ', 'fail: ', 'passing: '],
  detect: ({ lines }) => {
    const filled = lines.filter((line) => line.trim() !== '');
    const found = BLOCKS.flatMap((block) => filled.flatMap((_, index) => blockAt(block, filled, index))).slice(0, 1);
    if (found.length > 0) return found;
    const failed = filled.find((line) => FAILED.test(line));
    return failed === undefined ? [] : [uncounted('tap', 'fail', failed)];
  },
};

function blockAt(block: readonly RegExp[], lines: readonly string[], index: number): readonly Finding[] {
  const counts: Record<string, string> = {};
  for (const [offset, pattern] of block.entries()) {
    const match = pattern.exec(lines[index + offset] ?? '');
    if (match === null) return [];
    Object.assign(counts, match.groups);
  }
  const evidence = lines[index + block.length - 1] ?? '';
  return [summary('tap', { passed: Number(counts['passed']), failed: Number(counts['failed'] ?? 0) }, evidence)];
}
