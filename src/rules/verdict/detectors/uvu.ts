import { type Detector, summary, uncounted } from './finding.ts';

const LABEL = /^ {2}(Total|Passed): {3,5}(\d+)$/;

/** uvu: total and passed on two lines; what failed is what they leave. */
export const uvu: Detector = {
  framework: 'uvu',
  kind: 'runner',
  hints: ['  Total:     ', '  Passed:    '],
  detect: ({ lines }) =>
    lines.flatMap((line, index) => {
      const [, label, number] = LABEL.exec(line) ?? [];
      if (label !== 'Total') return [];
      const [, next, value] = LABEL.exec(lines[index + 1] ?? '') ?? [];
      if (next !== 'Passed') return [uncounted('uvu', 'pass', line, 'hint')];
      // The total counts the tests that ran: those skipped are not among them.
      const passed = Number(value);
      const failed = Math.max(0, Number(number) - passed);
      return [summary('uvu', { passed, failed }, `${line.trim()}, passed: ${passed}`)];
    }),
};
