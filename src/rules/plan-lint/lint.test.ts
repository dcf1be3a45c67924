import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Story } from '../../contracts/index.ts';
import { hasPrdContent } from './lint.ts';
import { planned, remarksOn, told } from './plan.fixture.ts';

const one = (fields: Partial<Story>) => told([planned('A', fields)]);
const withCriteria = (...acceptanceCriteria: readonly string[]) => one({ acceptanceCriteria });
const sentences = (count: number) => Array.from({ length: count }, (_, i) => `gate ${i} shows ${i}`);

test('a plan with nothing to fix gets no remark', () => {
  expect(told([planned('A'), planned('B', { dependsOn: ['A'], priority: 2 })])).toEqual([]);
  expect(told([])).toEqual([]);
});

test('a lone prompt is nobody’s plan', () => {
  expect(told([planned('A', { acceptanceCriteria: [] })], { format: 'prompt', verifyCommands: [] })).toEqual([]);
});

test('what is done needs no advice', () => {
  expect(one({ passes: true, title: 'Rewrite the entire application', acceptanceCriteria: ['it works'] })).toEqual([]);
});

test('remarks come with place, story and what to do instead; the whole plan first, warnings before hints', () => {
  const remarks = remarksOn(
    [
      planned('A', {
        line: 7,
        title: 'Create the form and add the list',
        acceptanceCriteria: ['it works', 'tests pass'],
      }),
    ],
    { verifyCommands: [], facts: { detected: ['npm test'] } },
  );
  expect(remarks.map(({ rule, severity, line }) => [rule, severity, line])).toEqual([
    ['checks/none', 'warning', 1],
    ['criteria/vague', 'warning', 7],
    ['size/two-tasks', 'hint', 7],
  ]);
  expect(remarks[0]?.suggestion).toContain('"verifyCommands": ["npm test"]');
});

test('a story gets at most four remarks', () => {
  const much = planned('A', {
    title: 'Create all pages and add the entire dashboard',
    description: 'word '.repeat(400),
    acceptanceCriteria: ['it works', ...sentences(13), 'a `users table` migration', 'GET /users', 'login page'],
    priority: 0,
    dependsOn: ['B'],
  });
  expect(remarksOn([much, planned('B')]).filter(({ story }) => story === 'A')).toHaveLength(4);
});

describe('too big', () => {
  test('a long description', () => {
    expect(one({ description: 'word '.repeat(140) })).toEqual([]);
    expect(one({ description: 'word '.repeat(160) })).toEqual(['size/description of A']);
  });

  test('many criteria, those not counted that stand in every story', () => {
    const routine = ['Typecheck passes', 'All tests pass', 'Verify in browser using the dev-browser skill'];
    expect(withCriteria(...sentences(7), ...routine)).toEqual([]);
    expect(withCriteria(...sentences(8), 'a test covers 9')).toEqual(['size/criteria of A']);
  });

  test.each([
    'Create the orders table and add an endpoint for it',
    'Implement login, and build the profile page',
    'Add a cart; remove the old basket',
  ])('a title of two tasks: %s', (title) => {
    expect(one({ title })).toEqual(['size/two-tasks of A']);
  });

  test.each([
    'Add login and registration',
    'Add and configure the linter',
    'Implement the parser and add tests for it',
    'Fix drag and drop',
    'Research and development page',
  ])('a title of one task: %s', (title) => {
    expect(one({ title })).toEqual([]);
  });

  test('everything at once', () => {
    expect(one({ title: 'Translate all pages' })).toEqual(['size/everything of A']);
    expect(one({ title: 'Redesign the entire application' })).toEqual(['size/everything of A']);
    expect(one({ title: 'Select all rows with one click' })).toEqual([]);
  });

  test('several layers in one story', () => {
    const layers = [
      'a migration adds the column',
      'GET /gates answers the count',
      'the settings page shows it in a test',
    ];
    expect(withCriteria(...layers)).toEqual(['size/layers of A']);
    expect(withCriteria(...layers.slice(1))).toEqual([]);
    const coupons = ['the migration adds the table coupons', 'POST /api/coupons answers 201'];
    expect(withCriteria(...coupons, 'the page shows a coupon field')).toEqual(['size/layers of A']);
  });
});

