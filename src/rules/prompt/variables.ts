import { failureText } from './failure.ts';
import type { PromptInput } from './input.ts';
import { modeInstructions } from './mode-instructions.ts';
import { signalText } from './signal.ts';
import { steerText } from './steer.ts';
import { storyBlock } from './story-block.ts';

/** Names a template may use between double braces. */
export const VARIABLE_NAMES = [
  'STORY_ID',
  'STORY_TITLE',
  'STORY_BLOCK',
  'PLAN_PATH',
  'PROGRESS_PATH',
  'PRD_PATH',
  'PRD_NUMBER',
  'ITERATION',
  'MAX_ITERATIONS',
  'MODE',
  'MODE_INSTRUCTIONS',
  'SIGNAL',
  'CHECKS',
  'REVIEW_RANGE',
  'REVIEW_FEEDBACK',
  'REVIEW_CAP',
  'FAILURE_CONTEXT',
  'LEARNED_RULES',
  'STEER',
  'DATE',
  'PROJECT_NAME',
] as const;

export type VariableName = (typeof VARIABLE_NAMES)[number];
export type PromptVariables = Readonly<Record<VariableName, string>>;

export function isVariableName(name: string): name is VariableName {
  return (VARIABLE_NAMES as readonly string[]).includes(name);
}

/** The value of every placeholder. A value may be empty, never missing. */
export function promptVariables(input: PromptInput): PromptVariables {
  const { story, mode, skipReview } = input;
  // A prompt without a backlog says itself what is to be done, and how.
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
