import type { Mode, TamperFinding } from '../../contracts/index.ts';
import { BLOCK_BEGIN, BLOCK_END } from '../analysis/index.ts';
import { toAnswer } from '../backlog/index.ts';
import type { PromptInput } from './parts.ts';

type Input = Pick<
  PromptInput,
  | 'story'
  | 'mode'
  | 'format'
  | 'skipReview'
  | 'planPath'
  | 'progressPath'
  | 'reviewRange'
  | 'tampering'
  | 'findings'
  | 'unchanged'
>;

/** The instructions for this mode, as numbered steps; they name the story's own file and fields. */
export function modeInstructions(input: Input): string {
  const isClaimedDone = input.mode === 'review' && input.unchanged !== null;
  const steps = isClaimedDone ? alreadyDone(input) : { implement, review, 'review-fix': reviewFix }[input.mode](input);
  return steps.map((step, i) => `${i + 1}. ${step}`).join('\n');
}

function implement(input: Input): string[] {
  return [
    'Understand what the story asks for and look for what the code base offers already. Reuse before you write.',
    'Implement this story completely, and nothing beyond it. Write tests that would fail without your change.',
    'If it turns out larger than about 60 % of your context, split it: do the first part, add the rest as new stories (at most five, not done, unreviewed) and let this one depend on them; the tool `split_story` does both.',
    'Run the checks yourself until they pass. Never make them pass by weakening a test, a threshold or the checks.',
    'Read the whole `git diff` once, as a stranger would, and mend what you find.',
    `When every criterion is met: ${COMPLETE} ${readyStep(input)}`,
    ...(input.skipReview ? [] : [DONE_BEFORE]),
  ];
}

const DONE_BEFORE =
  'If all of it was done before you began and nothing has to be changed: say that, with evidence. Finished without a change and without evidence counts as no progress.';

/** For a story without changes: the question is not whether the work is good, but whether it exists. */
function alreadyDone(input: Input): string[] {
  const shown = (input.unchanged ?? []).map((evidence) => `   - ${evidence.replace(/\s+/g, ' ')}`);
  return [
    'You are the reviewer. The agent says that this story was done before it began, and changed nothing: check that this is already done. Believe nothing that you have not seen in the code.',
    shown.length === 0
      ? 'It named nothing that shows it. Find the code that is meant to fulfil the story.'
      : ['It names this as evidence. Read each, and say what it shows and what it does not:', ...shown].join('\n'),
    'Go through the acceptance criteria one by one: for each, name the code that fulfils it, and a test or a run of yours that shows it. A criterion without both is not met.',
    'Run the checks. That they are green proves nothing by itself: they were green without this story, too.',
    NOTHING_CHANGED,
    ...(input.findings.length === 0 ? [] : [EARLIER]),
    'Approve only when every criterion is met by what is there. Otherwise request changes, and say for each criterion that is not met what is missing.',
    submit(input),
  ];
}

function review(input: Input): string[] {
  const { reviewRange, tampering, findings } = input;
  const look =
    reviewRange === null
      ? 'Find the code that is meant to fulfil the story.'
      : `Read \`git diff ${reviewRange}\` in full, and the code around it; with \`--text\` what it calls binary and is none.`;
  return [
    "You are the reviewer. Read the code as someone else's; believe no claim that you have not checked.",
    look,
    'Run the checks. Judge each acceptance criterion separately: met or not, and where in the code or in which test it shows.',
    'Look for what the criteria do not name: wrong results, missing error handling, security holes, tests that cannot fail, weakened or skipped tests, changes that do not belong to the story.',
    ...suspicions(tampering),
    NOTHING_CHANGED,
    'Request changes only for what is wrong, each point apart, with file, line, what happens and what should happen instead. Taste is no finding.',
    ...(findings.length === 0 ? [] : [EARLIER]),
    submit(input),
  ];
}

const NOTHING_CHANGED =
  'Fix nothing, and change no file but the backlog and the progress log: a review that touches code is thrown away.';

function submit({ planPath, story, format }: Input): string {
  const verdict =
    format === 'tasks-json'
      ? `in ${planPath}, for ${story.safeId} only: set \`reviewCount\` to ${story.reviewCount + 1}, and either \`reviewStatus\` to "approved" with \`passes\` true and your \`notes\`, or \`reviewStatus\` to "changes_requested" with \`reviewFeedback\`. Put the same verdict into the status block.`
      : 'give your verdict in the status block only (REVIEW, FEEDBACK); leave the file of stories alone.';
  return `Call the tool \`submit_review\` of the server \`ralph\`. Only if you do not have it: ${verdict}`;
}

/** Refers to earlier findings; their texts are shown with the story. */
const EARLIER =
  'Go through what earlier reviews found: verify what is open and name its id if it is not mended; what is settled is not to be brought up again.';

/** Suspicions that an approval has to answer have a number; the rest are only pointed out. */
function suspicions(tampering: Input['tampering']): string[] {
  const said = ({ path, line, detail }: TamperFinding) => `${path}:${line}: ${detail}`;
  const numbered = toAnswer(tampering).map((finding, i) => `   ${i + 1}. ${said(finding)}`);
  const others = tampering.filter(({ severity }) => severity !== 'high').map((finding) => `   - ${said(finding)}`);
  return [
    ...(numbered.length === 0 ? [] : [[TO_ANSWER, ...numbered].join('\n')]),
    ...(others.length === 0 ? [] : [[POINTED_OUT, ...others].join('\n')]),
  ];
}

const TO_ANSWER =
  'The loop noticed tests or checks that were weakened on this branch, by this story or an earlier one, and that no review accepted. Request that each is undone, unless the story asks for it: then accept it by its number with your reason (`accepted_findings` of `submit_review`; in a status block ACCEPTED_FINDINGS). An approval that is silent about one of them counts as requested changes:';
const POINTED_OUT =
  'The loop noticed changes that may weaken tests or checks. Say for each whether the story asks for it; if not, request that it is undone:';

function reviewFix(input: Input): string[] {
  return [
    'Read the review feedback item by item; understand each before you change anything.',
    'Address every item. Where one is mistaken, leave the code and write into the notes of the story why.',
    'Change nothing that no item asks for.',
    'Run the checks yourself until they pass. Never make them pass by weakening a test, a threshold or the checks.',
    'Read the whole `git diff` once, as a stranger would, and mend what you find.',
    `When every item is addressed: ${COMPLETE} ${readyStep(input)}`,
  ];
}

const COMPLETE =
  'call the tool `complete_story` of the server `ralph`, which runs the checks first. Only if you do not have it:';

/** How a worker says in the backlog that its story is finished; formats without the field use the status block. */
function readyStep({ format, skipReview, planPath, story, mode }: Input): string {
  if (format !== 'tasks-json' || skipReview)
    return 'signal STATUS: COMPLETE in the status block; the loop marks the story.';
  const clear = mode === 'review-fix' ? ' and clear `reviewFeedback`' : '';
  return `in ${planPath} set \`reviewStatus\` of ${story.safeId} to "needs_review"${clear}. Leave \`passes\` and \`reviewCount\` alone.`;
}

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

/** Without a backlog only the agent knows when everything is done, so the loop relies on what it says. */
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