describe('vague criteria', () => {
  test.each([
    'search works correctly',
    'Everything works',
    'Toggle switches work',
    'The form displays properly and behaves as expected',
    'Errors are handled gracefully',
    'Proper error handling',
    'the page is fast',
    'The page loads quickly',
    'a user-friendly interface',
    'the list looks good',
    'code follows best practices',
    'add caching where appropriate',
    'supports images, videos, etc.',
  ])('%s', (criterion) => {
    expect(withCriteria(criterion, 'a test covers it')).toEqual(['criteria/vague of A']);
  });

  test.each([
    'searching "tea" works correctly: three products are listed',
    '1,000 rows are listed in less than 200 ms, so that it is fast',
    'errors are handled: an unknown id answers 404',
    '`npm run lint` works as expected',
    'the fast path is taken for small files',
    'a work order is printed',
    'the robustness test runs nightly',
    'the network is closed',
  ])('concrete enough: %s', (criterion) => {
    expect(withCriteria(criterion, 'a test covers it')).toEqual([]);
  });

  test('one remark for each story, which says how many there are', () => {
    const [remark] = remarksOn([
      planned('A', { acceptanceCriteria: ['login works correctly', 'it is fast', 'a test covers it'] }),
    ]);
    expect(remark?.message).toBe(
      '"works correctly" cannot be answered with yes or no: "login works correctly" (and 1 more)',
    );
  });
});

describe('criteria that are missing', () => {
  test('none at all, where the other stories have some and the format allows it', () => {
    const stories = [planned('A'), planned('B'), planned('C', { acceptanceCriteria: [] })];
    expect(told(stories, { format: 'markdown' })).toEqual(['criteria/none of C']);
    expect(told(stories, { format: 'tasks-json' })).toEqual([]);
  });

  test('a checklist of bare lines is not told the same for every line', () => {
    const bare = ['A', 'B', 'C'].map((id) => planned(id, { acceptanceCriteria: [] }));
    expect(told(bare, { format: 'markdown' })).toEqual(['criteria/none']);
  });

  test('one that only repeats the title', () => {
    const title = 'Show the number of visitors';
    expect(one({ title, acceptanceCriteria: ['The number of visitors is shown', 'Tests pass'] })).toEqual([]);
    expect(one({ title, acceptanceCriteria: ['Shows the number of visitors', 'Tests pass'] })).toEqual([
      'criteria/title-again of A',
    ]);
  });

  test('tests: said once when no story asks for any, else of the story that changes what the program does', () => {
    const untested = (id: string, criterion: string) => planned(id, { acceptanceCriteria: [criterion, `${id} is 1`] });
    expect(told([untested('A', 'a page'), untested('B', 'a line')])).toEqual(['criteria/no-tests']);
    const tested = ['C', 'D', 'E'].map((id) => planned(id));
    expect(told([...tested, untested('A', 'GET /gates answers 200'), untested('B', 'the logo is blue')])).toEqual([
      'criteria/no-tests of A',
    ]);
    expect(told([...tested, { ...untested('A', 'GET /gates answers 200'), verifyCommands: ['make test'] }])).toEqual(
      [],
    );
  });
});

describe('checks and PRD', () => {
  test('a native file without checks has its problem already; what it could name is worth a remark', () => {
    expect(told([planned('A')], { verifyCommands: [] })).toEqual([]);
    expect(told([planned('A')], { verifyCommands: [], facts: { detected: ['make test'] } })).toEqual(['checks/none']);
  });

  test('checks may be named in the settings, or story by story', () => {
    const none = { format: 'markdown', verifyCommands: [] } as const;
    expect(told([planned('A')], none)).toEqual(['checks/none']);
    expect(told([planned('A')], { ...none, facts: { configured: ['make test'] } })).toEqual([]);
    expect(told([planned('A', { verifyCommands: ['make test'] })], none)).toEqual([]);
  });

  test('a PRD that is still a scaffold', () => {
    expect(told([planned('A')], { facts: { prd: '# Title\n\n## Summary\n<!-- write -->\n' } })).toEqual(['prd/empty']);
    expect(told([planned('A')], { facts: { prd: null } })).toEqual([]);
  });
});

