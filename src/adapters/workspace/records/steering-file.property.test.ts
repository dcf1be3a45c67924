import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/property-runs.ts';
import { signedLine } from '../../../../test/support/signed-line.ts';
import { limitsProblem, noteProblem, steeringOf } from '../../../rules/steering/index.ts';
import { mangled } from '../mangled.fixture.ts';
import { tempTree } from '../temp-tree.fixture.ts';
import { readSteering } from './steering-file.ts';

const head = { version: 1, id: 'a', at: 1 };
const story = { id: 'US-9', title: 't' };
const ENTRIES = [
  { ...head, kind: 'note', text: 'mind the gap' },
  { ...head, kind: 'pause', run: 'r1' },
  { ...head, kind: 'stop', run: 'r1', now: true },
  { ...head, kind: 'limits', run: 'r1', limits: { maxIterations: 5, maxCost: null } },
  { ...head, kind: 'answer', question: 'Q1', text: 'yes' },
  { ...head, kind: 'circuit-reset' },
  { ...head, kind: 'story', story: 'A', decision: 'approve' },
  { ...head, kind: 'block', story: 'A', reason: 'later' },
  { ...head, kind: 'add', folder: 'ralph', story },
  { ...head, kind: 'waive', story: 'A', finding: 'f', reason: 'no matter' },
];

test('a line that nobody could have said is skipped and told, and never ends a run', async () => {
  const dir = await tempTree();
  // Signed as it is: what is wrong with a line is told even where its writer has the key.
  const signed = (line: string): string => {
    try {
      const value = JSON.parse(line);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      return isObject ? signedLine(dir, value) : line;
    } catch {
      return line;
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(mangled(ENTRIES), { maxLength: 4 }), async (lines) => {
      writeFileSync(`${dir}/steering.jsonl`, lines.map((line) => `${signed(line)}\n`).join(''));
      const problems: string[] = [];
      const entries = await readSteering(dir, (problem) => problems.push(problem));
      expect(entries.length + problems.length).toBe(lines.filter((line) => line !== '').length);
      for (const entry of entries) {
        // What is read later as a moment has to be one.
        expect(Number.isNaN(new Date(entry.at).getTime())).toBe(false);
        if (entry.kind === 'limits') expect(limitsProblem({ ...entry.limits })).toBeNull();
        if (entry.kind === 'note' || entry.kind === 'answer') expect(noteProblem(entry.text)).toBeNull();
        if (entry.kind === 'story') expect(['approve', 'reopen']).toContain(entry.decision);
        if (entry.kind === 'add')
          expect([typeof entry.story.id, typeof entry.story.title]).toEqual(['string', 'string']);
      }
      expect(() => steeringOf(entries, [], 'r1')).not.toThrow();
    }),
    { numRuns: runs(600) },
  );
});
