import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { gitState, makeRepository, workTree } from '../../../../test/support/git-repository.ts';
import { runs } from '../../../../test/support/property-runs.ts';

/** PROPERTY_SHARE=50 for a thorough search. */
const settings = { numRuns: runs(15), endOnFailure: true };

const PATHS = ['a', 'b', 'd/a', 'd/b', 'd/e/f', 'g.log', 'h', 'i j'];
const path = fc.constantFrom(...PATHS);
/** What somebody does to a path; each works whatever is there. */
const DEEDS: Readonly<Record<string, (path: string) => string>> = {
  write: (at) =>
    `rm -rf '${at}'; p=$(dirname '${at}'); [ ! -f "$p" ] || rm "$p"; mkdir -p "$p"; echo $RANDOM_TEXT > '${at}'`,
  append: (at) => `[ ! -f '${at}' ] || echo more >> '${at}'`,
  remove: (at) => `rm -rf '${at}'`,
  link: (at) => `rm -rf '${at}'; p=$(dirname '${at}'); [ ! -f "$p" ] || rm "$p"; mkdir -p "$p"; ln -s a '${at}'`,
  folder: (at) =>
    `rm -rf '${at}'; p=$(dirname '${at}'); [ ! -f "$p" ] || rm "$p"; mkdir -p '${at}'; echo in > '${at}/in'`,
  mode: (at) => `[ ! -f '${at}' ] || chmod +x '${at}'`,
  stage: (at) => `git add -A -f -- '${at}' 2>/dev/null || :`,
};
const deeds = (most: number) =>
  fc.array(fc.record({ deed: fc.constantFrom(...Object.keys(DEEDS)), path, text: fc.nat(3) }), { maxLength: most });
type Deeds = readonly { readonly deed: string; readonly path: string; readonly text: number }[];

test('whatever a person has in the work tree: all or nothing, and nothing of theirs is lost or changed', async () => {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(deeds(4), deeds(4), async (merge: Deeds, dirt: Deeds) => {
      const repo = await makeRepository({ a: 'a\n', b: 'b\n', 'd/a': 'da\n', 'd/e/f': 'f\n', '.gitignore': '*.log\n' });
      const act = (list: Deeds, after: string) =>
        execFileSync(
          'sh',
          [
            '-c',
            [...list.map(({ deed, path: at, text }) => `RANDOM_TEXT=${text}; ${DEEDS[deed]?.(at)}`), after].join('\n'),
          ],
          {
            cwd: repo.root,
            env: repo.env,
            stdio: 'pipe',
          },
        );
      const expected = repo.run('rev-parse', 'HEAD').trim();
      act(merge, 'git checkout -q -b side; git add -A -f; git commit -q --allow-empty -m side');
      const to = repo.run('rev-parse', 'HEAD').trim();
      repo.sh('git checkout -q -f main');
      act(dirt, ':');
      const before = { tree: workTree(repo.root), state: gitState(repo), refs: repo.run('for-each-ref') };
      const changed = new Set(
        repo.run('diff-tree', '-r', '-z', '--name-only', '--no-renames', expected, to).split('\0'),
      );
      const outcome = await repo.git.advanceBranch({ branch: 'main', expected, to });
      seen[outcome.kind] = (seen[outcome.kind] ?? 0) + 1;
      const now = { tree: workTree(repo.root), state: gitState(repo), refs: repo.run('for-each-ref') };
      if (outcome.kind !== 'advanced') {
        expect([outcome.kind, now]).toEqual([expected === to ? 'already' : 'in-the-way', before]);
        return;
      }
      // Files outside of the merge are what they were …
      const others = (tree: ReadonlyMap<string, string>) =>
        [...tree].filter(([at, what]) => !changed.has(at) && !what.startsWith('dir'));
      expect(others(now.tree)).toEqual(others(before.tree));
      // … staged changes of them, too, and those of the merge are clean.
      const staged = (text: string) => text.split('\n').filter((entry) => !changed.has(entry.split('\t')[1] ?? ''));
      expect(staged(now.state.entries)).toEqual(staged(before.state.entries));
      const left = repo.run('status', '--porcelain', '-z', '--untracked-files=all').split('\0').filter(Boolean);
      expect(left.filter((entry) => changed.has(entry.slice(3)))).toEqual([]);
      expect(now.state.head.trim()).toBe(to);
    }),
    settings,
  );
});
