import { readdir } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { needs } from '../support/debian.ts';
import { type Ended, makeProject, type Project, type ProjectOptions } from '../support/project.ts';
import { eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, READY, write } from '../support/says.ts';
import { until } from '../support/until.ts';

/** `proof: "red-green"`: the tests of a story must fail without its code. */

const FILES = {
  'package.json': '{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n',
  'cart.js': 'export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n',
  'cart.test.js': [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    "import { total } from './cart.js';",
    "test('sums up', () => assert.equal(total([1, 2]), 3));",
    '',
  ].join('\n'),
  'ralph.config.json': '{ "proof": "red-green" }\n',
};
const CODE = write('tax.js', 'export const tax = (sum) => sum * 0.2;\n');
const textOf = (body: string, from = './tax.js', name = 'tax') =>
  [
    "import assert from 'node:assert/strict';",
    "import { test } from 'node:test';",
    `import { ${name} } from '${from}';`,
    `test('the tax', () => { ${body} });`,
    '',
  ].join('\n');
const testOf = (...text: Parameters<typeof textOf>) => write('tax.test.js', textOf(...text));
const PROVING = testOf('assert.equal(tax(10), 2);');
const PASSING_BEFORE = testOf('assert.equal(total([2]), 2);', './cart.js', 'total');
const REVIEW = { when: { mode: 'review' }, do: [{ say: 'Read and tried.' }, APPROVED] };

let project: Project;
afterEach(() => project?.remove());

async function runWith(
  steps: ProjectOptions['steps'],
  options: ProjectOptions & { readonly args?: readonly string[] } = {},
): Promise<Ended> {
  const { args = [], files, ...others } = options;
  project = await makeProject({
    files: { ...FILES, ...files },
    verifyCommands: ['npm test'],
    stories: [{ id: 'US-001' }],
    steps: [...(steps ?? []), REVIEW],
    ...others,
  });
  return project.run(args);
}

const receipt = async () => JSON.parse(await project.read('ralph/reviews.json')).stories['US-001'].receipt;
const verdicts = async () => (await ledgerOf(project)).map(({ mode, verdict }) => `${mode} ${verdict}`);

test('a story whose test fails without its code is done, and its receipt says so', async () => {
  const { code, stdout } = await runWith([{ when: { mode: 'implement' }, do: [CODE, PROVING, READY] }]);
  expect(code, stdout).toBe(0);
  expect((await receipt()).proof).toEqual({
    outcome: 'proven',
    detail: "tax.test.js fails without the story's code and passes with it",
    tests: ['tax.test.js'],
    command: 'npm test',
  });
  expect((await receipt()).tests).toEqual({ before: 1, after: 2 });
  // Once: the review changed nothing.
  expect((await eventsOf(project)).filter(({ type }) => type === 'proof')).toHaveLength(1);
  expect(await project.git('status', '--porcelain')).toBe('');
  expect((await project.ralph(['stories', 'show', 'US-001'])).stdout).toContain('red-green proof: proven');
});

test('a story whose test passes at its checkpoint already is refused with the reason, and its work is kept', async () => {
  const { code, stdout } = await runWith([
    { when: { mode: 'implement', iteration: 1 }, do: [CODE, PASSING_BEFORE, READY] },
    {
      when: { mode: 'implement' },
      do: [
        { 'expect-prompt': 'The work is kept. Before the story counts as finished' },
        { 'expect-prompt': 'passes before the story already' },
        PROVING,
        READY,
      ],
    },
  ]);
  expect(code, stdout).toBe(0);
  expect(await verdicts()).toEqual(['implement advanced', 'implement accepted', 'review accepted']);
  const [first] = await ledgerOf(project);
  expect(first?.reason).toContain('its proof is refused: passes-before');
  const said = 'tax.test.js passes before the story already (`npm test`)';
  expect(first?.violations[0]).toMatchObject({
    rule: 'proof/passes-before',
    story: 'US-001',
    message: expect.stringContaining(said),
  });
  expect(stdout.split(said)).toHaveLength(2);
  expect(first?.workFiles).toBe(2);
  expect((await receipt()).proof.outcome).toBe('proven');
});

