import { type Detector, type Finding, firstOf, summary } from './finding.ts';

/** `Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3, Duration: 5 ms - x.dll` */
const LINE = /^\s*(?:Passed|Failed|Skipped)! +- Failed: +(\d+), Passed: +(\d+), Skipped: +\d+, Total: +\d+/;
/** Blocks of `label: number`, in VSTest's words and in those of the newer platform. */
const TOTAL = /^\s*[Tt]otal(?: tests)?: +(\d+)$/;
const ENDED = /^\s+(passed|succeeded|failed|skipped): +(\d+)$/i;

export const dotnet: Detector = {
  framework: 'dotnet',
  kind: 'runner',
  hints: ['! ', 'Total tests: ', '  total: ', 'error CS', 'error MSB', 'No test is available', 'Test Run '],
  detect: ({ lines }) => {
    const found = lines.flatMap((line, index) => atLine(lines, line, index));
    return found.length > 0 ? found : firstOf('dotnet', lines, OTHERS);
  },
};

function atLine(lines: readonly string[], line: string, index: number): readonly Finding[] {
  const [, failed, passed] = LINE.exec(line) ?? [];
  if (failed !== undefined) return [summary('dotnet', { passed: Number(passed), failed: Number(failed) }, line)];
  if (!TOTAL.test(line)) return [];
  const numbers = new Map<string, number>();
  for (const next of lines.slice(index + 1, index + 4)) {
    const [, word = '', number] = ENDED.exec(next) ?? [];
    if (word !== '') numbers.set(word.toLowerCase(), Number(number));
  }
  if (numbers.size === 0) return [];
  const ended = numbers.get('passed') ?? numbers.get('succeeded') ?? 0;
  return [summary('dotnet', { passed: ended, failed: numbers.get('failed') ?? 0 }, line)];
}

const OTHERS = [
  [/^\S.*\(\d+,\d+\): error CS\d+: /, 'error', 'summary'],
  [/^(?:MSBUILD : |\S+ : )?error MSB\d+: /, 'error', 'summary'],
  [/^No test is available in /, 'no-tests', 'summary'],
  [/^Test Run (?:Failed|Aborted)\.$/, 'fail', 'summary'],
  [/^Test Run Successful\.$/, 'pass', 'summary'],
] as const;