describe('checks that check nothing', () => {
  const verify = (...verifyCommands: readonly string[]) => told([planned('A')], { verifyCommands });

  test.each([
    ...['vitest --watch', 'npx vitest watch', 'jest --watchAll', 'tsc -w', 'npx tsc --noEmit -w', 'npm run dev'],
    ...[
      'pnpm dev',
      'yarn start',
      'next dev',
      'vite',
      'npm run test:watch',
      'nodemon src/app.js',
      'cargo watch -x test',
    ],
    ...[
      'python manage.py runserver',
      'python3 -m http.server',
      'uvicorn app:app',
      'docker compose up',
      'PORT=1 npm start',
    ],
  ])('%s never ends', (command) => {
    expect(verify(command)).toEqual(['checks/useless']);
  });

  test.each([
    'true',
    ':',
    'exit 0',
    'echo ok',
    'npm test || true',
    'npm test; true',
    'eslint . || echo bad',
    'node --version',
  ])('%s is always green', (command) => {
    expect(verify(command)).toEqual(['checks/useless']);
  });

  test.each([
    ...['npm test', 'vitest run', 'npx vitest', 'jest --watch=false', 'tsc --noEmit', 'npm run build', 'vite build'],
    ...['cargo test', 'prettier --check .', 'timeout 5 npm run dev', 'echo a && npm test', 'docker compose up -d'],
    ...[
      'npm run start-check',
      'npm run dev-lint',
      'pytest -x',
      'test -f a || exit 1',
      './watch.sh',
      'npm run serverless',
    ],
  ])('%s is fine', (command) => {
    expect(verify(command)).toEqual([]);
  });

  test('those of settings and of single stories, too', () => {
    expect(told([planned('A', { verifyCommands: ['true'] })])).toEqual(['checks/useless of A']);
    expect(told([planned('A')], { facts: { configured: ['npm run dev'] } })).toEqual(['checks/useless']);
  });
});

describe('order', () => {
  const table = planned('T', { title: 'Create the database table for invoices', priority: 2 });
  const page = planned('P', { title: 'Add the invoice list page', priority: 1 });

  test('the front end before the schema of the same feature', () => {
    expect(told([page, table])).toEqual(['order/layers of P']);
    expect(remarksOn([page, table])[0]?.suggestion).toBe('let it depend on T, which then comes first');
  });

  test('the front end before the endpoint that it calls, whatever the titles have in common', () => {
    const acceptanceCriteria = ['the page posts the cart to /api/orders', 'a test covers it'];
    const checkout = planned('P', { title: 'Create the checkout page', acceptanceCriteria, priority: 1 });
    const endpoint = planned('E', { title: 'Add the endpoint POST /api/orders', priority: 2 });
    expect(told([checkout, endpoint])).toEqual(['order/layers of P', 'dependencies/missing of P']);
    expect(told([{ ...checkout, dependsOn: ['E'], priority: 3 }, endpoint])).toEqual([]);
  });

  test('plain words tell the layer of a title', () => {
    const titled = (id: string, title: string, priority: number) => planned(id, { title, priority });
    const badge = titled('P', 'Show a priority badge', 1);
    expect(told([badge, titled('T', 'Add a priority field to the database', 2)])).toEqual(['order/layers of P']);
    expect(told([badge, titled('T', 'Sort by priority', 2)])).toEqual([]);
  });

  test('nothing is said where a dependency or the priorities keep the order, nor across features', () => {
    expect(told([{ ...page, dependsOn: ['T'], priority: 2 }, table])).toEqual([]);
    expect(told([{ ...page, priority: 3 }, table])).toEqual([]);
    expect(told([{ ...page, title: 'Add the visitor list page' }, table])).toEqual([]);
  });

  test('a priority that says another order than the dependencies', () => {
    const late = planned('B', { priority: 5 });
    expect(told([planned('A', { dependsOn: ['B'] }), late])).toEqual(['order/priority of A']);
    expect(told([planned('A', { dependsOn: ['B'] }), { ...late, passes: true }])).toEqual([]);
  });
});

