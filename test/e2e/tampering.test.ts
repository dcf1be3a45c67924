import { afterEach, expect, test } from 'vitest';
import { makeProject, type Project } from '../support/project.ts';
import { commitsOf, eventsOf, ledgerOf } from '../support/records.ts';
import { APPROVED, changesRequested, edit, READY, write } from '../support/says.ts';
import { TESTED_CODE } from '../support/tested-code.ts';

/** Work that weakens what is supposed to judge it: shown to people and to the reviewer, or refused, as it is configured. */

interface Weakening {
  readonly what: string;
  readonly actions: readonly object[];
  /** Where a reader is pointed to. */
  readonly place: string;
  readonly kind: string;
}

const WEAKENINGS: readonly Weakening[] = [
  {
    what: 'removes an assertion',
    actions: [edit('cart.test.js', '  assert.equal(total([1, 2, 3]), 6);\n', '\n')],
    place: 'cart.test.js:',
    kind: 'assertion-removed',
  },
  {
    what: 'skips a test',
    actions: [edit('cart.test.js', "test('the cheapest", "test.skip('the cheapest")],
    place: 'cart.test.js:10',
    kind: 'test-skipped',
  },
  {
    what: 'lets the test script succeed whatever happens',
    actions: [edit('package.json', 'node --test', 'node --test || true')],
    place: 'package.json:5',
    kind: 'check-neutralised',
  },
];