test('code without a test is refused, a document is not', { tags: ['long'] }, async () => {
  const { code, stdout } = await runWith([
    { when: { mode: 'implement', iteration: 1 }, do: [CODE, READY] },
    { when: { mode: 'implement' }, do: [{ 'expect-prompt': 'and no test' }, PROVING, READY] },
  ]);
  expect(code, stdout).toBe(0);
  expect((await ledgerOf(project))[0]?.violations[0]?.rule).toBe('proof/no-tests');
  await project.remove();

  const docs = await runWith([{ when: { mode: 'implement' }, do: [write('GUIDE.md', '# Guide\n'), READY] }]);
  expect(docs.code, docs.stdout).toBe(0);
  expect((await receipt()).proof).toMatchObject({ outcome: 'inconclusive' });
});

test('where the base is red without the tests, too, nothing is proven and nothing refused', async () => {
  const files = {
    'cart.test.js': `${FILES['cart.test.js']}test('not there yet', () => assert.equal(total([]), 1));\n`,
  };
  const fixes = write('cart.test.js', FILES['cart.test.js']);
  const accepted = { STATUS: 'COMPLETE', REVIEW: 'APPROVED', ACCEPTED_FINDINGS: '1 it tested what nobody asked for' };
  const { code, stdout } = await runWith(
    [
      { when: { mode: 'implement' }, do: [CODE, PROVING, fixes, READY] },
      { when: { mode: 'review' }, do: [{ status: accepted }] },
    ],
    { files },
  );
  expect(code, stdout).toBe(0);
  expect((await receipt()).proof.outcome).toBe('inconclusive');
  expect((await receipt()).proof.detail).toContain('without its tests, too');
});

test('with --skip-review a story is done only with a proof', async () => {
  const { code, stdout } = await runWith(
    [
      { when: { mode: 'implement', iteration: 1 }, do: [CODE, PASSING_BEFORE, READY] },
      { when: { mode: 'implement' }, do: [PROVING, READY] },
    ],
    { args: ['--skip-review'] },
  );
  expect(code, stdout).toBe(0);
  expect(await verdicts()).toEqual(['implement advanced', 'implement accepted']);
  expect(await receipt()).toMatchObject({ by: 'skip-review', proof: { outcome: 'proven' } });
});

test('until it is proven, `stories show` tells why a proof was refused', { tags: ['long'] }, async () => {
  const args = ['--max-iterations', '1'];
  await runWith([{ when: { mode: 'implement' }, do: [CODE, PASSING_BEFORE, READY] }], { args });
  const { stdout } = await project.ralph(['stories', 'show', 'US-001']);
  expect(stdout).toMatch(/refused in iteration 1 of run \S+: passes-before: tax\.test\.js passes before/);
});

test('a check that is red at the base only for want of the new test proves it', { tags: ['long'] }, async () => {
  const stories = [{ id: 'US-001', verifyCommands: ['node --test tax.test.js'] }];
  const useless = testOf('assert.ok(true);', './cart.js', 'total');
  const { code, stdout } = await runWith(
    [
      { when: { mode: 'implement', iteration: 1 }, do: [CODE, useless, READY] },
      { when: { mode: 'implement' }, do: [{ 'expect-prompt': 'passes before the story already' }, PROVING, READY] },
    ],
    { stories, verifyCommands: ['true'] },
  );
  expect(code, stdout).toBe(0);
  expect((await receipt()).proof).toMatchObject({ outcome: 'proven', command: 'node --test tax.test.js' });
});

test('of several tests each that fails is named, and each that does not', { tags: ['long'] }, async () => {
  const idle = write('idle.test.js', "import { test } from 'node:test';\ntest('nothing', () => {});\n");
  const { code, stdout } = await runWith([{ when: { mode: 'implement' }, do: [CODE, PROVING, idle, READY] }]);
  expect(code, stdout).toBe(0);
  expect((await receipt()).proof.detail).toBe(
    "tax.test.js fails without the story's code and passes with it; idle.test.js does not fail without it",
  );
});

test('a test that no check runs is reported', { tags: ['long'] }, async () => {
  const { code, stdout } = await runWith(
    [
      {
        when: { mode: 'implement', iteration: 1 },
        do: [CODE, write('src/tax.spec.js', textOf('tax(10);', '../tax.js')), READY],
      },
      {
        when: { mode: 'implement' },
        do: [{ 'expect-prompt': 'no check seems to run src/tax.spec.js' }, PROVING, READY],
      },
    ],
    { verifyCommands: ['node --test *.test.js'] },
  );
  expect(code, stdout).toBe(0);
  expect((await ledgerOf(project))[0]?.violations[0]?.rule).toBe('proof/no-tests');
});

