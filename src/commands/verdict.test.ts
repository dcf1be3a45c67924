import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { memoryIo } from '../surfaces/terminal/io.fixture.ts';
import type { RawFlags } from './shared/flags.ts';
import { explainVerdict, testVerdicts } from './verdict.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'ralph-verdict-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

describe('ralph verdict explain', () => {
  const explain = async (output: string, flags: RawFlags) => {
    await writeFile(join(cwd, 'out.txt'), output);
    const io = memoryIo({ cwd });
    await explainVerdict(['out.txt'], flags, io);
    return io.out();
  };

  it('tells the verdict, the runs and the findings', async () => {
    const out = await explain('2 failed, 3 passed in 0.12s\n', { command: 'pytest -q', exit: '1' });
    expect(out).toMatch(/^fail {3}pytest, 3 passed, 2 failed$/m);
    expect(out).toContain('pytest -q  (pytest; all of its output is here)');
    expect(out).toContain('pytest: fail (summary)  2 failed, 3 passed in 0.12s');
  });

  it('takes output without a command for that of a test run', async () => {
    const data = JSON.parse(await explain('3 passed in 0.12s\n', { json: true }));
    expect(data).toMatchObject({ verdict: { outcome: 'pass', passed: 3 }, decisive: true });
  });

  it('refuses a code that is none and a file that is not there', async () => {
    await expect(explain('', { exit: 'one' })).rejects.toThrow("--exit does not take 'one'");
    await expect(explainVerdict(['none.txt'], {}, memoryIo({ cwd }))).rejects.toThrow('there is no file none.txt');
  });
});

describe('ralph verdict test', () => {
  const line = (label: string, stdout: string) =>
    JSON.stringify({ command: 'pytest | tail -1', stdout, stderr: '', exit_code: 0, label });
  const test = async (lines: readonly string[], flags: RawFlags = {}) => {
    await writeFile(join(cwd, 'cases.jsonl'), lines.join('\n'));
    const io = memoryIo({ cwd });
    await testVerdicts(['cases.jsonl'], flags, io);
    return io.out();
  };

  it('adds up how well the verdicts fit', async () => {
    const out = await test([
      line('fail', '1 failed in 0.1s'),
      line('pass', '1 failed in 0.1s'),
      line('pass', '1 passed in 0.1s'),
    ]);
    expect(out).toContain('cases.jsonl:2: pass, got fail (0.97): pytest | tail -1 [1 failed in 0.1s]');
    expect(out).toContain('3 cases, 2 as expected');
    expect(out).toContain('fail: precision 50.0 %, recall 100.0 %');
    expect(out).toContain('wrongly rolled back: 1');
  });

  it('gives programs one row per line and the sums', async () => {
    const data = JSON.parse(
      await test([line('fail', '1 failed in 0.1s'), line('no-tests', 'no tests ran in 0.1s')], { json: true }),
    );
    expect(data.rows).toEqual([
      { index: 0, expected: 'fail', got: 'fail', confidence: 0.97 },
      { index: 1, expected: 'no-tests', got: 'no-tests', confidence: 0.97 },
    ]);
    expect(data.summary).toMatchObject({ cases: 2, correct: 2, failPrecision: 1, badRecall: 1, falseRollbacks: 0 });
  });

  it('names lines with a label or a field that it does not know', async () => {
    await expect(test([line('failed', '')])).rejects.toMatchObject({
      problems: [{ line: 1, message: 'unknown label "failed"', fix: expect.stringContaining('did you mean fail?') }],
    });
    await expect(test(['{"command":1,"label":"pass"}'])).rejects.toMatchObject({
      problems: [{ line: 1, message: 'command, stdout and stderr must be strings' }],
    });
  });
});
