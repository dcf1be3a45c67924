import { type Document, isNode, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import type { Problem } from '../../../contracts/index.ts';

/** The form of a scenario file. Documented for users in docs/scripted-agent.md; the player trusts what passes here. */

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds; in the file a number of milliseconds or a number with a unit: `250ms`, `2s`, `5m`, `1h`. */
const duration = z.union([
  z.number().nonnegative(),
  z
    .string()
    .regex(/^\d+(\.\d+)?(ms|s|m|h)$/, 'a duration is a number of milliseconds or e.g. 250ms, 2s, 5m, 1h')
    .transform((text) => Number.parseFloat(text) * (UNITS_MS[text.replace(/[\d.]/g, '')] ?? 1)),
]);

const text = z.string();
const path = z.string().min(1);
const yes = z.literal(true);
const count = z.int().nonnegative();

/** One entry per action: the name used in the file and the form of its value. */
const ACTIONS = {
  say: text,
  status: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  write: z.strictObject({ path, content: text }),
  append: z.strictObject({ path, content: text }),
  edit: z.strictObject({ path, replace: z.string().min(1), with: text }),
  delete: path,
  run: z.union([
    z
      .string()
      .min(1)
      .transform((command) => ({ command, expect: 'any' as const })),
    z.strictObject({ command: z.string().min(1), expect: z.enum(['ok', 'fail', 'any']).default('any') }),
  ]),
  background: z.strictObject({ run: z.string().min(1), detached: z.boolean().default(false) }),
  commit: z.string().min(1),
  story: z.strictObject({
    id: z.string().optional(),
    set: z.record(z.string(), z.json()).default({}),
    increase: z.record(z.string(), z.number()).default({}),
  }),
  tick: z.union([
    yes.transform(() => ({ text: null })),
    z
      .string()
      .min(1)
      .transform((line) => ({ text: line })),
  ]),
  progress: text,
  tool: z.strictObject({ name: z.string().min(1), arguments: z.record(z.string(), z.json()).default({}) }),
  'expect-prompt': z.string().min(1),
  usage: z.strictObject({
    input: count.default(0),
    output: count.default(0),
    cacheRead: count.default(0),
    cacheWrite: count.default(0),
    cost: z.number().nonnegative().default(0),
    context: count.nullable().default(null),
  }),
  sleep: duration,
  'wait-for-file': path,
  hang: yes,
  'ignore-term': yes,
  flood: z.strictObject({ bytes: count, lines: z.boolean().default(true) }),
  limit: z.strictObject({
    kind: z.string().default('rate_limit'),
    status: z.enum(['warning', 'rejected']).default('rejected'),
    resetsAt: z.iso.datetime({ offset: true }).optional(),
    in: duration.optional(),
  }),
  fail: z.strictObject({
    kind: z.enum(['crash', 'network', 'api', 'auth', 'model', 'exhausted']),
    message: z.string().min(1),
  }),
  crash: z.union([
    z.strictObject({ exit: z.int().min(1).max(255) }),
    z.strictObject({ signal: z.enum(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSEGV', 'SIGABRT']) }),
  ]),
  empty: yes,
} as const;

type Shapes = typeof ACTIONS;
export type ActionName = keyof Shapes;
export type ActionInput<Name extends ActionName> = z.output<Shapes[Name]>;
export type Action = { [Name in ActionName]: { readonly name: Name; readonly input: ActionInput<Name> } }[ActionName];

const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[];

const action = z
  .strictObject(ACTIONS)
  .partial()
  .refine((value) => Object.keys(value).length === 1, { error: 'an action is one name with its value' })
  .transform((value) => {
    const [name, input] = Object.entries(value)[0] as [ActionName, unknown];
    return { name, input } as Action;
  });

const oneOf = <Item extends z.ZodType>(item: Item) =>
  z.union([item.transform((value) => [value]), z.array(item).min(1)]) as unknown as z.ZodType<
    readonly z.output<Item>[]
  >;

const when = z.strictObject({
  story: oneOf(z.string()).optional(),
  mode: oneOf(z.enum(['implement', 'review', 'review-fix'])).optional(),
  attempt: oneOf(z.int().positive()).optional(),
  reviewCount: oneOf(z.int().nonnegative()).optional(),
  try: oneOf(z.int().positive()).optional(),
  iteration: oneOf(z.int().positive()).optional(),
});

const scenarioSchema = z.strictObject({
  version: z.literal(1),
  /** Whether the agent asks the run's hooks before and after each action, and obeys the answer. */
  hooks: z.boolean().default(false),
  /** Shown as the model's name. */
  model: z.string().default('scripted'),
  /** The backlog and the progress log that `story`, `tick` and `progress` edit, relative to the work tree. */
  backlog: path.default('ralph/tasks.json'),
  progress: path.default('ralph/progress.txt'),
  steps: z.array(
    z.strictObject({
      name: z.string().optional(),
      when: when.default({}),
      do: z.array(action),
      /** Played when a hook refuses the stop. */
      refused: z.array(action).default([]),
    }),
  ),
  /** Played when no step matches. */
  default: z.array(action).optional(),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type When = Scenario['steps'][number]['when'];

const SEE = 'see docs/scripted-agent.md for the form of a scenario';

/** The scenario in a text, or what is wrong with it. `path` is only used in messages. */
export function parseScenario(path: string, source: string): { scenario: Scenario } | { problems: readonly Problem[] } {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines });
  if (document.errors.length > 0) {
    return {
      problems: document.errors.map(({ message, linePos }) => {
        const [first = ''] = message.replace(/ at line \d+, column \d+:?(?=\n|$)/, '').split('\n', 1);
        return problem(path, linePos?.[0].line ?? 1, 'scenario/yaml', first, 'fix the YAML');
      }),
    };
  }
  const checked = scenarioSchema.safeParse(document.toJS());
  if (checked.success) return { scenario: checked.data };
  return { problems: formProblems(path, checked.error.issues, document, lines) };
}

function formProblems(
  path: string,
  issues: readonly z.core.$ZodIssue[],
  document: Document,
  lines: LineCounter,
): Problem[] {
  const places = new Set<string>();
  return issues
    .flatMap((issue) => {
      const place = issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part));
      const where = place.join('.');
      // An unknown action also counts as "no action": the first complaint about a place is the useful one.
      if (places.has(where)) return [];
      places.add(where);
      const culprit = issue.code === 'unrecognized_keys' ? [...place, ...issue.keys.slice(0, 1)] : place;
      const message = `${where}${where ? ': ' : ''}${describe(issue)}`;
      return problem(path, lineOf(document, lines, culprit), 'scenario/form', message, hint(issue));
    })
    .sort((a, b) => a.line - b.line);
}

/** The line of the innermost node on `place` that exists. */
function lineOf(document: Document, lines: LineCounter, place: readonly (string | number)[]): number {
  for (let depth = place.length; depth >= 0; depth -= 1) {
    const node = depth === 0 ? document.contents : document.getIn(place.slice(0, depth), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown ${issue.keys.map((key) => `'${key}'`).join(', ')}`;
  if (issue.code === 'invalid_union') return describeUnion(issue);
  return issue.message.endsWith('received undefined') ? 'is missing' : issue.message.replace(/^Invalid input: /, '');
}

/** Several forms were possible: the complaint of the nearest one, which is not about the type as such. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  const complaints = issue.errors.flat();
  const nearest =
    complaints.find((complaint) => complaint.code !== 'invalid_type' || complaint.path.length > 0) ?? complaints[0];
  if (!nearest) return issue.message;
  const inside = nearest.path.length > 0 ? `${nearest.path.join('.')}: ` : '';
  return inside + describe(nearest);
}

function hint(issue: z.core.$ZodIssue): string {
  const isAction = issue.path.at(-2) === 'do' || issue.path.at(-2) === 'default';
  return isAction ? `actions: ${ACTION_NAMES.join(', ')}` : SEE;
}

export function problem(file: string, line: number, rule: string, message: string, fix: string): Problem {
  return { severity: 'error', rule, file, line, message, fix };
}
