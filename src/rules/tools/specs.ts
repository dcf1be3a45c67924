import type { Mode } from '../../contracts/index.ts';

const text = (description: string) => ({ type: 'string', minLength: 1, description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string', minLength: 1 }, description });

const newStory = {
  title: text('One line: what is true when it is done.'),
  acceptance_criteria: {
    ...texts('What a reviewer can check, one point each.'),
    minItems: 1,
  },
  description: { type: 'string', description: 'What and why; may be empty.' },
} as const;

function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, unknown>> = {},
  required: readonly string[] = [],
): ToolSpec {
  return { name, description, inputSchema: { type: 'object', properties, required, additionalProperties: false } };
}

/** Tools that only read; they also work without a run. */
export const READING_TOOLS: readonly ToolSpec[] = [
  tool('get_story', 'A story in full: description, acceptance criteria, review state and feedback, notes.', {
    id: { type: 'string', description: 'Id of a story; default: the story of this iteration.' },
  }),
  tool('list_stories', 'Every story of the backlog with its state and dependencies, one line each.'),
  tool('get_failure_context', 'Why the last iteration of this story failed, and the output of what failed in it.'),
];

const CLAIMING_TOOLS: readonly ToolSpec[] = [
  tool(
    'complete_story',
    'Say how far the story of this iteration is. On `success` the checks are run first: when one of them fails, the answer is its output and the story stays open. Not for reviews.',
    {
      status: {
        enum: ['success', 'partial', 'blocked'],
        description: '`success`: every acceptance criterion is met. `partial`: a next iteration has to go on.',
      },
      summary: text('What was done, what is left, what the next reader must know. When blocked: what is missing.'),
      tests: { enum: ['passing', 'failing', 'not_run'], description: 'How the tests ended when you ran them.' },
      already_done: {
        type: 'boolean',
        description: 'Only with `success`, when the story was done before and nothing had to be changed for it.',
      },
      evidence: texts(
        'With `already_done`: what shows it, one each: a commit, a test or a file that was there before. A review looks at them.',
      ),
    },
    ['status', 'summary'],
  ),
  tool(
    'submit_review',
    'The verdict of this review, for the story of this iteration. Only in a review.',
    {
      verdict: { enum: ['approve', 'request_changes'] },
      findings: {
        type: 'array',
        maxItems: 50,
        description: 'With request_changes: what is wrong, each point apart.',
        items: {
          type: 'object',
          properties: {
            file: { type: 'string', description: 'Path in the work tree.' },
            line: { type: 'integer', minimum: 1 },
            criterion: { type: 'string', description: 'The acceptance criterion that is not met.' },
            claim: text('What happens and what should happen instead. Begin with its id when it was found before.'),
          },
          required: ['claim'],
          additionalProperties: false,
        },
      },
      feedback: {
        type: 'string',
        description:
          'With request_changes, unless `findings` says it all: what is wrong, item by item, with file, line and what should happen instead.',
      },
      notes: { type: 'string', description: 'With approve: what was checked, and what to keep in mind.' },
      accepted_findings: {
        type: 'array',
        maxItems: 100,
        description:
          'With approve: weakened tests that your prompt numbers, each with the reason why the story asks for it. An approval that leaves one out counts as request_changes.',
        items: {
          type: 'object',
          properties: { finding: { type: 'integer', minimum: 1 }, reason: text('Why the story asks for it.') },
          required: ['finding', 'reason'],
          additionalProperties: false,
        },
      },
    },
    ['verdict'],
  ),
  tool(
    'add_story',
    'Add a story that turned out to be needed. It is worked on in an iteration of its own.',
    {
      ...newStory,
      priority: { type: 'number', description: '1 is worked on first; default: after the last.' },
      depends_on: texts('Ids of stories that must be done before.'),
    },
    ['title', 'acceptance_criteria'],
  ),
  tool(
    'split_story',
    'The story of this iteration is too large: add its parts as new stories and let it depend on them.',
    {
      parts: {
        type: 'array',
        minItems: 1,
        maxItems: 5,
        items: {
          type: 'object',
          properties: newStory,
          required: ['title', 'acceptance_criteria'],
          additionalProperties: false,
        },
      },
    },
    ['parts'],
  ),
  tool(
    'report_blocker',
    'The story cannot be finished for a reason outside this iteration: it is set aside and a person is told.',
    { reason: text('What is missing, what was tried, who could decide.') },
    ['reason'],
  ),
  tool(
    'ask_question',
    'Ask the person who runs this loop. Nobody answers now: the story is set aside until they do, so stop afterwards.',
    { question: text('One question, with the choices you see and what each would mean.') },
    ['question'],
  ),
  tool(
    'log_progress',
    'Append an entry to the progress log, for the iterations after this one.',
    { text: text('What was done and learned.') },
    ['text'],
  ),
  tool(
    'add_pattern',
    'Add a line to "Codebase Patterns" on top of the progress log: what holds for the whole code base.',
    { pattern: text('One short, general line.') },
    ['pattern'],
  ),
  tool(
    'request_merge',
    'Ask the person who runs this loop to merge or push this branch. Agents never do that themselves.',
    { title: text('Title of the merge request.'), body: { type: 'string', description: 'What a reader should know.' } },
    ['title'],
  ),
];

/** The tools of an iteration: only those that its mode may allow. */
export function toolsOf(mode: Mode): readonly ToolSpec[] {
  return ALL_TOOLS.filter(({ name }) => !HIDDEN[mode].has(name));
}

export const ALL_TOOLS: readonly ToolSpec[] = [...READING_TOOLS, ...CLAIMING_TOOLS];

/** A worker gives no verdict, a reviewer finishes nothing, and only agents that implement add stories. */
const HIDDEN: Readonly<Record<Mode, ReadonlySet<string>>> = {
  implement: new Set(['submit_review']),
  review: new Set(['complete_story', 'add_story', 'split_story']),
  'review-fix': new Set(['submit_review', 'add_story', 'split_story']),
};

/** Tools an agent gets besides its own: the trusted way to claim. The backlog's rules judge every change. */

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments: an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolAnswer {
  readonly text: string;
  /** The call was refused or could not be carried out; `text` says why and what to do instead. */
  readonly isError: boolean;
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/**
 * Why a call of the agent's tools is invalid: null when its name and arguments fit. Checks the arguments themselves,
 * not list items; for calls that did not come through MCP, whose library checks the whole schema.
 */
export function problemOfCall(name: string, args: unknown): string | null {
  const spec = ALL_TOOLS.find((tool) => tool.name === name);
  if (!spec) return 'there is no such tool';
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'its arguments are no object';
  const { properties, required } = spec.inputSchema as {
    readonly properties: Readonly<Record<string, Property>>;
    readonly required: readonly string[];
  };
  const missing = required.find((property) => !Object.hasOwn(args, property));
  if (missing !== undefined) return `${missing} is missing`;
  const wrong = Object.entries(args).find(([property, value]) => {
    const wanted = Object.hasOwn(properties, property) ? properties[property] : undefined;
    return wanted === undefined || !fits(value, wanted);
  });
  return wrong ? `${wrong[0]} does not fit` : null;
}

function fits(value: unknown, wanted: Property): boolean {
  if (wanted.enum) return wanted.enum.includes(value);
  if (wanted.type === 'array') return Array.isArray(value);
  return typeof value === wanted.type;
}