describe('missing dependencies', () => {
  const endpoint = planned('E', { title: 'Add POST /api/orders endpoint' });
  const uses = planned('U', {
    title: 'Send the order',
    description: 'The button calls POST /api/orders.',
    priority: 2,
  });
  const third = planned('X', { dependsOn: ['E'], priority: 2 });

  test('a story uses by name what another one makes', () => {
    expect(told([endpoint, uses, third])).toEqual(['dependencies/missing of U']);
    expect(remarksOn([endpoint, uses, third])[0]?.suggestion).toBe('add "E" to its "dependsOn"');
  });

  test('it is fine when it waits for that one by way of another', () => {
    expect(told([endpoint, { ...uses, dependsOn: ['X'] }, third])).toEqual([]);
  });

  test('a plan of another tool that goes by its priorities alone is left to them while they are right', () => {
    expect(told([endpoint, uses], { format: 'prd-json' })).toEqual([]);
    expect(told([endpoint, uses])).toEqual(['dependencies/missing of U']);
    expect(told([endpoint, { ...uses, priority: 0 }], { format: 'prd-json' })).toEqual(['dependencies/missing of U']);
  });

  test.each([
    ['an endpoint', 'Add the endpoint POST /api/orders', [], 'the cart is posted to /api/orders'],
    ['an endpoint of the criteria', 'Take orders', ['POST /api/orders answers 201'], 'the cart goes to `/api/orders`'],
    ['a table', 'Create the table orders', [], 'GET /x answers the rows of the table orders'],
    ['a table in ticks', 'Create the `orders` table', [], 'all rows of the `orders` table are listed'],
    [
      'a table of the criteria',
      'Keep orders',
      ['the migration adds the table orders with id'],
      'reads the table orders',
    ],
    ['a file', 'Add src/money.ts', [], 'cart.ts imports round from src/money.ts'],
    [
      'a file of the criteria',
      'Round money',
      ['src/money.ts exports round()'],
      'cart.ts imports round from src/money.ts',
    ],
  ])('%s that another story makes', (_, title, acceptanceCriteria, criterion) => {
    const maker = planned('M', { title, ...(acceptanceCriteria.length > 0 ? { acceptanceCriteria } : {}) });
    const user = planned('U', { acceptanceCriteria: [criterion, 'a test covers it'], priority: 2 });
    expect(told([maker, user])).toContain('dependencies/missing of U');
    expect(told([maker, { ...user, dependsOn: ['M'] }]).filter((rule) => rule.startsWith('dep'))).toEqual([]);
  });

  test.each([
    ['another method of the same path', 'Add GET /api/orders', 'the cart calls POST /api/orders'],
    ['a path that goes on', 'Add the endpoint POST /api/orders', 'the cart reads /api/orders/today'],
    ['a table on a page', 'Create the table component', 'the table component is not used on the start page'],
    ['a product', 'Add WebSocket support', 'no WebSocket is opened without a login'],
  ])('%s is something else', (_, title, criterion) => {
    const user = planned('U', { acceptanceCriteria: [criterion, 'a test covers it'], priority: 2 });
    expect(told([planned('M', { title }), user])).toEqual([]);
  });

  test('what a title only mentions is not made by its story', () => {
    const mentions = planned('E', { title: 'Add a log line to OrderForm' });
    const other = planned('U', { description: 'OrderForm gets a title.' });
    expect(told([mentions, other, planned('X', { dependsOn: ['E'] })])).toEqual([]);
  });
});

describe('duplicates', () => {
  test('the same title twice, in any order of its words', () => {
    const stories = [
      planned('A', { title: 'Print the monthly invoice' }),
      planned('B', { title: 'print the Monthly invoice' }),
    ];
    expect(told(stories)).toEqual(['duplicate of B']);
  });

  test('titles that differ in a small word, or say too little to tell, are two stories', () => {
    const titled = (id: string, title: string) => planned(id, { title });
    expect(told([titled('A', 'Implement the sign in form'), titled('B', 'Implement the sign up form')])).toEqual([]);
    expect(told([titled('A', 'Write docs'), titled('B', 'Write docs')])).toEqual([]);
  });
});

test('ten thousand stories that wait for each other are judged in a moment', () => {
  const stories = Array.from({ length: 10_000 }, (_, i) =>
    planned(`S${i}`, {
      dependsOn: i > 0 ? [`S${i - 1}`] : [],
      priority: i + 1,
      title: `Add GateForm${i} for the gate`,
    }),
  );
  expect(told(stories)).toEqual([]);
});

const template = readFileSync(new URL('../../../templates/prd.md', import.meta.url), 'utf8');

test('the scaffold of `ralph init` has no content, and one line of one’s own makes some', () => {
  expect(hasPrdContent(template)).toBe(false);
  expect(hasPrdContent(template.replace('## Problem', 'Customers redeem coupons.\n\n## Problem'))).toBe(true);
});

test.each([
  ['nothing', ''],
  ['a title', '\ufeff# Coupons\r\n\r\n## Goals\r\n'],
  ['empty bullets and boxes', '# A\n- \n- [ ]\n* \n| | |\n|---|---|\n'],
  ['placeholders', '# A\n\n[Describe the problem]\n\n{{GOALS}}\n\nTBD\n'],
  ['front matter', '---\ntitle: Coupons\nowner: una\n---\n\n# Coupons\n'],
  ['a comment that never ends', '# A\n<!-- write here\nsomething\n'],
])('%s is no content', (_, text) => {
  expect(hasPrdContent(text)).toBe(false);
});

test.each([
  ['a sentence', 'Customers redeem coupons.'],
  ['another script', '# 目标\n\n用户可以登录。\n'],
  ['a link', '[the notes](notes.md)'],
  ['a list', '## Goals\n- log in\n'],
  ['text between comments', '<!-- a -->kept<!-- b -->'],
])('%s is content', (_, text) => {
  expect(hasPrdContent(text)).toBe(true);
});
