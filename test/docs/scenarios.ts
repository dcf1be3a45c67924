/** Steps as in docs/scripted-agent.md. */
export type Scenario = readonly Readonly<Record<string, unknown>>[];

const finished = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };

/** A module and its test, named after the story. */
const work = [
  { write: { path: 'src/{{STORY_ID}}.js', content: "export const story = '{{STORY_ID}}';\n" } },
  {
    write: {
      path: 'test/{{STORY_ID}}.test.js',
      content: [
        "import assert from 'node:assert/strict';",
        "import test from 'node:test';",
        "import { story } from '../src/{{STORY_ID}}.js';",
        '',
        "test('{{STORY_ID}} is there', () => {",
        "  assert.equal(story, '{{STORY_ID}}');",
        '});',
        '',
      ].join('\n'),
    },
  },
  { usage: { input: 5200, output: 640, cacheRead: 11_000, cost: 0.04 } },
];

/** Every story is implemented and approved at once. */
export const easy: Scenario = [
  {
    when: { mode: 'review' },
    do: [{ say: 'Looks right.' }, { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } }],
  },
  { when: { mode: ['implement', 'review-fix'] }, do: [...work, { say: 'Wrote {{STORY_ID}}.' }, finished] },
];

/** The first try at a story breaks the tests, and is rolled back. */
export const weakStart = (story: string): Scenario => [
  {
    when: { story, mode: 'implement', attempt: 1 },
    do: [
      { write: { path: 'src/cart.js', content: 'export const count = () => 1;\n' } },
      { say: 'All tests pass.' },
      finished,
    ],
  },
];

/** The agent asks about a story, which so waits for an answer; once, if an iteration is named. */
export const question = (story: string, text: string, iteration?: number): Scenario => [
  {
    when: { story, mode: 'implement', attempt: 1, ...(iteration === undefined ? {} : { iteration }) },
    do: [{ tool: { name: 'ask_question', arguments: { question: text } } }, { say: 'I ask.' }],
  },
];

/** Nothing comes of a story. */
export const idle = (story: string): Scenario => [{ when: { story }, do: [{ say: 'I thought about it.' }] }];

/** The agent says that it is at work, and goes on when it is let. */
export const waits: Scenario = [
  {
    when: { iteration: 1 },
    do: [...work, { run: 'touch ../at-work' }, { 'wait-for-file': '../may-go' }, finished],
  },
];
