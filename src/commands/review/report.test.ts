import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ReviewFinding } from '../../contracts/index.ts';
import { plain } from '../../surfaces/terminal/index.ts';
import { pointOf, type ReviewReport, sarifReport, textReport } from './report.ts';

function finding(claim: string, file: string | null = null): ReviewFinding {
  return { id: 'F-1a2b3c4d', file, criterion: null, claim, state: 'open', foundIn: 1, lastFoundIn: 1 };
}

test.each([
  ['error: src/a.ts:12: adds the tax twice', 'src/a.ts', 'error', 12, 'adds the tax twice'],
  ['**Minor**: src/a.ts:12-14: says nothing', 'src/a.ts', 'note', 12, 'says nothing'],
  ['[medium] - `src/a.ts` line 7 is never reached', 'src/a.ts', 'warning', 7, '`src/a.ts` line 7 is never reached'],
  ['src/a.ts: no test covers refunds', 'src/a.ts', 'warning', null, 'no test covers refunds'],
  ['src/a.ts:3', 'src/a.ts', 'warning', 3, 'src/a.ts:3'],
  ['nothing says what it is for', null, 'warning', null, 'nothing says what it is for'],
] as const)('reads place and severity from: %s', (claim, file, severity, line, text) => {
  expect(pointOf(finding(claim, file), ['claude'])).toEqual({
    id: 'F-1a2b3c4d',
    file,
    line,
    severity,
    text,
    by: ['claude'],
  });
});

const report: ReviewReport = {
  verdict: 'changes-requested',
  why: '',
  target: 'main..HEAD',
  base: 'a'.repeat(40),
  head: 'b'.repeat(40),
  reviewers: ['claude', 'codex'],
  findings: [
    { id: 'F-1', file: 'src/ä b.ts', line: 3, severity: 'error', text: 'wrong\u001b[2J', by: ['claude', 'codex'] },
    { id: 'F-2', file: null, line: null, severity: 'note', text: 'two\nlines', by: ['codex'] },
  ],
  notes: '',
  fixes: [{ commit: 'c'.repeat(40), subject: 'fix: it' }],
  costUsd: null,
};

test('the text numbers findings and says who of a panel found each; an agent cannot steer the terminal', () => {
  expect(textReport(report, plain).split('\n')).toEqual([
    `fixed in ${'c'.repeat(12)} fix: it`,
    '',
    '1.  error  src/ä b.ts:3',
    '    wrong',
    '    found by claude, codex',
    '',
    '2.  note',
    '    two',
    '    lines',
    '    found by codex',
    '',
    'changes requested: main..HEAD: 2 findings (claude, codex)',
    '',
  ]);
});

/** What the schema of SARIF 2.1.0 requires of the parts that are used. */
const message = z.strictObject({ text: z.string().min(1) });
const level = z.enum(['none', 'note', 'warning', 'error']);
const physicalLocation = z.strictObject({
  artifactLocation: z.strictObject({ uri: z.string().regex(/^[\w.~!$&'()*+,;=:@%/-]+$/), uriBaseId: z.string() }),
  region: z.strictObject({ startLine: z.int().min(1) }),
});
const result = z.strictObject({
  ruleId: z.string(),
  level,
  message,
  locations: z.array(z.strictObject({ physicalLocation })).optional(),
  partialFingerprints: z.record(z.string(), z.string()),
});
const run = z.strictObject({
  tool: z.strictObject({
    driver: z.strictObject({
      name: z.string(),
      version: z.string(),
      rules: z.array(z.strictObject({ id: z.string(), shortDescription: message })),
    }),
  }),
  invocations: z.array(
    z.strictObject({
      executionSuccessful: z.boolean(),
      toolExecutionNotifications: z.array(z.strictObject({ level, message })).optional(),
    }),
  ),
  properties: z.record(z.string(), z.unknown()),
  results: z.array(result),
});
const sarif = z.strictObject({ $schema: z.url(), version: z.literal('2.1.0'), runs: z.array(run).length(1) });

test('SARIF has the form of 2.1.0, for findings and for a review without a verdict', () => {
  const [found] = sarif.parse(JSON.parse(sarifReport(report))).runs;
  expect(found?.results.map(({ level: of, locations }) => [of, locations?.length])).toEqual([
    ['error', 1],
    ['note', undefined],
  ]);
  const none = sarif.parse(JSON.parse(sarifReport({ ...report, verdict: null, why: 'out of budget', findings: [] })));
  expect(none.runs[0]?.invocations).toEqual([
    {
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: 'error', message: { text: 'out of budget' } }],
    },
  ]);
});