test('nothing is tried again for a file that a person left lying about', { tags: ['long'] }, async () => {
  project = await makeProject({
    files: FILES,
    verifyCommands: ['npm test'],
    stories: [{ id: 'US-001' }],
    steps: [{ when: { mode: 'implement' }, do: [CODE, PROVING, READY] }, REVIEW],
  });
  await project.write('mine.txt', 'not committed\n');
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  expect((await eventsOf(project)).filter(({ type }) => type === 'proof')).toHaveLength(1);
});

test('a story that people label `no-proof` needs none', async () => {
  const stories = [{ id: 'US-001', labels: ['no-proof'] }];
  const { code, stdout } = await runWith([{ when: { mode: 'implement' }, do: [CODE, READY] }], { stories });
  expect(code, stdout).toBe(0);
  expect((await receipt()).proof).toBeUndefined();
});

describe('the clean room of a proof', () => {
  test('has the files that are copied, and where it cannot be used nothing is proven', async () => {
    const content = `import { rate } from 'rates';\nimport { readFileSync } from 'node:fs';\nreadFileSync('local.env');\n${textOf('assert.equal(tax(rate), 2);')}`;
    const rates = { 'node_modules/rates/package.json': '{ "name": "rates", "type": "module", "exports": "./i.js" }' };
    const files = {
      ...rates,
      'node_modules/rates/i.js': 'export const rate = 10;\n',
      'local.env': 'A=1\n',
      '.gitignore': 'node_modules\nlocal.env\n',
      'cart.test.js': `import 'rates';\n${FILES['cart.test.js']}`,
      'ralph.config.json': '{ "proof": "red-green", "checks": { "copy": ["local.env", "node_modules"] } }\n',
    };
    const { code, stdout } = await runWith(
      [{ when: { mode: 'implement' }, do: [CODE, write('tax.test.js', content), READY] }],
      { files },
    );
    expect(code, stdout).toBe(0);
    expect((await receipt()).proof.outcome).toBe('proven');
    await project.remove();

    const setup = { 'ralph.config.json': '{ "proof": "red-green", "checks": { "setup": ["exit 3"] } }\n' };
    const failed = await runWith([{ when: { mode: 'implement' }, do: [CODE, PROVING, READY] }], { files: setup });
    expect(failed.code, failed.stdout).toBe(0);
    expect((await receipt()).proof.detail).toContain('needs the clean room');
  });

  test('is in order again after a kill in the middle of a proof', async () => {
    const slow = { 'package.json': FILES['package.json'].replace('node --test', 'node wait.cjs && node --test') };
    // Only at the base, where the code of the story is not there, with its test.
    const wait = [
      "const { existsSync, writeFileSync } = require('node:fs');",
      "if (existsSync('tax.test.js') && !existsSync('tax.js') && process.env.WAIT_MS) {",
      "  writeFileSync(process.env.HOME + '/waiting', '');",
      '  setTimeout(() => {}, Number(process.env.WAIT_MS));',
      '}',
    ].join('\n');
    project = await makeProject({
      files: {
        ...FILES,
        ...slow,
        'wait.cjs': wait,
        'ralph.config.json': '{ "proof": "red-green", "env": { "pass": ["WAIT_MS"] } }\n',
      },
      verifyCommands: ['npm test'],
      stories: [{ id: 'US-001' }],
      steps: [{ when: { mode: 'implement' }, do: [CODE, PROVING, READY] }, REVIEW],
    });
    const { child, ended } = project.start(['run', '--scenario', project.scenario], { WAIT_MS: '60000' });
    await until(async () => (await readdir(project.outside)).includes('waiting'));
    child.kill('SIGKILL');
    await ended;
    const { code, stdout } = await project.run();
    expect(code, stdout).toBe(0);
    expect((await receipt()).proof.outcome).toBe('proven');
  });
});

test.skipIf(await needs('bwrap'))('inside an isolation it is tried in the isolation of the checks', async () => {
  const args = ['--sandbox=bwrap'];
  const { code, stdout } = await runWith([{ when: { mode: 'implement' }, do: [CODE, PROVING, READY] }], { args });
  expect(code, stdout).toBe(0);
  expect((await receipt()).proof.outcome).toBe('proven');
});
