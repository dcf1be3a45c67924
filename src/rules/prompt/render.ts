import type { Mode, Problem, TamperFinding } from '../../contracts/index.ts';
import { BLOCK_BEGIN, BLOCK_END } from '../analysis/index.ts';
import { lineAt, toAnswer } from '../backlog/index.ts';
import { nearest } from '../text/index.ts';
import { failureText, type PromptInput, steerText, storyBlock } from './parts.ts';

export interface Prompt {
  readonly text: string;
  /** How many of its characters are about the story alone. */
  readonly aboutStory: number;
}

/** `problems` when the template names an unknown placeholder; then there is no text. */
type Rendered = Prompt | { readonly problems: readonly Problem[] };

const PLACEHOLDER = /\{\{[ \t]*([A-Za-z_][A-Za-z0-9_]*)[ \t]*\}\}|\$RALPH_(MAX_ITERATIONS|ITERATION)\b/g;

/**
 * Puts the variables into a template: `{{NAME}}`, and the older `$RALPH_ITERATION` and `$RALPH_MAX_ITERATIONS`. One
 * pass, literally: nothing is evaluated, and inserted text is not searched again. Required variables that the template
 * omits are appended.
 *
 * @param file path of the template, for the problems
 */
export function renderPrompt(template: string, variables: PromptVariables, file: string): Rendered {
  const values = new Map(Object.entries(variables));
  const names = [...template.matchAll(PLACEHOLDER)].map((match) => ({
    name: match[2] ?? match[1] ?? '',
    at: match.index,
  }));
  const problems = names
    .filter(({ name }) => !values.has(name))
    .map(({ name, at }) => unknown(name, [...values.keys()], file, lineAt(template, at)));
  if (problems.length > 0) return { problems };
  const text = template
    .replace(EMPTY_LINE, (lines: string, name: string) => (values.get(name) === '' ? '' : lines))
    .replace(PLACEHOLDER, (match: string, name?: string, older?: string) => values.get(older ?? name ?? '') ?? match);
  const used = new Set(names.map(({ name }) => name));
  const missing = missingFrom(used).flatMap((name) => variables[name] || []);
  const { STORY_BLOCK, FAILURE_CONTEXT, STEER } = variables;
  return {
    text: missing.length === 0 ? text : `${[text.trimEnd(), ...missing].join('\n\n')}\n`,
    aboutStory: STORY_BLOCK.length + FAILURE_CONTEXT.length + STEER.length,
  };
}

/** A placeholder alone on its line; an empty one is removed with the line and one empty line below. */
const EMPTY_LINE = /^[ \t]*\{\{[ \t]*([A-Z_]+)[ \t]*\}\}[ \t]*\r?\n([ \t]*\r?\n)?/gm;

/**
 * The variables that every prompt needs: the story, and messages from a person or the last iteration. An older template
 * without the story does not know modes either, so it also gets their instructions.
 */
function missingFrom(used: ReadonlySet<string>) {
  const story = used.has('STORY_BLOCK') ? [] : (['STORY_BLOCK', 'MODE_INSTRUCTIONS', 'SIGNAL'] as const);
  return [...story, ...(['FAILURE_CONTEXT', 'STEER'] as const)].filter((name) => !used.has(name));
}

function unknown(name: string, known: readonly string[], file: string, line: number): Problem {
  const hint = nearest(name, known);
  return {
    severity: 'error',
    rule: 'prompt/unknown-placeholder',
    file,
    line,
    message: `{{${name}}} is not a known placeholder`,
    fix: hint === null ? `Known are: ${known.join(', ')}.` : `Did you mean {{${hint}}}?`,
  };
}

type PromptVariables = Readonly<Record<keyof ReturnType<typeof promptVariables>, string>>;

