import type { PromptInput } from './input.ts';

type Input = Pick<
  PromptInput,
  'story' | 'mode' | 'format' | 'skipReview' | 'planPath' | 'progressPath' | 'reviewRange' | 'tampering' | 'findings'
>;

/** What to do in this mode, as numbered steps; they name the story's own file and fields. */
export function modeInstructions(input: Input): string {
  const steps = { implement, review, 'review-fix': reviewFix }[input.mode](input);
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
  ];
}

function review({ reviewRange, planPath, story, format, tampering, findings }: Input): string[] {
  const look =
    reviewRange === null
      ? 'Find the code that is meant to fulfil the story.'
      : `Read \`git diff ${reviewRange}\` in full, and the code around it; with \`--text\` what it calls binary and is none.`;
  const verdict =
    format === 'tasks-json'
      ? `in ${planPath}, for ${story.safeId} only: set \`reviewCount\` to ${story.reviewCount + 1}, and either \`reviewStatus\` to "approved" with \`passes\` true and your \`notes\`, or \`reviewStatus\` to "changes_requested" with \`reviewFeedback\`. Put the same verdict into the status block.`
      : 'give your verdict in the status block only (REVIEW, FEEDBACK); leave the file of stories alone.';
  return [
    "You are the reviewer. Read the code as someone else's; believe no claim that you have not checked.",
    look,
    'Run the checks. Judge each acceptance criterion separately: met or not, and where in the code or in which test it shows.',
    'Look for what the criteria do not name: wrong results, missing error handling, security holes, tests that cannot fail, weakened or skipped tests, changes that do not belong to the story.',
    ...(tampering.length === 0 ? [] : [suspicions(tampering)]),
    'Fix nothing, and change no file but the backlog and the progress log: a review that touches code is thrown away.',
    'Request changes only for what is wrong, each point apart, with file, line, what happens and what should happen instead. Taste is no finding.',
    ...(findings.length === 0 ? [] : [EARLIER]),
    `Call the tool \`submit_review\` of the server \`ralph\`. Only if you do not have it: ${verdict}`,
  ];
}

/** Their texts stand with the story. */
const EARLIER =
  'Go through what earlier reviews found: verify what is open and name its id if it is not mended; what is settled is not to be brought up again.';

function suspicions(tampering: Input['tampering']): string {
  const lines = tampering.map(({ path, line, detail }) => `   - ${path}:${line}: ${detail}`);
  return [
    'The loop noticed changes that may weaken tests or checks. Say for each whether the story asks for it; if not, request that it is undone:',
    ...lines,
  ].join('\n');
}

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
