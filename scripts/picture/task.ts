import { makeProject } from '../../test/support/project.ts';

const FILES = {
  'package.json': '{ "name": "prices", "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/prices.js': [
    "export const table = (prices) => Object.entries(prices).map((line) => line.join(' ')).join('\\n');",
    '',
  ].join('\n'),
  'test/prices.test.js': [
    "import assert from 'node:assert/strict';",
    "import test from 'node:test';",
    "import { table } from '../src/prices.js';",
    '',
    "test('a line for each price', () => assert.equal(table({ tea: 3, cake: 5 }), 'tea 3\\ncake 5'));",
    '',
  ].join('\n'),
};

const BROKEN = 'export const table = (prices) => JSON.stringify(prices);\n';
const GOOD = `${FILES['src/prices.js']}export const json = (prices) => JSON.stringify(prices);\n`;
const TEST = `${FILES['test/prices.test.js'].replace('{ table }', '{ json, table }')}test('--json', () => assert.equal(json({ tea: 3 }), '{"tea":3}'));\n`;

const READY = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };
const spent = (cost: number) => ({ usage: { input: 9000, output: 900, cacheRead: 31_000, cost } });

const STEPS = [
  {
    when: { mode: 'review' },
    do: [
      { say: 'The flag prints what the table shows, the test would fail without it. Approved.' },
      spent(0.06),
      { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } },
    ],
  },
  {
    when: { attempt: 1 },
    do: [
      { write: { path: 'src/prices.js', content: BROKEN } },
      { say: 'The flag is there, and all tests pass.' },
      spent(0.11),
      READY,
    ],
  },
  {
    do: [
      { 'expect-prompt': 'npm test' },
      { write: { path: 'src/prices.js', content: GOOD } },
      { write: { path: 'test/prices.test.js', content: TEST } },
      { say: 'The first try had replaced the table. It is back; --json has a test of its own.' },
      spent(0.14),
      READY,
    ],
  },
];

/** What `ralph "Add a --json flag"` prints in a small project, with styles. */
export async function taskOutput(): Promise<string> {
  const project = await makeProject({ files: FILES, steps: STEPS, backlog: { path: 'README.md', text: '# Prices\n' } });
  try {
    await project.git('rm', '-q', 'ralph/prd.md');
    await project.git('commit', '-q', '-m', 'Prices');
    const { code, stdout, stderr } = await project.ralph(['Add a --json flag', '--scenario', project.scenario], {
      RALPH_ISOLATION_BACKEND: 'auto',
      FORCE_COLOR: '1',
    });
    if (code !== 0) throw new Error(`the task ended with ${code}\n${stdout}${stderr}`);
    return stdout.trimEnd().replaceAll(project.root, '/home/una/prices');
  } finally {
    await project.remove();
  }
}