/** The value of every placeholder. A value may be empty, never missing. */
export function promptVariables(input: PromptInput) {
  const { story, mode, skipReview } = input;
  // A prompt without a backlog itself says what to do, and how.
  const isLonePrompt = input.format === 'prompt';
  return {
    STORY_ID: story.safeId,
    STORY_TITLE: story.title.replace(/\s+/g, ' ').trim(),
    STORY_BLOCK: isLonePrompt ? '' : storyBlock(input),
    PLAN_PATH: input.planPath,
    PROGRESS_PATH: input.progressPath,
    PRD_PATH: input.prdPath,
    PRD_NUMBER: input.prdNumber === null ? '' : String(input.prdNumber),
    ITERATION: String(input.iteration),
    MAX_ITERATIONS: String(input.maxIterations),
    MODE: mode,
    MODE_INSTRUCTIONS: isLonePrompt ? '' : modeInstructions(input),
    SIGNAL: signalText(mode, skipReview, isLonePrompt),
    CHECKS:
      input.checks.length === 0 ? 'none are configured' : input.checks.map((command) => `\`${command}\``).join(', '),
    REVIEW_RANGE: input.reviewRange ?? '',
    REVIEW_FEEDBACK: story.reviewFeedback,
    REVIEW_CAP: String(input.reviewCap),
    FAILURE_CONTEXT: [failureText(input.failure, input.violations), warningText(input.warnings)]
      .filter((part) => part !== '')
      .join('\n\n'),
    LEARNED_RULES: input.learnedRules.map((rule) => `- ${rule}`).join('\n'),
    STEER: steerText(input.steer, input.answers),
    DATE: new Date(input.now).toISOString().slice(0, 10),
    PROJECT_NAME: input.projectName,
  };
}

function warningText(warnings: readonly string[]): string {
  return warnings.length === 0 ? '' : ['### The loop warns', '', ...warnings.map((text) => `- ${text}`)].join('\n');
}

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
  | 'keepsCommits'
>;

/** The instructions for this mode, as numbered steps; they name the story's own file and fields. */
function modeInstructions(input: Input): string {
  const isClaimedDone = input.mode === 'review' && input.unchanged !== null;
  const steps = isClaimedDone ? alreadyDone(input) : { implement, review, 'review-fix': reviewFix }[input.mode](input);
  return steps.map((step, i) => `${i + 1}. ${step}`).join('\n');
}

function implement(input: Input): string[] {
  return [
    'Look first for what the code base already offers, and reuse it.',
    'Implement this story completely, and nothing beyond it. Write tests that would fail without your change.',
    'If it needs more than about 60 % of your context, do a first part and split off the rest with the tool `split_story`; without that tool, add at most five new stories (not done, unreviewed) and let this one depend on them.',
    ...FINISH,
    `When every criterion is met, ${complete(input)}`,
    ...(input.skipReview ? [] : [DONE_BEFORE]),
  ];
}

function reviewFix(input: Input): string[] {
  return [
    'Address every item of the review feedback. Where one is mistaken, leave the code and write into the notes of the story why.',
    'Change nothing that no item asks for.',
    ...FINISH,
    `When every item is addressed, ${complete(input)}`,
  ];
}

const FINISH = [
  'Run the checks until they pass.',
  'Read the whole `git diff` once, as a stranger would, and fix what you find.',
];

const DONE_BEFORE =
  'If everything was done before you began, change nothing, and say so with evidence. Without evidence it counts as no progress.';

/** For a story without changes: the question is not whether the work is good, but whether it exists. */
function alreadyDone(input: Input): string[] {
  const shown = (input.unchanged ?? []).map((evidence) => `   - ${evidence.replace(/\s+/g, ' ')}`);
  return [
    'You are the reviewer. The agent says that this story was done before it began, and changed nothing: check that this is already done. Believe only what you see in the code.',
    shown.length === 0
      ? 'It named no evidence. Find the code that is meant to fulfil the story.'
      : ['This is its evidence. Read each, and say what it shows and what it does not:', ...shown].join('\n'),
    'For each acceptance criterion, name the code that fulfils it, and a test, or a command you ran, that shows it. A criterion without both is not met.',
    'Run the checks. That they pass proves nothing by itself: they passed without this story, too.',
    ...concluding(
      input,
      'Approve only when every criterion is met; otherwise say for each that is not what is missing.',
    ),
  ];
}

function review(input: Input): string[] {
  const look =
    input.reviewRange === null
      ? 'Find the code that is meant to fulfil the story.'
      : `Read \`git diff ${input.reviewRange}\` in full, and the code around it; with \`--text\` if it calls a text file binary.`;
  return [
    "You are the reviewer. Read the code as someone else's; believe no claim that you have not checked.",
    look,
    'Run the checks. Judge each acceptance criterion separately: met or not, and which code or test shows it.',
    'Look for what the criteria do not name: wrong results, missing error handling, security holes, tests that cannot fail, weakened or skipped tests, changes that do not belong to the story.',
    ...suspicions(input.tampering),
    ...concluding(
      input,
      'Request changes only for what is wrong, point by point: severity (error, warning or note), file, line, what happens, what should happen instead. Taste is no finding.',
    ),
  ];
}

/** What every review ends with; the texts of earlier findings are shown with the story. */
function concluding(input: Input, when: string): string[] {
  return [
    'Fix nothing: a review that changes any file but the backlog and the progress log is thrown away.',
    ...(input.findings.length === 0 ? [] : ['Go through the findings of earlier reviews, listed with the story.']),
    when,
    submit(input),
  ];
}

