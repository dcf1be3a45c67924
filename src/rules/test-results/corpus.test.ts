import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DECISIVE, type TestOutcome } from './api.ts';
import { judgeTestRun } from './judge-test-run.ts';

interface Entry {
  readonly command: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly exit_code: number | null;
  readonly label: TestOutcome;
  readonly evidence?: string;
}

const isBad = (outcome: TestOutcome) => outcome === 'fail' || outcome === 'error';

/** Outputs with their expected outcomes, and the least shares that hold over them. */
const SETS = [
  { file: join(import.meta.dirname, '../../../../shared/corpus/test-output.jsonl'), precision: 0.995, recall: 0.99 },
  { file: join(import.meta.dirname, 'outputs.jsonl'), precision: 0.995, recall: 0.99 },
  { file: join(import.meta.dirname, 'outputs-later.jsonl'), precision: 0.98, recall: 0.96, vain: 1 },
].filter(({ file }) => existsSync(file));

describe.each(SETS)('over the outputs in $file', ({ file, precision, recall, vain = 0 }) => {
  const entries = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const judged = entries.map((line) => {
    const { stdout = '', stderr = '', exit_code: exitCode, ...entry } = JSON.parse(line) as Entry;
    return { entry, result: judgeTestRun({ ...entry, stdout, stderr, exitCode }) };
  });

  it('hardly anything is called a failure that is none', () => {
    const failed = judged.filter(({ result }) => result.outcome === 'fail');
    const right = failed.filter(({ entry }) => entry.label === 'fail');
    expect(right.length / failed.length).toBeGreaterThanOrEqual(precision);
  });

  it('nearly every failure that leaves a trace is seen', () => {
    const bad = judged.filter(({ entry }) => isBad(entry.label) && !/^(?:none|weak)$/.test(entry.evidence ?? ''));
    const seen = bad.filter(({ result }) => isBad(result.outcome));
    expect(seen.length / bad.length).toBeGreaterThanOrEqual(recall);
  });

  it('next to nothing good is rolled back', () => {
    const harmed = judged.filter(
      ({ entry, result }) => !isBad(entry.label) && isBad(result.outcome) && result.confidence >= DECISIVE,
    );
    expect(harmed.map(({ entry }) => entry.command).slice(vain)).toEqual([]);
  });
});
