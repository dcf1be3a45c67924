import { type Detector, type Finding, firstOf, summary, uncounted } from './finding.ts';

/** `ℹ fail 1` of the reporter `spec`, `# fail 1` of `tap`. */
const COUNT = /^(ℹ|#) (tests|suites|pass|fail|cancelled|skipped|todo) (\d+)$/;

/** Node's own test runner. Its block of counts names `cancelled`, which other speakers of TAP do not. */
export const nodeTest: Detector = {
  framework: 'node:test',
  kind: 'runner',
  hints: ['ℹ pass', 'ℹ fail', 'ℹ tests', '# cancelled', '✖ '],
  detect: ({ lines }) => {
    const blocks = blocksOf(lines).filter((block) => block.numbers.has('cancelled') || block.mark === 'ℹ');
    const broken = filesThatDidNotLoad(lines);
    const summaries = blocks.filter((block) => block.numbers.has('fail')).map((block) => judge(block, broken));
    return [...summaries, ...firstOf('node:test', lines, DETAILS)];
  },
};

interface Block {
  readonly mark: string;
  readonly numbers: Map<string, number>;
  evidence: string;
}

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const line of lines) {
    const [, mark = '', name = '', number = ''] = COUNT.exec(line) ?? [];
    if (mark === '') continue;
    let block = blocks.at(-1);
    if (block === undefined || block.numbers.has(name) || block.mark !== mark) {
      block = { mark, numbers: new Map(), evidence: line };
      blocks.push(block);
    }
    block.numbers.set(name, Number(number));
    if (name === 'fail') block.evidence = line;
  }
  return blocks;
}

function judge({ numbers, evidence }: Block, broken: number): Finding {
  const fail = numbers.get('fail') ?? 0;
  // A file that cannot be loaded counts as one failed test.
  const failed = Math.max(0, fail - broken);
  const errors = fail - failed + (numbers.get('cancelled') ?? 0);
  const found = summary('node:test', { passed: numbers.get('pass') ?? 0, failed, errors }, evidence);
  if (numbers.has('pass')) return found;
  // `tail` took the count of those that passed.
  return found.outcome === 'no-tests' && numbers.get('tests') !== 0
    ? uncounted('node:test', 'pass', evidence)
    : { ...found, passed: null };
}

/** Files reported as a test of their own: they ended with an exit code instead of results. */
function filesThatDidNotLoad(lines: readonly string[]): number {
  const tap = lines.filter((line) => /^ *error: 'test failed'$/.test(line)).length;
  const from = lines.indexOf('✖ failing tests:');
  const spec = from < 0 ? 0 : lines.slice(from).filter((line) => /^ *'test failed'$/.test(line)).length;
  return tap + spec;
}

const DETAILS = [
  [/^ *✖ \S.* \(\d+\.\d+ms\)$/, 'fail', 'detail'],
  [/^✖ failing tests:$/, 'fail', 'detail'],
] as const;
