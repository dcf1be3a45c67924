import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../../../test/support/property-runs.ts';
import { makeHistory } from './history.fixture.ts';

/** PROPERTY_SHARE=20 for a thorough search. */
const settings = { numRuns: runs(20), endOnFailure: true };

const PATHS = ['a', 'b', 'd/c', 'new'];
const step = fc.record({
  who: fc.constantFrom('S-1', 'S-2', 'S-3', 'person', 'main', 'merge'),
  deed: fc.constantFrom('line', 'line', 'line', 'remove', 'write', 'nothing'),
  path: fc.constantFrom(...PATHS),
  line: fc.nat(7),
});
const NINE = Array.from({ length: 8 }, (_, at) => `line ${at}`);

function changed(
  now: string | null,
  { deed, path, line }: { readonly deed: string; readonly path: string; readonly line: number },
  stamp: string,
): Readonly<Record<string, string | null>> {
  if (deed === 'nothing') return {};
  if (deed === 'remove') return { [path]: null };
  if (deed === 'write' || now === null) return { [path]: `${[...NINE, stamp].join('\n')}\n` };
  return { [path]: `${now.trimEnd().split('\n').with(line, stamp).join('\n')}\n` };
}

test('for any history the last tree is the branch on its target, without ralph, and no commit is lost', async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 9 }), fc.boolean(), async (steps, squash) => {
      const text = `${NINE.join('\n')}\n`;
      const history = await makeHistory({ a: text, b: text, 'd/c': text, 'ralph/prd.md': 'of main\n' });
      const { run, sh } = history;
      const persons: string[] = [];
      const stories = new Set<string>();
      for (const [at, one] of steps.entries()) {
        if (one.who === 'main') {
          const shown = sh(`git show 'main:${one.path}' 2>/dev/null || :`) || null;
          history.onMain(changed(shown, one, `main ${at}`));
        } else if (one.who === 'merge') {
          sh(`git merge -q -m 'merge ${at}' -X theirs main >&2 || { git add -A; git commit -q -m 'merge ${at}'; }`);
        } else {
          const files = changed(history.read(one.path), one, `${one.who} ${at}`);
          const before = run('rev-parse', 'work^{tree}');
          history.commit(one.who === 'person' ? null : one.who, files, `subject ${at}`);
          const isWork = run('diff', '--name-only', before.trim(), 'work', '--', '.', ':!ralph', ':!.ralph') !== '';
          if (one.who === 'person') persons.push(`subject ${at}`);
          else if (isWork) stories.add(one.who);
        }
      }
      const refs = run('for-each-ref');
      const line = await history.clean({ squash });
      seen[line.kind] = (seen[line.kind] ?? 0) + 1;
      expect([run('for-each-ref'), run('status', '--porcelain')]).toEqual([refs, '']);
      const merged = sh('git merge-tree --write-tree main work || :').split('\n')[0] ?? '';
      const isClean = sh('git merge-tree --write-tree main work >/dev/null && echo yes || :') !== '';
      if (line.kind === 'conflict') expect(isClean).toBe(false);
      if (line.kind === 'already' && isClean) expect(history.files(merged)).toBe(history.files('main'));
      if (line.kind !== 'line') return;
      if (isClean) expect(history.files(line.commit)).toBe(history.files(merged));
      expect(run('diff', '--name-only', 'main', line.commit, '--', 'ralph', '.ralph')).toBe('');
      const subjects = run('log', '--first-parent', '--format=%s', `main..${line.commit}`).trim().split('\n');
      expect(subjects).toHaveLength(line.made.length);
      expect(line.made.length).toBeLessThanOrEqual(squash ? 1 : steps.length);
      const isPlain = steps.every(({ who }) => who !== 'main' && who !== 'merge');
      if (squash || !isPlain) return;
      // Nothing of the target is in the way: each commit of a person that changes something is there, once.
      for (const subject of persons) expect(subjects.filter((one) => one === subject).length, subject).toBeLessThan(2);
      if (!steps.some(({ who }) => who === 'person')) expect(subjects.length).toBeLessThanOrEqual(stories.size);
    }),
    settings,
  );
  if (settings.numRuns >= 20) expect(seen['line']).toBeGreaterThan(0);
});
