import { afterEach, expect, test } from 'vitest';
import { standInForGh, thread } from '../support/gh/stand-in.ts';
import { makeProject, type Project } from '../support/project.ts';
import { APPROVED, READY, write } from '../support/says.ts';

/** The morning after a run, in two languages: "change this", clean commits for review, and the review's words back. */

let project: Project;
afterEach(() => project?.remove());

const IDS = ['US-001', 'US-002', 'US-003'];
const [TOTAL, DISCOUNT, SHIPPING] = IDS;

interface Language {
  readonly check: string;
  readonly files: Readonly<Record<string, string>>;
  readonly source: (name: string) => string;
  /** A function of one line that adds a number, and its test. */
  readonly code: (name: string, by: number) => readonly object[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  JavaScript: {
    check: 'node --test',
    files: { 'package.json': '{ "name": "shop", "private": true, "type": "module" }\n' },
    source: (name) => `src/${name}.js`,
    code: (name, by) => [
      write(`src/${name}.js`, `export const ${name} = (n) => n + ${by};\n`),
      write(
        `test/${name}.test.js`,
        `import test from 'node:test';\nimport assert from 'node:assert';\nimport { ${name} } from '../src/${name}.js';\n` +
          `test('${name}', () => assert.equal(${name}(1), ${1 + by}));\n`,
      ),
    ],
  },
  Python: {
    check: 'PYTHONDONTWRITEBYTECODE=1 python3 -m unittest -q',
    files: { '.gitignore': '__pycache__/\n', 'test_start.py': PYTHON_TEST('start', '1', '1') },
    source: (name) => `${name}.py`,
    code: (name, by) => [
      write(`${name}.py`, `def ${name}(n): return n + ${by}\n`),
      write(`test_${name}.py`, PYTHON_TEST(name, `__import__('${name}').${name}(1)`, String(1 + by))),
    ],
  },
};

function PYTHON_TEST(name: string, is: string, expected: string): string {
  return `import unittest\n\n\nclass Test(unittest.TestCase):\n    def test_${name}(self):\n        self.assertEqual(${is}, ${expected})\n`;
}

const graph = (...range: readonly string[]) => project.git('log', '--graph', '--format=%s', ...range);

test('in JavaScript', () => morningAfter('JavaScript'));
test('in Python', { tags: ['long'] }, () => morningAfter('Python'));

async function morningAfter(language: string): Promise<void> {
  const { check, files, source, code } = LANGUAGES[language] as Language;
  const names = ['total', 'discount', 'shipping'];
  const steps = [
    ...names.map((name, at) => ({ when: { mode: 'implement', story: IDS[at] }, do: [...code(name, at + 1), READY] })),
    {
      when: { mode: 'review-fix', story: DISCOUNT },
      do: [{ 'expect-prompt': 'ten, not two' }, ...code('discount', 10), READY],
    },
    {
      when: { mode: 'review-fix', story: SHIPPING },
      do: [{ 'expect-prompt': 'ben writes on pull request #7' }, ...code('shipping', 30), READY],
    },
    { when: { mode: 'review' }, do: [APPROVED] },
  ];
  const stories = IDS.map((id, at) => ({ id, title: `Add ${names[at]}` }));
  project = await makeProject({ stories, files, verifyCommands: [check], steps, branchName: 'ralph/shop' });
  const gh = await standInForGh(project, 'ralph/shop-finished');
  await project.git('push', '-q', 'origin', 'main');
  await project.git('fetch', '-q', 'origin');
  const ralph = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await project.ralph(args, gh.env);
    expect(code, stdout + stderr).toBe(0);
    return stdout;
  };
  const run = () => ralph('run', '--scenario', project.scenario);

  await run();
  expect(await graph('main..ralph/shop')).toBe(
    names
      .flatMap((name, at) => [`* feat(${IDS[at]}): Add ${name}`, `* review(${IDS[at]}): approved`])
      .reverse()
      .join('\n'),
  );

  await ralph('stories', 'reject', DISCOUNT as string, 'ten, not two', '--file', source('discount'), '--line', '1');
  await run();
  await ralph('finish', '--pr');
  // In the order in which they were done.
  const clean = [1, 2, 0].map((at) => `* feat(${IDS[at]}): Add ${names[at]}`);
  expect(await graph('main..origin/ralph/shop-finished')).toBe(clean.join('\n'));
  expect(await project.git('show', `origin/ralph/shop-finished:${source('discount')}`)).toContain('10');
  const body = (await gh.state())['body'];
  expect(body).toContain(TOTAL);

  await gh.change((now) => ({ ...now, threads: [thread('T1', source('shipping'), ['ben', 'Thirty.'])] }));
  expect(await ralph('pr', 'sync')).toContain(`taken into ${SHIPPING}: ben: Thirty.`);
  await run();
  expect(await ralph('pr', 'sync')).toContain('`ralph finish --pr` pushes');
  await ralph('finish', '--pr');
  expect(await graph('main..origin/ralph/shop-finished')).toBe([clean[1], ...clean].join('\n'));
  expect(await ralph('pr', 'sync')).toContain('answered 1 comment, resolved 1');
  const [answered] = (await gh.state()).threads;
  const tip = await project.git('rev-parse', 'origin/ralph/shop-finished');
  expect([answered?.isResolved, answered?.comments[1]?.body]).toEqual([true, expect.stringContaining(tip)]);
  expect(await project.git('diff', '--name-only', 'main', tip, '--', 'ralph', '.ralph')).toBe('');
}
