import { SAMPLES } from './samples.ts';
import { easy, idle, question, type Scenario, waits, weakStart } from './scenarios.ts';

/** What a page's commands are typed in. */
export interface ProjectSpec {
  readonly files: Readonly<Record<string, string>>;
  /** Is it a git repository with everything committed? */
  readonly git: boolean;
  /** What the scripted agent does in every `ralph run` there. */
  readonly scenario: Scenario;
  /** Typed before the page's own commands; a comment `exit N` allows that code. */
  readonly before?: readonly string[];
  /** A run is held in its first iteration, `$!` is its process, while these and the page's commands are typed. */
  readonly live?: true;
}

const code = {
  'package.json': `${JSON.stringify({ name: 'shop', private: true, type: 'module', scripts: { test: 'node --test', lint: 'node --check src/cart.js' } }, null, 2)}\n`,
  'README.md': '# Shop\n',
  'src/cart.js': 'export const count = (cart) => cart.length;\n',
  'test/cart.test.js': [
    "import assert from 'node:assert/strict';",
    "import test from 'node:test';",
    "import { count } from '../src/cart.js';",
    '',
    "test('an empty cart holds nothing', () => {",
    '  assert.equal(count([]), 0);',
    '});',
    '',
  ].join('\n'),
};

const story = (id: string, title: string, priority: number, ...acceptanceCriteria: readonly string[]) => ({
  id,
  title,
  description: `As a customer I want it: ${title.toLowerCase()}.`,
  acceptanceCriteria,
  priority,
  passes: false,
  reviewStatus: null,
  reviewCount: 0,
  reviewFeedback: '',
  notes: '',
  dependsOn: [],
});

const specification = {
  'ralph/prd.md': '# Log in\n\nCustomers log in, pay and read prices.\n',
  'ralph/tasks.json': `${JSON.stringify(
    {
      project: 'shop',
      branchName: 'ralph/login',
      description: 'Customers can log in and pay.',
      verifyCommands: ['npm test'],
      userStories: [
        story('US-001', 'Log in with a password', 1, 'a wrong password shows an error'),
        story('US-002', 'Give change', 2, 'change(1000, 750) is 250'),
        story('US-003', 'Show a price', 3, "price(1234) is '12.34'"),
      ],
    },
    null,
    2,
  )}\n`,
};

const OLDER = {
  'prd.json': specification['ralph/tasks.json'],
  'scripts/ralph/prd.json': specification['ralph/tasks.json'],
  'scripts/ralph/prompt.md': '# Work\n\nImplement the next story.\n',
  'scripts/ralph/progress.txt': '# Progress\n',
  '.chief/prds/login/prd.json': specification['ralph/tasks.json'],
};

const PRICES = 'Is change given in cents or in euro?';

const shop = { files: { ...code, ...specification }, git: true, scenario: easy };

/** The projects that pages choose from with `<!-- project: NAME -->`. */
export const PROJECTS: Readonly<Record<string, ProjectSpec>> = {
  nothing: { files: {}, git: false, scenario: easy },
  repo: { files: code, git: true, scenario: easy },
  shop,
  finished: { ...shop, before: ['ralph run'] },
  /** US-001 is done, its first try was rolled back; US-002 waits for an answer; US-003 was blocked by a person. */
  blocked: {
    ...shop,
    scenario: [...weakStart('US-001'), ...question('US-002', PRICES, 4), ...easy],
    before: ['ralph stories block US-003 waits for the new prices', 'ralph run   # exit 6'],
  },
  /** The agent will ask about US-002. */
  asking: { ...shop, scenario: [...question('US-002', PRICES), ...easy] },
  /** US-001 is done; the agent will ask about US-002, and nothing comes of US-003. */
  stuck: {
    ...shop,
    before: ['ralph stories approve US-001', 'git commit -qam "approve US-001"'],
    scenario: [...question('US-002', PRICES), ...idle('US-003'), ...easy],
  },
  live: { ...shop, scenario: [...waits, ...easy], live: true },
  /** The computer was switched off in the first iteration. */
  crashed: {
    ...shop,
    scenario: [...waits, ...easy],
    live: true,
    before: ['kill -9 $!; wait $!   # exit 137', 'touch ../may-go'],
  },
  /** `repo` with the backlog of another tool, and with the folder of an older loop. */
  older: { ...shop, files: { ...code, ...OLDER } },
  /** `shop` that rings the bell at the end of a run. */
  told: { ...shop, files: { ...shop.files, 'ralph.config.json': '{ "notify": { "bell": "end" } }\n' } },
  /** Files to judge, as docs/guard.md, docs/hooks.md and docs/verdicts.md speak of them. */
  samples: { ...shop, files: { ...shop.files, ...SAMPLES } },
};