/** The tests of the project with every assertion they had, in other shapes. */
const REFACTORINGS: readonly (readonly [how: string, files: Readonly<Record<string, string>>])[] = [
  [
    'a helper, another name, another order',
    {
      'cart.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { cheapest, total } from './cart.js';

const expectTotal = (prices, sum) => assert.equal(total(prices), sum);

test('finds the cheapest of several prices', () => {
  assert.equal(cheapest([3, 1, 2]), 1);
});

test('adds prices up', () => {
  expectTotal([1, 2, 3], 6);
  expectTotal([], 0);
});
`,
    },
  ],
  [
    'a test moved to a file of its own',
    {
      'cart.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { total } from './cart.js';

test('the total is the sum of the prices', () => {
  assert.equal(total([1, 2, 3]), 6);
  assert.equal(total([]), 0);
});
`,
      'cheapest.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { cheapest } from './cart.js';

test('the cheapest price is found', () => {
  assert.equal(cheapest([3, 1, 2]), 1);
});
`,
    },
  ],
  [
    'one more case for changed code',
    {
      'cart.js': `${TESTED_CODE['cart.js']}`.replace(
        'return Math.min(...prices);',
        'return prices.length === 0 ? null : Math.min(...prices);',
      ),
      'cart.test.js': `${TESTED_CODE['cart.test.js']}`.replace(
        'assert.equal(cheapest([3, 1, 2]), 1);',
        'assert.equal(cheapest([3, 1, 2]), 1);\n  assert.equal(cheapest([]), null);',
      ),
    },
  ],
];

let project: Project;
afterEach(() => project?.remove());

async function projectWith(actions: readonly object[], review: readonly object[], config: object = {}): Promise<void> {
  project = await makeProject({
    files: { ...TESTED_CODE, 'ralph.config.json': JSON.stringify(config) },
    verifyCommands: ['npm test'],
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement' }, do: [...actions, READY] },
      { when: { mode: 'review' }, do: [...review, APPROVED] },
    ],
  });
}

const tamperingSeen = async () => (await eventsOf(project)).filter(({ type }) => type === 'tampering');

const ALL = WEAKENINGS.flatMap(({ actions }) => actions);
const FOUND = WEAKENINGS.map(({ kind, place }) => ({ kind, path: place.split(':')[0] }));

const approvedWith = (reasons: string) => ({
  status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', ACCEPTED_FINDINGS: reasons },
});

test('weakened judges are shown, numbered for the reviewer, and accepted only with a reason for each', async () => {
  project = await makeProject({
    files: TESTED_CODE,
    verifyCommands: ['npm test'],
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement' }, do: [...ALL, READY] },
      {
        when: { mode: 'review', reviewCount: 0 },
        do: [
          { 'expect-prompt': 'tests or checks that were weakened' },
          ...WEAKENINGS.map(({ place }, i) => ({ 'expect-prompt': `   ${i + 1}. ${place}` })),
          approvedWith('1 asked for; 2 the feature is gone'),
        ],
      },
      {
        when: { mode: 'review-fix' },
        do: [{ 'expect-prompt': 'finding 3: package.json:5' }, write('more.js', ''), READY],
      },
      {
        when: { mode: 'review', reviewCount: 1 },
        do: [
          ...WEAKENINGS.map(({ place }, i) => ({ 'expect-prompt': `   ${i + 1}. ${place}` })),
          approvedWith('1 asked for; 2 the feature is gone; 3 the story names it'),
        ],
      },
    ],
  });
  const { code, stdout, stderr } = await project.run();
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  for (const { place } of WEAKENINGS) expect(stdout).toMatch(new RegExp(`^[\\d:]{8} +tests +${place}`, 'm'));
  expect(await tamperingSeen()).toMatchObject(FOUND);
  expect(await ledgerOf(project)).toMatchObject([
    { mode: 'implement', verdict: 'accepted', tampering: FOUND.map((finding) => ({ ...finding, severity: 'high' })) },
    {
      mode: 'review',
      verdict: 'accepted',
      state: 'changes_requested',
      reason: expect.stringContaining('a weakened test'),
    },
    { mode: 'review-fix', verdict: 'accepted' },
    { mode: 'review', verdict: 'accepted', state: 'approved' },
  ]);
  const reviews = JSON.parse(await project.read('ralph/reviews.json'));
  expect(JSON.stringify(reviews)).toContain('the story names it');
  const end = stdout.slice(stdout.indexOf('COMPLETE'));
  expect(end).toMatch(/Needs you: 3\n[\s\S]*Stories:/);
  for (const { place } of WEAKENINGS) expect(end).toContain(`accepted a weakened test: ${place}`);
  for (const reason of ['asked for', 'the feature is gone', 'the story names it']) expect(end).toContain(`(${reason})`);
});

test('a silent approval at the review cap is not taken for one: the story is parked', async () => {
  await projectWith(ALL, [], { reviewCap: 1 });
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(6);
  expect(await ledgerOf(project)).toMatchObject([
    { mode: 'implement' },
    { mode: 'review', blocked: expect.stringContaining('weakened tests') },
  ]);
});

test('a test that a parked story deleted is held against the next one, until it is there again', async () => {
  const [{ actions, place }] = WEAKENINGS as [Weakening];
  project = await makeProject({
    files: { ...TESTED_CODE, 'ralph.config.json': '{ "reviewCap": 1 }' },
    verifyCommands: ['npm test'],
    stories: [{ id: 'US-001' }, { id: 'US-002' }, { id: 'US-003' }],
    steps: [
      { when: { story: 'US-001', mode: 'implement' }, do: [...actions, READY] },
      { when: { story: 'US-002', mode: 'implement' }, do: [write('two.js', ''), READY] },
      { when: { mode: 'implement' }, do: [write('cart.test.js', TESTED_CODE['cart.test.js'] as string), READY] },
      { when: { story: 'US-002', mode: 'review' }, do: [{ 'expect-prompt': `1. ${place}` }, APPROVED] },
      { when: { mode: 'review' }, do: [APPROVED] },
    ],
  });
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(6);
  const stories = await project.stories();
  expect(stories.map(({ passes }) => passes)).toEqual([false, false, true]);
  expect(stories[1]).toMatchObject({ blocked: expect.stringContaining('weakened tests') });
});

test('under --skip-review nobody can accept a weakened test: the work is rejected', async () => {
  await projectWith(ALL, []);
  const { code } = await project.run(['--once', '--skip-review']);
  expect(code).toBe(1);
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'rejected', reason: expect.stringContaining('weakened') }]);
  expect(await project.read('package.json')).toBe(TESTED_CODE['package.json']);
});

test.each(WEAKENINGS)(
  'with `onTestTamper: reject` work that $what is rejected, rolled back, and told why',
  async ({ actions, place }) => {
    await projectWith([...actions, write('more.js', 'export {};\n')], [], { onTestTamper: 'reject' });
    const { code, stdout } = await project.run(['--once']);
    expect(code).toBe(1);
    const [line] = await ledgerOf(project);
    expect(line).toMatchObject({ verdict: 'rejected', counts: 'bad' });
    expect(line?.reason).toContain(`tests or checks were weakened: ${place}`);
    expect(stdout).toContain(line?.reason);
    for (const path of ['cart.test.js', 'package.json']) expect(await project.read(path)).toBe(TESTED_CODE[path]);
    await expect(project.read('more.js')).rejects.toThrow();
    expect(await project.git('show', `${line?.rescue}:more.js`)).toContain('export');
    expect(await commitsOf(project)).toEqual([]);
    const { stdout: next } = await project.ralph(['run', '--dry-run']);
    expect(next).toContain('tests or checks were weakened');
  },
);

test('what a review-fix undoes is no longer held against the story', async () => {
  const [{ actions, place }] = WEAKENINGS as [Weakening];
  project = await makeProject({
    files: TESTED_CODE,
    verifyCommands: ['npm test'],
    stories: [{ id: 'US-001' }],
    steps: [
      { when: { mode: 'implement' }, do: [...actions, READY] },
      {
        when: { mode: 'review', reviewCount: 0 },
        do: [{ 'expect-prompt': `1. ${place}` }, changesRequested('put the assertion back')],
      },
      { when: { mode: 'review-fix' }, do: [write('cart.test.js', TESTED_CODE['cart.test.js'] as string), READY] },
      { when: { mode: 'review' }, do: [{ say: 'looks right' }, APPROVED] },
    ],
  });
  const { code, stdout } = await project.run();
  expect(code, stdout).toBe(0);
  const lines = (await ledgerOf(project)) as readonly { readonly tampering?: readonly unknown[] }[];
  expect(lines.map(({ tampering }) => tampering?.length ?? 0)).toEqual([1, 0, 0, 0]);
});

test('no weakened test hides behind many new files', async () => {
  await projectWith([{ run: 'for i in $(seq 320); do echo x > a$i.txt; done' }, ...ALL], []);
  await project.run(['--once']);
  expect(await tamperingSeen()).toMatchObject(FOUND);
});

test.each(REFACTORINGS)('an honest change of the tests (%s) is held against nobody', async (_how, files) => {
  const actions = Object.entries(files).map(([path, text]) => write(path, text));
  await projectWith(actions, [], { onTestTamper: 'reject' });
  await project.run(['--once']);
  expect(await tamperingSeen()).toEqual([]);
  expect(await ledgerOf(project)).toMatchObject([{ verdict: 'accepted' }]);
});
