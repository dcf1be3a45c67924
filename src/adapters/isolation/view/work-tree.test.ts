import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isWithin } from '../../../platform/index.ts';
import { foldersBetween, treeEntries, type ViewEntry } from './entry.ts';
import { workTreeEntries } from './view.ts';

const ROOT = '/projects/app';
const below = fc
  .array(fc.constantFrom('a', 'b', 'c d', '.ralph', '--'), { minLength: 1, maxLength: 4 })
  .map((names) => `${ROOT}/${names.join('/')}`);

/** May it be written? As the kernel decides: by the last mount above it. */
const writable = (view: readonly ViewEntry[], path: string) =>
  view.findLast(({ at }) => isWithin(path, at))?.kind === 'write';

test('what is read-only is, but for what is writable in it, and every folder on the way to it is a mount point', () => {
  fc.assert(
    fc.property(fc.array(below), fc.array(below), (readOnly, open) => {
      const view = treeEntries({ root: ROOT, alias: null, readOnly, writable: open });
      expect(view[0]).toEqual({ kind: 'write', from: ROOT, at: ROOT });
      for (const path of readOnly) {
        const excepted = open.includes(path);
        expect(writable(view, path)).toBe(excepted);
        for (const folder of foldersBetween(ROOT, path)) {
          const covered = !writable(view, folder);
          expect(covered || view.some(({ at }) => at === folder)).toBe(true);
        }
      }
      for (const path of open) expect(writable(view, path)).toBe(true);
      expect(view.every((entry) => 'from' in entry && entry.from === entry.at)).toBe(true);
    }),
  );
});

describe('on a disk', () => {
  let base = '';
  beforeEach(async () => {
    base = await mkdtemp(join(await realpath(tmpdir()), 'ralph work-tree-'));
    await mkdir(join(base, 'app', 'spec'), { recursive: true });
    await mkdir(join(base, 'elsewhere'));
    await writeFile(join(base, 'app', 'spec', 'prd.json'), '');
  });
  afterEach(() => rm(base, { recursive: true }));

  test('what is missing, outside, or a link to the outside is passed over; a link inside protects its target', async () => {
    const root = join(base, 'app');
    await symlink('../elsewhere', join(root, 'out'));
    await symlink('spec/prd.json', join(root, 'prd.json'));
    const readOnly = ['out', 'prd.json', 'none', '../elsewhere', '.'].map((name) => join(root, name));
    expect(await workTreeEntries({ root, readOnly, writable: [] }, [])).toEqual([
      { kind: 'write', from: root, at: root },
      { kind: 'write', from: join(root, 'spec'), at: join(root, 'spec') },
      { kind: 'read', from: join(root, 'spec', 'prd.json'), at: join(root, 'spec', 'prd.json') },
    ]);
  });

  test('a root that is reached by a link is there under both names', async () => {
    await symlink('app', join(base, 'link'));
    const [root, real] = [join(base, 'link'), join(base, 'app')];
    const view = await workTreeEntries({ root, readOnly: [join(root, 'spec')], writable: [] }, []);
    expect(view).toEqual([
      { kind: 'write', from: real, at: real },
      { kind: 'read', from: join(real, 'spec'), at: join(real, 'spec') },
      { kind: 'write', from: real, at: root },
      { kind: 'read', from: join(real, 'spec'), at: join(root, 'spec') },
    ]);
  });

  test('what is ours in the work tree is read-only', async () => {
    const root = join(base, 'app');
    const own = join(root, 'node_modules', '@ralph-loop', 'cli');
    await mkdir(own, { recursive: true });
    const view = await workTreeEntries({ root, readOnly: [], writable: [] }, [own, join(base, 'elsewhere')]);
    expect(view.map(({ kind, at }) => [kind, at.slice(root.length)])).toEqual([
      ['write', ''],
      ['write', '/node_modules'],
      ['write', '/node_modules/@ralph-loop'],
      ['read', '/node_modules/@ralph-loop/cli'],
    ]);
  });
});
