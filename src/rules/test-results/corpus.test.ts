import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DECISIVE, type TestOutcome } from './api.ts';
import { judgeTestRun } from './judge-test-run.ts';

const FILE = join(import.meta.dirname, '../../../../shared/corpus/test-output.jsonl');

interface Entry {
  readonly command: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly exit_code: number | null;
  readonly label: TestOutcome;
  readonly evidence: string;
}

const isBad = (outcome: TestOutcome) => outcome === 'fail' || outcome === 'error';

describe.skipIf(!existsSync(FILE))('over a corpus of real output', () => {
  const judged = (existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean) : []).map((line) => {
    const entry = JSON.parse(line) as Entry;
    return { entry, result: judgeTestRun({ ...entry, exitCode: entry.exit_code }) };
  });

  it('hardly anything is called a failure that is none', () => {
    const failed = judged.filter(({ result }) => result.outcome === 'fail');
    const right = failed.filter(({ entry }) => entry.label === 'fail');
    expect(right.length / failed.length).toBeGreaterThanOrEqual(0.99);
  });

  it('nearly every failure that leaves a trace is seen', () => {
    const bad = judged.filter(({ entry }) => isBad(entry.label) && !/^(?:none|weak)$/.test(entry.evidence));
    const seen = bad.filter(({ result }) => isBad(result.outcome));
    expect(seen.length / bad.length).toBeGreaterThanOrEqual(0.97);
  });

  it('nothing good is rolled back', () => {
    const harmed = judged.filter(
      ({ entry, result }) => !isBad(entry.label) && isBad(result.outcome) && result.confidence >= DECISIVE,
    );
    expect(harmed.map(({ entry }) => entry.command)).toEqual([]);
  });
});
