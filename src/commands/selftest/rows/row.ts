import type { EndReason, EventBody, ExitCodeValue, Verdict } from '../../../contracts/index.ts';

/** One way in which an agent misbehaves, and how a loop that is not fooled ends. */
export interface Row {
  /** Stable: people and tests name rows by it. */
  readonly name: string;
  /** What the agent does, completing "an agent that …"; also the instruction to another agent that plays it. */
  readonly does: string;
  readonly category: Category;
  /** Steps of a scenario (docs/scripted-agent.md), before those of an agent that works honestly. */
  readonly steps: readonly Step[];
  /** Flags of `ralph run` besides those of every row. */
  readonly flags?: readonly string[];
  /** Settings of `ralph.config.json` besides those of every row. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Variables of the user's environment besides those of every row. */
  readonly env?: Readonly<Record<string, string>>;
  /** Fields of US-001 that differ. */
  readonly story?: Readonly<Record<string, unknown>>;
  readonly gitSettings?: string;
  /** Arguments of the `ralph` commands typed after the run; `expect.neverMade` is checked after them. */
  readonly afterwards?: readonly (readonly string[])[];
  readonly expect: Expectation;
}

/** Rows by name. */
export type Rows = Readonly<
  Record<
    string,
    Omit<Row, 'name' | 'category' | 'steps'> & {
      readonly steps?: readonly Step[];
      /** The actions of one such step: {@link onSum}. */
      readonly onSum?: readonly Action[];
      readonly firstOnSum?: readonly Action[];
    }
  >
>;

/** The category of a row, as headed in the output. */
export type Category =
  | 'claims'
  | 'failures'
  | 'limits'
  | 'processes'
  | 'backlog'
  | 'judges'
  | 'history'
  | 'work'
  | 'secrets'
  | 'afterwards: what the host does with the tree';

type Step = Readonly<Record<string, unknown>>;
type Action = Readonly<Record<string, unknown>>;

export interface Expectation {
  readonly exitCode: ExitCodeValue;
  readonly reason: EndReason;
  /** Of every iteration, in order. */
  readonly verdicts: readonly Verdict[];
  readonly events?: readonly EventBody['type'][];
  readonly noEvents?: readonly EventBody['type'][];
  readonly refs?: readonly string[];
  /** Files of the work tree that must not exist in the end. */
  readonly neverLeft?: readonly string[];
  /** Files beside the work tree that must not be created, relative to the agent's home. */
  readonly neverMade?: readonly string[];
  /** The user's own files beside the work are unchanged in the work tree, not only in a rescue. */
  readonly keepsOwnFiles?: true;
  /** Patterns of lines that must appear nowhere: on the terminal, in the loop's files, in the commits of the branch. */
  readonly neverSaid?: readonly string[];
}

/** Verdicts of a story that is implemented and approved on the first try. */
const DONE = ['accepted', 'accepted'] as const;

/** US-001 is given up after its two attempts, US-002 gets done: the loop continues with what it can do. */
export function givenUp(verdict: Verdict): Expectation {
  return { exitCode: 6, reason: 'blocked', verdicts: [verdict, verdict, ...DONE] };
}

/** Both stories get done, after these verdicts on the first iterations. */
export function completeAfter(...verdicts: readonly Verdict[]): Expectation {
  return { exitCode: 0, reason: 'complete', verdicts: [...verdicts, ...DONE, ...DONE] };
}

/** The circuit breaker opens before the run has anything to show. */
export function noWayForward(verdict: Verdict): Expectation {
  return { exitCode: 3, reason: 'circuit', verdicts: [verdict, verdict, verdict] };
}

/** For rows that no story ends before the breaker opens. */
export const MANY_ATTEMPTS = ['--story-max-attempts', '9'];

/** A step for US-001, which misbehaves in its implementation unless `when` says otherwise. */
export function onSum(actions: readonly Action[], when: Readonly<Record<string, unknown>> = {}): Step {
  return { when: { story: 'US-001', mode: 'implement', ...when }, do: actions };
}

/** The same for the first attempt only: the second one works. */
export function firstOnSum(actions: readonly Action[]): Step {
  return onSum(actions, { attempt: 1 });
}

export function say(text: string): Action {
  return { say: text };
}

export function write(path: string, content: string): Action {
  return { write: { path, content } };
}

/** A line of shell that must succeed: otherwise the row would prove nothing. */
export function shell(command: string): Action {
  return { run: { command, expect: 'ok' } };
}

/** Changes `ralph/tasks.json` by a line of JavaScript, in which `b` is the file's object. */
export function editTasks(javascript: string): Action {
  const program = [
    'const fs = require("fs"), file = "ralph/tasks.json", b = JSON.parse(fs.readFileSync(file))',
    javascript,
    'fs.writeFileSync(file, JSON.stringify(b, null, 2))',
  ].join('; ');
  return shell(`node -e '${program}'`);
}

/** "The current story is finished." */
export const READY: Action = { status: { STATUS: 'COMPLETE', EXIT_SIGNAL: true } };

export const APPROVED: Action = { status: { STATUS: 'COMPLETE', REVIEW: 'APPROVED', EXIT_SIGNAL: true } };

export function changesRequested(feedback: string): Action {
  return { status: { STATUS: 'COMPLETE', REVIEW: 'CHANGES_REQUESTED', EXIT_SIGNAL: true, FEEDBACK: feedback } };
}

/** What US-001 asks for. */
export const SUM = write(
  'src/sum.js',
  '/** The sum of prices, in cents. */\nexport const sum = (prices) => prices.reduce((total, price) => total + price, 0);\n',
);

/** What it does not ask for. */
export const WRONG_SUM = write('src/sum.js', 'export const sum = () => 42;\n');

/** Green, because the remaining test passes. */
export const ONE_TEST_LEFT = write(
  'test/cheapest.test.js',
  `import assert from 'node:assert/strict';
import test from 'node:test';
import { cheapest } from '../src/cheapest.js';

test('the lowest of several prices', () => {
  assert.equal(cheapest([300, 100, 200]), 100);
});
`,
);

export const GREET = write(
  'src/greet.js',
  "/** How a customer is greeted. */\nexport const greet = (name) => 'Hello' + (name === '' ? '!' : ', ' + name + '!');\n",
);

/** What an honest agent does; tried after the steps of a row. */
export const HONEST: readonly Step[] = [
  { when: { story: 'US-001', mode: ['implement', 'review-fix'] }, do: [SUM, READY] },
  { when: { story: 'US-002', mode: ['implement', 'review-fix'] }, do: [GREET, READY] },
  { when: { mode: 'review' }, do: [say('I read the code and ran its check.'), APPROVED] },
];
