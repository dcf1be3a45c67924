import { describe, expect, it } from 'vitest';
import { joinProgress } from './join-progress.ts';

const head = '# Log\n\n## Patterns\n- one\n---\n';
const entry = (n: number, story: string) =>
  `[2026-11-21T10:00:00.000Z] #${n} SUCCESS | accepted | implement | ${story}\n`;

describe('joinProgress', () => {
  const base = `${head}${entry(1, 'US-001')}`;

  it('puts the entries of the lane below those of the branch, with the numbers of the run', () => {
    const joined = joinProgress({
      base,
      branch: `${base}${entry(2, 'US-002')}`,
      lane: `${base}## US-003\nlearned something\n${entry(1, 'US-003')}`,
      numbers: new Map([[1, 3]]),
    });
    expect(joined).toBe(`${base}${entry(2, 'US-002')}## US-003\nlearned something\n${entry(3, 'US-003')}`);
  });

  it('adds patterns once', () => {
    const lane = base.replace('- one\n', '- one\n- two\n');
    const branch = base.replace('- one\n', '- one\n- three\n');
    const joined = joinProgress({ base, branch, lane, numbers: new Map() });
    expect(joined).toContain('- one\n- three\n- two\n---\n');
    expect(joinProgress({ base, branch: joined, lane, numbers: new Map() })).toBe(joined);
  });

  it('leaves the log of the branch alone when the lane added nothing', () => {
    expect(joinProgress({ base, branch: `${base}x\n`, lane: base, numbers: new Map() })).toBe(`${base}x\n`);
  });
});