function submit({ planPath, story, format }: Input): string {
  const verdict =
    format === 'tasks-json'
      ? `in ${planPath}, for ${story.safeId} only, set \`reviewCount\` to ${story.reviewCount + 1}, and either \`reviewStatus\` to "approved", \`passes\` to true and your \`notes\`, or \`reviewStatus\` to "changes_requested" and \`reviewFeedback\`. Put the same verdict into the status block.`
      : 'give your verdict in the status block only (REVIEW, FEEDBACK), and leave the backlog alone.';
  return `Call the tool \`submit_review\` of the server \`ralph\`. Only without that tool, ${verdict}`;
}

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
  'These are tests or checks that were weakened on this branch, by this story or an earlier one, and no review accepted it. Request that each is undone, unless the story asks for it: then accept it by its number, with a reason (`accepted_findings` of `submit_review`; in a status block ACCEPTED_FINDINGS). An approval that leaves one out counts as requested changes:';
const POINTED_OUT =
  'These changes may weaken tests or checks. Say for each whether the story asks for it; if not, request that it is undone:';

/** How a worker says that its story is finished; backlogs without the field use the status block. */
function complete({ format, skipReview, planPath, story, mode, keepsCommits }: Input): string {
  const clear = mode === 'review-fix' ? ' and clear `reviewFeedback`' : '';
  const otherwise =
    format !== 'tasks-json' || skipReview
      ? 'signal STATUS: COMPLETE in the status block; the loop marks the story.'
      : `in ${planPath} set \`reviewStatus\` of ${story.safeId} to "needs_review"${clear}. Leave \`passes\` and \`reviewCount\` alone.`;
  const commit = keepsCommits ? 'commit everything (your commits are kept on the branch) and ' : '';
  return `${commit}call the tool \`complete_story\` of the server \`ralph\`, which runs the checks first. Only without that tool, ${otherwise}`;
}

/** How an iteration ends: the status block the loop reads, with the values that fit the mode. */
function signalText(mode: Mode, skipReview: boolean, isLonePrompt = false): string {
  const fields = isLonePrompt ? LONE_FIELDS : mode === 'review' ? REVIEW_FIELDS : skipReview ? [] : DONE_BEFORE_FIELDS;
  const meaning = isLonePrompt ? LONE_MEANING : mode === 'review' ? REVIEW_MEANING : workMeaning(skipReview);
  const block = [BLOCK_BEGIN, 'STATUS: COMPLETE | IN_PROGRESS | BLOCKED', RECOMMENDATION, ...fields, BLOCK_END];
  return `End your last message with this block, one value per field:\n\n${block.join('\n')}\n\n${meaning}`;
}

const RECOMMENDATION = 'RECOMMENDATION: <one line: what comes next, or what blocks you>';
const REVIEW_FIELDS = [
  'REVIEW: APPROVED | CHANGES_REQUESTED',
  'ACCEPTED_FINDINGS: <only with APPROVED, where weakened tests are numbered above: 1 reason; 2 reason>',
  'FEEDBACK: <only with CHANGES_REQUESTED: every finding, numbered, to the end of the block>',
];
const DONE_BEFORE_FIELDS = [
  'ALREADY_DONE: <true only when the story was done before and nothing had to be changed, else leave it out>',
  'EVIDENCE: <only with ALREADY_DONE: commits, tests or files that show it, separated by semicolons>',
];
/** Without a backlog the loop goes by what the agent says. */
const LONE_FIELDS = [
  'TESTS_STATUS: PASSING | FAILING | NOT_RUN',
  'WORK_TYPE: IMPLEMENTATION | TESTING | DOCUMENTATION | REFACTORING',
  'EXIT_SIGNAL: true | false',
];

const BLOCKED = 'BLOCKED: the story is set aside until a person decides.';
const REVIEW_MEANING = `COMPLETE: the review is finished; REVIEW is its verdict. ${BLOCKED}`;
const workMeaning = (skipReview: boolean) =>
  `COMPLETE: every criterion of this story is met${skipReview ? '' : ' and it is ready for review'}. IN_PROGRESS: the next iteration continues it. ${BLOCKED}`;
const LONE_MEANING = [
  'STATUS: COMPLETE with EXIT_SIGNAL: true says that everything asked for above is done; the loop ends when two iterations in a row say so.',
  'STATUS: IN_PROGRESS with EXIT_SIGNAL: false says that the next iteration continues.',
  'STATUS: BLOCKED ends the loop until a person decides.',
].join('\n');
