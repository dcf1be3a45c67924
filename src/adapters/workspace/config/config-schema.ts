import * as z from 'zod';
import { choice, count, duration, flag, GROUP, money, range, text, texts, timeLimit } from './setting-kinds.ts';
import { dashboardSchema, isolationSchema, notifySchema, pluginsSchema } from './surfaces-schema.ts';

// Each process reads few settings once: compiling a fast parser for them would take longer than it saves.
z.config({ jitless: true });

/*
 * One schema for the configuration file, the environment, the flags and the published JSON Schema. Every message
 * completes the sentence "'<setting>' …". Durations are written with units here and are milliseconds in `Config`,
 * where their name ends in `Ms`.
 */

const AGENTS = 'must be the name of an agent or a list of names';
const agents = z
  .union([text, z.array(text, AGENTS).min(1, AGENTS)], AGENTS)
  .transform((value) => (typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value))
  .refine((names) => names.every((name) => name !== ''), 'must not hold an empty name');

const STAND_IN_MODEL = text
  .nullable()
  .default(null)
  .describe('Model while this agent stands in for the first of the list; null leaves it to the agent.');

/** The settings that every other agent program shares. */
const program = (name: string) =>
  z
    .strictObject(
      {
        command: text.default(name).describe('Program to start.'),
        args: texts.default([]).describe("Arguments added to the loop's own."),
        model: STAND_IN_MODEL,
      },
      GROUP,
    )
    .prefault({})
    .describe(`The agent \`${name}\`.`);

