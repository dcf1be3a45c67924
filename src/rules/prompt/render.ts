import type { Problem } from '../../contracts/index.ts';
import { lineAt } from '../backlog/index.ts';
import { nearest } from '../text/index.ts';
import { modeInstructions, signalText } from './mode-instructions.ts';
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
