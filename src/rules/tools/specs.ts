import type { Mode } from '../../contracts/index.ts';

const text = (description?: string) => ({ type: 'string', minLength: 1, ...(description ? { description } : {}) });
const texts = (description?: string) => ({
  type: 'array',
  items: { type: 'string', minLength: 1 },
  ...(description ? { description } : {}),
});

function object(properties: Readonly<Record<string, unknown>>, ...required: readonly string[]) {
  return { type: 'object', properties, required, additionalProperties: false };
}

function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, unknown>> = {},
  ...required: readonly string[]
): ToolSpec {
  return { name, description, inputSchema: object(properties, ...required) };
}

/** Tools that only read; they also work without a run. */
export const READING_TOOLS: readonly ToolSpec[] = [
  tool('get_story', 'A story in full, with its review feedback and notes.', {
    id: { type: 'string', description: 'Default: the story of this iteration.' },
  }),
  tool('list_stories', 'All stories with their states and dependencies, one line each.'),
  tool('get_failure_context', 'Why the last iteration of this story failed, with the output.'),
];

/** Every word here is sent with every request of the agent: `added.test.ts` holds the sum. */
const CLAIMING_TOOLS: readonly ToolSpec[] = [
  tool(
    'complete_story',
    'Say how far this story is. On `success` the loop runs the checks first: if one fails, the answer is its output and nothing is recorded.',
    {
      status: {
        enum: ['success', 'partial', 'blocked'],
        description:
          '`success`: every criterion is met. `partial`: the next iteration continues. `blocked`: see `report_blocker`.',
      },
      summary: text('What was done, what is left, what the next iteration must know; when blocked, what is missing.'),
      tests: { enum: ['passing', 'failing', 'not_run'], description: 'How your own test run ended.' },
      already_done: {
        type: 'boolean',
        description: 'With `success`: the story was done before, and nothing had to be changed.',
      },
      evidence: texts('With `already_done`: commits, tests or files from before that show it.'),
    },
    'status',
    'summary',
  ),
  tool(
    'submit_review',
    'The verdict of this review.',
    {
      verdict: { enum: ['approve', 'request_changes'] },
      findings: {
        type: 'array',
        maxItems: 50,
        description: 'For `request_changes`: each point separately.',
        items: object(
          {
            file: { type: 'string' },
            line: { type: 'integer', minimum: 1 },
            severity: { type: 'string', description: 'error, warning or note.' },
            criterion: { type: 'string', description: 'The acceptance criterion that is not met.' },
            claim: text('What happens and what should happen instead; begins with the id of a known finding.'),
          },
          'claim',
        ),
      },
      feedback: { type: 'string', description: 'For `request_changes`, instead of `findings`: the points as text.' },
      notes: { type: 'string', description: 'For `approve`: what was checked, and what to keep in mind.' },
      accepted_findings: {
        type: 'array',
        maxItems: 100,
        description: 'For `approve`: all weakened tests numbered in your prompt, and why the story asks for each.',
        items: object({ finding: { type: 'integer', minimum: 1 }, reason: text() }, 'finding', 'reason'),
      },
    },
    'verdict',
  ),
  tool(
    'add_story',
    'Add a story that turned out to be needed; a later iteration works on it.',
    {
      title: text('One line: what is true when it is done.'),
      acceptance_criteria: { ...texts('Points that a reviewer can check.'), minItems: 1 },
      description: { type: 'string' },
      priority: { type: 'number', description: '1 comes first; default: last.' },
      depends_on: texts('Ids.'),
    },
    'title',
    'acceptance_criteria',
  ),
  tool(
    'split_story',
    'This story is too large: add its parts as stories that it depends on.',
    {
      parts: {
        type: 'array',
        minItems: 1,
        maxItems: 5,
        description: 'Each as in `add_story`.',
        items: object(
          { title: text(), acceptance_criteria: { ...texts(), minItems: 1 }, description: { type: 'string' } },
          'title',
          'acceptance_criteria',
        ),
      },
    },
    'parts',
  ),
  tool(
    'report_blocker',
    'Something outside this iteration keeps the story from being finished: it is set aside and the user is notified.',
    { reason: text('What is missing, what you tried, who could decide.') },
    'reason',
  ),
  tool(
    'ask_question',
    'Ask the person who runs this loop. The story is set aside until they answer, so stop afterwards.',
    { question: text('With the choices you see, and what each would mean.') },
    'question',
  ),
  tool('log_progress', 'Append to the progress log, for later iterations.', { text: text() }, 'text'),
  tool(
    'add_pattern',
    'Add a short line to "Codebase Patterns" on top of the progress log: what holds for the whole code base.',
    { pattern: text() },
    'pattern',
  ),
  tool(
    'request_merge',
    'Ask the person who runs this loop to merge or push this branch; agents never do.',
    { title: text(), body: { type: 'string' } },
    'title',
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

/** The arguments with choices as the tool names them: models write `PASSING` and `Not_Run`. */
export function asOffered(name: string, args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const properties = (ALL_TOOLS.find((tool) => tool.name === name)?.inputSchema['properties'] ?? {}) as Readonly<
    Record<string, Property>
  >;
  const entries = Object.entries(args).map(([property, value]) => {
    const isChoice = typeof value === 'string' && Object.hasOwn(properties, property) && properties[property]?.enum;
    return [property, isChoice ? value.toLowerCase() : value] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Why a call of the agent's tools is invalid: null when its name and arguments fit. Checks the arguments themselves,
 * not list items; for calls that did not come through MCP, whose library checks the whole schema.
 */
export function problemOfCall(name: string, args: unknown): string | null {
  const spec = ALL_TOOLS.find((tool) => tool.name === name);
  if (!spec) return 'there is no such tool';
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'its arguments are not an object';
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