export const configSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Where editors find the JSON Schema of this file.'),
    agent: agents.prefault('claude').describe('The coding agent, or a list with fallbacks in order.'),
    model: text.nullable().default(null).describe("Model for every mode; null leaves it to the agent's own setting."),
    models: z
      .strictObject(
        {
          implement: text.optional().describe('Model for implement iterations.'),
          review: text.optional().describe('Model for reviews.'),
          'review-fix': text.optional().describe('Model for addressing review feedback.'),
          byEstimate: z
            .record(z.string(), text)
            .default({})
            .describe('Models by the `estimate` of a story, e.g. {"S": "haiku", "L": "opus"}.'),
          escalate: texts
            .default([])
            .describe('Models for the second attempt at a story, the third …; the last one stays.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('Models by what is to be done; they win over `model`.'),
    maxIterations: count(1).default(15).describe('Iterations of one run at most.'),
    maxAllowedIterations: count(1)
      .default(100)
      .describe('Cap of `maxIterations`, against typing errors that cost money.'),
    skipReview: flag.default(false).describe('A story is done after implement with green checks, without a review.'),
    reviewCap: count(1).default(5).describe('Reviews of one story before `onReviewCap` decides.'),
    onReviewCap: choice('approve', 'block')
      .default('approve')
      .describe('What happens when a review at the cap still finds issues.'),
    timeout: timeLimit.prefault('60m').describe('Longest life of one agent process.'),
    idleTimeout: timeLimit.prefault('15m').describe('Longest silence of an agent process.'),
    storyMaxAttempts: count(1).default(3).describe('Failed iterations of one story before it is blocked.'),
    calls: count(1).default(100).describe('Agent processes per hour at most, over all runs of the workspace.'),
    maxCost: money.nullable().default(null).describe('US dollars that one run may cost.'),
    maxTokens: count(1).nullable().default(null).describe('Tokens of all kinds that one run may use.'),
    maxDuration: timeLimit.nullable().default(null).describe('How long one run may take, waiting included.'),
    storyMaxCost: money
      .nullable()
      .default(null)
      .describe('US dollars that one story may cost before it is blocked, over all runs.'),
    onUsageLimit: choice('wait', 'fallback', 'stop')
      .nullable()
      .default(null)
      .describe(
        "At a provider's usage limit: wait for its reset, go on with the next agent, or end with exit 5; null: fallback when several agents are named, else wait.",
      ),
    circuit: z
      .strictObject(
        {
          noProgress: count(1).default(3).describe('Bad iterations in a row that open the breaker.'),
          sameError: count(1)
            .default(5)
            .describe('Iterations with the same error, since the last good one, that open the breaker.'),
          outputDecline: range(1, 100)
            .default(70)
            .describe(
              "Percent by which a bad iteration's output falls below the mean, so that the breaker half-opens.",
            ),
          cooldown: timeLimit
            .nullable()
            .default(null)
            .describe('Time after which an open breaker lets one iteration try; null: only a person closes it.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('The circuit breaker.'),
    promise: text
      .default('COMPLETE')
      .describe('What an agent writes between <promise> and </promise> to say that everything is done.'),
    keepAwake: flag.default(false).describe('Keep the machine from going to sleep during a run.'),
    env: z
      .strictObject(
        {
          pass: texts
            .default([])
            .describe('Variables that agents and checks get beside the usual ones; `*` at the end: any ending.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('The environment of agents and checks.'),
    isolation: isolationSchema,
    rollback: choice('iteration-end', 'immediate', 'never')
      .default('iteration-end')
      .describe(
        'When rejected work is rolled back (it is always rescued first); immediate: as soon as a hook sees tests fail.',
      ),
    dirty: choice('refuse', 'stash', 'keep')
      .default('refuse')
      .describe('What to do about uncommitted changes of tracked files at the start.'),
    branch: flag.default(true).describe("Work on the backlog's branch; false stays on the branch checked out."),
    verifyCommands: texts
      .default([])
      .describe("Checks that the loop runs itself, beside the backlog's own `verifyCommands`."),
    requireGreen: flag.default(false).describe('Refuse to start while a check is red.'),
    checks: z
      .strictObject(
        {
          timeout: timeLimit.prefault('10m').describe('Longest run of one check.'),
          where: choice('room', 'tree')
            .default('room')
            .describe("Where checks run: in the clean room, which agents cannot reach, or in the agent's work tree."),
          setup: texts
            .nullable()
            .default(null)
            .describe('Commands that install what the checks need; null: found by the lock files of the project.'),
          copy: texts
            .default([])
            .describe('Ignored files and folders that the clean room and fresh work trees get, e.g. `.env.test`.'),
          retries: range(0, 5).default(0).describe('How often a red check is run again before it counts.'),
          parallel: flag.default(false).describe('Run several checks of a story at once.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('How checks are run.'),
    onTestTamper: choice('flag', 'reject')
      .default('flag')
      .describe('Weakened tests and checks in a diff: shown to the reviewer, or the iteration is rejected.'),
    proof: choice('none', 'red-green')
      .default('none')
      .describe('What new and changed tests of a story must prove; red-green: that they fail without its code.'),
    precious: z
      .strictObject(
        {
          also: texts
            .default([])
            .describe('Files and folders that count although they are large or tools make them again.'),
          not: texts.default([]).describe('Files and folders that do not count.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('Ignored files that are saved with every checkpoint and put back: paths or names, `*` within a name.'),
    worktree: z
      .strictObject(
        {
          setup: texts.default([]).describe('Former name of `checks.setup`.'),
          copy: texts.default([]).describe('Former name of `checks.copy`.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('Work trees that the loop makes.'),
    guard: z
      .strictObject(
        {
          allow: texts
            .default([])
            .describe('Rules of the shell guard that are switched off, and commands it lets pass.'),
          deny: texts.default([]).describe('Commands the shell guard refuses beside its own rules.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('The shell guard; `ralph guard explain` shows what it thinks of a command.'),
    hooks: z
      .strictObject(
        { stopRefusals: count(0).default(8).describe('Times an agent is kept from stopping in one session.') },
        GROUP,
      )
      .prefault({})
      .describe('Decisions inside the session of the agent.'),
    context: z
      .strictObject(
        {
          window: count(1_000)
            .nullable()
            .default(null)
            .describe('Context window of the model in tokens; null: as the agent reports it.'),
          bytesPerToken: z
            .number('must be a number')
            .min(3, 'must be at least 3')
            .max(6, 'must be at most 6')
            .default(4)
            .describe('Estimate of the context from the size of the transcript where nothing better is known.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('The context monitor.'),
    transient: z
      .strictObject(
        {
          retries: range(0, 10)
            .default(3)
            .describe('Tries of the same iteration after an empty answer or a network error.'),
          delay: duration.prefault('5s').describe('Wait before the first of them; it doubles each time.'),
          maxWait: duration
            .prefault('6h')
            .describe(
              'Longest wait, all together, for a provider that cannot be reached or does not say when its limit ends.',
            ),
        },
        GROUP,
      )
      .prefault({})
      .describe('Errors that pass by themselves.'),
    commits: choice('squash', 'keep')
      .default('squash')
      .describe("One commit per iteration, or the agent's own commits kept on the branch."),
    commit: z
      .strictObject(
        {
          sign: flag.default(false).describe('Sign the commits on this host.'),
          verify: flag.default(true).describe("Run the repository's commit hooks on work."),
          templates: z
            .strictObject(
              {
                implement: text.optional().describe('Subject of an accepted implementation.'),
                wip: text.optional().describe('Subject of an advance without a claim.'),
                'review-fix': text.optional().describe('Subject of addressed review feedback.'),
                review: text.optional().describe('Subject of a review.'),
                bookkeeping: text.optional().describe("Subject of a commit of the loop's own files."),
              },
              GROUP,
            )
            .prefault({})
            .describe('Subjects of commits by kind.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('Commits the loop makes.'),
    progress: z
      .strictObject(
        { keep: count(0).default(20).describe('Entries kept in full; older ones shrink to one line.') },
        GROUP,
      )
      .prefault({})
      .describe('The progress log.'),
    scripted: z
      .strictObject(
        {
          scenario: text.nullable().default(null).describe('Scenario file that the agent `scripted` plays.'),
        },
        GROUP,
      )
      .prefault({})
      .describe('The agent `scripted`.'),
    claude: z
      .strictObject(
        {
          command: text.default('claude').describe('Program to start.'),
          permissionMode: choice('bypassPermissions', 'acceptEdits')
            .nullable()
            .default(null)
            .describe('Permission mode; null is bypassPermissions.'),
          allowedTools: texts.default([]).describe('Tools allowed without asking under `acceptEdits`.'),
          maxRetries: count(0).default(4).describe("The client's own retries of a failed request."),
          model: STAND_IN_MODEL,
          bashSandbox: flag
            .default(false)
            .describe("The client's own sandbox around its shell, in its strict form, where nothing else isolates."),
        },
        GROUP,
      )
      .prefault({})
      .describe('The agent `claude`.'),
    codex: program('codex'),
    opencode: program('opencode'),
    gemini: program('gemini'),
    copilot: program('copilot'),
    droid: program('droid'),
    command: z
      .strictObject(
        {
          run: text
            .nullable()
            .default(null)
            .describe(
              'Shell command of the agent `command`; it reads the prompt from standard input, or from the file $RALPH_PROMPT_FILE.',
            ),
          model: STAND_IN_MODEL,
        },
        GROUP,
      )
      .prefault({})
      .describe('The agent `command`: any program.'),
    runs: z
      .strictObject({ keep: count(1).default(50).describe('Runs whose events and logs are kept.') }, GROUP)
      .prefault({})
      .describe('Old runs.'),
    notify: notifySchema,
    dashboard: dashboardSchema,
    plugins: pluginsSchema,
  })
  .describe('Configuration of ralph.');

/** The JSON Schema that editors use for `ralph.config.json`. */
export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(configSchema, { io: 'input' });
}

/** One setting: a leaf of the schema. */
export interface Setting {
  /** The form `ralph config get` accepts: `checks.timeout`. */
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  readonly description: string;
  /** The error of a value, as the end of a sentence; null when it is valid. */
  complaint(value: unknown): string | null;
}

/** Every setting, in the schema's order. */
export function settings(): readonly Setting[] {
  return leaves(configSchema, []).filter((setting) => setting.key !== '$schema');
}

function leaves(schema: z.ZodType, path: readonly string[]): readonly Setting[] {
  const inner = schema instanceof z.ZodPrefault ? (schema.unwrap() as z.ZodType) : schema;
  if (inner instanceof z.ZodObject) {
    return Object.entries(inner.shape).flatMap(([name, part]) => leaves(part as z.ZodType, [...path, name]));
  }
  const complaint = (value: unknown) => schema.safeParse(value).error?.issues[0]?.message ?? null;
  return [{ key: path.join('.'), path, schema, description: schema.description ?? '', complaint }];
}

/** A configuration as the schema outputs it. */
export type ParsedConfig = z.output<typeof configSchema>;

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
}

/** The values that a setting accepts, if there are few: choices, `true` and `false`, `null`; none for all others. */
export function valuesOf(key: string): readonly string[] {
  const setting = settings().find((one) => one.key === key);
  return setting ? wordsOf(z.toJSONSchema(setting.schema, { io: 'input' }) as JsonSchema) : [];
}

function wordsOf({ type, enum: choices = [], anyOf = [] }: JsonSchema): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  if (type === 'null') return ['null'];
  return [...choices.map(String), ...anyOf.flatMap(wordsOf)];
}
