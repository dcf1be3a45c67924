import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, test } from 'vitest';
import { root } from '../root.ts';
import { type Measure, measure } from './measures.ts';

/**
 * The most that each measure may be: today's value, rounded up a little. They only go down: who makes one smaller
 * lowers it. To raise one is a decision; say in the commit what it buys.
 */
const CEILINGS: Readonly<Record<string, number>> = {
  'product lines': 117_680,
  'product files': 763,
  'test lines': 86_780,
  'longest import chain': 20,
  'longest import chain, doors as files': 50,
  'circles of imports': 0,
  'files of a room that others import': 1,
  'exports without a use': 0,
  'exports used by tests only': 0,
  'files that write the reason of a verdict': 1,
  'readers of the configuration': 1,
  'ways to check shapes': 1,
  "walk of the iteration's context: files": 28,
  "walk of the iteration's context: climbs": 3,
  "walk of the iteration's context: returns": 24,
};

describe('this checkout', () => {
  const measures = measure(root);

  it('is held to a ceiling in each measure', () => {
    expect(measures.map(({ name }) => name).sort()).toEqual(Object.keys(CEILINGS).sort());
  });

  it.each(measures)('stays below it: $name', ({ name, value, what }) => {
    expect(value, what?.join('\n')).toBeLessThanOrEqual(CEILINGS[name] ?? 0);
  });
});

test('docs/house.md names files that are there', () => {
  const page = readFileSync(join(root, 'docs/house.md'), 'utf8');
  const named = page.match(/(?:src|scripts|docs|test)\/[\w./-]+\w/g) ?? [];
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

describe('a planted checkout', () => {
  let folder = '';
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function plant(files: Readonly<Record<string, string>>): (name: string) => Measure {
    folder = mkdtempSync(join(tmpdir(), 'ralph-house-'));
    const always = { 'knip.json': '{ "entry": ["src/main.ts!"] }', 'src/main.ts': '' };
    for (const [path, text] of Object.entries({ ...always, 'src/loop/iteration.ts': ITERATE, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    for (const name of ['dashboard', 'scripts', 'bench', 'test']) mkdirSync(join(folder, name), { recursive: true });
    const measures = measure(folder);
    return (name) => measures.find((one) => one.name === name) as Measure;
  }

  const ITERATE = 'export async function iterate(context: unknown) {}\n';

  it('counts chains by names, and circles', () => {
    const of = plant({
      'src/main.ts': "import { b } from './loop/index.ts';\nb();\n",
      'src/loop/index.ts': "export { a } from './a.ts';\nexport { b } from './b.ts';\n",
      'src/loop/a.ts': "import { c } from './c.ts';\nexport const a = c;\n",
      'src/loop/b.ts': 'export const b = () => {};\n',
      'src/loop/c.ts': "import type { D } from './d.ts';\nexport const c: D = 1;\n",
      'src/loop/d.ts': "import './c.ts';\nexport type D = number;\n",
    });
    expect(of('longest import chain').what).toEqual([
      'src/loop/index.ts',
      'src/loop/a.ts',
      'src/loop/c.ts',
      'src/loop/d.ts',
    ]);
    expect(of('longest import chain, doors as files').value).toBe(5);
    expect(of('circles of imports').what).toEqual(['src/loop/c.ts ↔ src/loop/d.ts']);
  });

  it('names what is imported past a door, and exports without a use', () => {
    const of = plant({
      'src/main.ts':
        "import { used } from './rules/x/index.ts';\nimport { past } from './rules/x/x.ts';\nused(past);\n",
      'src/rules/x/index.ts': "export { fromOutside, tested, used } from './x.ts';\n",
      'src/rules/x/x.ts': 'export const used = 1, past = 2, inside = 3, fromOutside = 4, tested = 5, later = 6;\n',
      'src/rules/x/y.ts':
        "import { inside } from './x.ts';\nconst { later } = await import('./x.ts');\ninside(later);\n",
      'src/rules/x/x.test.ts': "import { tested } from './index.ts';\ntested();\n",
    });
    expect(of('files of a room that others import').what).toEqual(['src/rules/x/index.ts', 'src/rules/x/x.ts']);
    expect(of('exports without a use').what).toEqual(['src/loop/iteration.ts iterate', 'src/rules/x/x.ts fromOutside']);
    expect(of('exports used by tests only').what).toEqual(['src/rules/x/x.ts tested']);
  });

  it('finds who makes the reason of a verdict, and not who passes it on', () => {
    const of = plant({
      'src/loop/a.ts': "const made = { verdict: 'rejected', reason: 'no' + 1 };\n",
      'src/loop/b.ts': "const changed = { ...decision, reason: 'yes' };\n",
      'src/loop/c.ts': 'const shown = { verdict, reason };\nconst copied = { ...verdict, reason: decision.reason };\n',
    });
    expect(of('files that write the reason of a verdict').what).toEqual(['src/loop/a.ts', 'src/loop/b.ts']);
  });

  it('walks where the context or a part of it is handed on', () => {
    const of = plant({
      'src/loop/iteration.ts': `import { work } from './agent/work.ts';
import { pure } from './pure.ts';
export async function iterate(context: Context) { const { git } = context; await work({ git }); pure(1); end(context); }
function end({ clock }: Context) { work({ git: clock }); }
`,
      'src/loop/agent/work.ts': `export async function work({ git }: Ports) {
  const { gather } = await import('../gather.ts');
  gather(git);
}
`,
      'src/loop/gather.ts': 'export function gather(git: Git) {}\n',
      'src/loop/pure.ts': 'export function pure(value: number) {}\n',
    });
    const walk = ['files', 'climbs', 'returns'].map((name) => of(`walk of the iteration's context: ${name}`).value);
    expect(walk).toEqual([3, 1, 0]);
  });
});
