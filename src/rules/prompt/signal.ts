import type { Mode } from '../../contracts/model.ts';
import { BLOCK_BEGIN, BLOCK_END } from '../analysis/status-block.ts';

/** How an iteration ends: the status block the loop reads, with the values that fit the mode. */
export function signalText(mode: Mode, skipReview: boolean, isLonePrompt = false): string {
  const lines = [
    BLOCK_BEGIN,
    'STATUS: COMPLETE | IN_PROGRESS | BLOCKED',
    'TASKS_COMPLETED_THIS_LOOP: 0 | 1',
    'FILES_MODIFIED: <number>',
    'TESTS_STATUS: PASSING | FAILING | NOT_RUN',
    'WORK_TYPE: IMPLEMENTATION | TESTING | DOCUMENTATION | REFACTORING',
    'EXIT_SIGNAL: true | false',
    'RECOMMENDATION: <one line: what comes next, or what blocks you>',
    ...(mode === 'review' || skipReview || isLonePrompt
      ? []
      : [
          'ALREADY_DONE: <true only when the story was done before and nothing had to be changed, else leave it out>',
          'EVIDENCE: <only with ALREADY_DONE: commits, tests or files that show it, separated by semicolons>',
        ]),
    ...(mode === 'review'
      ? [
          'REVIEW: APPROVED | CHANGES_REQUESTED',
          'ACCEPTED_FINDINGS: <only with APPROVED, where weakened tests are numbered above: 1 reason; 2 reason>',
          'FEEDBACK: <only with CHANGES_REQUESTED: every finding, numbered, to the end of the block>',
        ]
      : []),
    BLOCK_END,
  ];
  return `End your last message with this block, one value per field:\n\n${lines.join('\n')}\n\n${isLonePrompt ? WITHOUT_STORIES : MEANING[mode](skipReview)}`;
}

const BLOCKED = 'STATUS: BLOCKED sets the story aside until a person decides; RECOMMENDATION names what is missing.';

/** Without a backlog nobody but the agent knows when everything is done, so that the loop goes by what it says. */
const WITHOUT_STORIES = [
  'STATUS: COMPLETE with EXIT_SIGNAL: true says that everything asked for above is done; the loop ends when two iterations in a row say so.',
  'STATUS: IN_PROGRESS with EXIT_SIGNAL: false says that the next iteration goes on.',
  'STATUS: BLOCKED ends the loop until a person decides; RECOMMENDATION names what is missing.',
].join('\n');

const working = (skipReview: boolean): string =>
  [
    `STATUS: COMPLETE with EXIT_SIGNAL: true says that every criterion of this story is met${skipReview ? '' : ' and that it is ready for review'}.`,
    'STATUS: IN_PROGRESS with EXIT_SIGNAL: false says that work on it goes on in the next iteration.',
    BLOCKED,
  ].join('\n');

const MEANING: Readonly<Record<Mode, (skipReview: boolean) => string>> = {
  implement: working,
  'review-fix': working,
  review: () =>
    ['STATUS: COMPLETE says that the review is finished; the verdict is the REVIEW line.', BLOCKED].join('\n'),
};
