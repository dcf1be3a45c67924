import * as z from 'zod/mini';
import { EVENT_TYPES } from './events.ts';
import {
  choice,
  count,
  duration,
  flag,
  GROUP,
  group,
  HOOK_SETTINGS,
  HOSTS,
  listOf,
  maybe,
  money,
  range,
  setting,
  size,
  text,
  texts,
  timeLimit,
  unset,
  written,
} from './settings.ts';
import type { Frozen } from './shape.ts';

/*
 * One schema for the configuration file, the environment, the flags and the published JSON Schema. Durations and sizes
 * are written with units here; in `Config` they are milliseconds and bytes, where their names say so.
 */

const AGENTS = 'must be the name of an agent or a list of names';
const agents = z
  .pipe(
    z.union([text, z.array(text, AGENTS).check(z.minLength(1, AGENTS))], AGENTS),
    z.transform((value: string | string[]) =>
      typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value,
    ),
  )
  .check(z.refine((names) => names.every((name) => name !== ''), 'must not hold an empty name'));

const standInModel = () =>
  unset(text, 'Model while this agent stands in for the first of the list; null leaves it to the agent.');
const started = (name: string) => setting(text, name, 'Program to start.');

/** The settings that every other agent program shares. */
const program = (name: string) =>
  group(`The agent \`${name}\`.`, {
    command: started(name),
    args: setting(texts, [], "Arguments added to the loop's own."),
    model: standInModel(),
  });

const eventType = z.enum(EVENT_TYPES as string[], `must be a type of event: ${EVENT_TYPES.join(', ')}`);
const NOTIFIED = ['run-end', 'wait', 'circuit', 'budget', 'question'];

const webhook = z.strictObject(
  {
    url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
    /** The environment variable that holds the signing secret; null sends unsigned. */
    secretEnv: z._default(z.nullable(text), null),
    events: z._default(
      z
        .array(eventType, 'must be a list of types of events')
        .check(z.minLength(1, 'must name a type of event; without the setting it gets those a person needs')),
      NOTIFIED,
    ),
  },
  GROUP,
);

const notifyWhen = (what: string) =>
  setting(
    choice('never', 'end', 'attention'),
    'never',
    `${what}: at the end of a run, or also when it waits for a person.`,
  );

/** Every setting, in the order in which people see them. */
export const SETTINGS = {
  $schema: maybe(z.string(), 'Where editors find the JSON Schema of this file.'),
  agent: written(agents, 'claude', 'The coding agent, or a list with fallbacks in order.'),
  model: unset(text, "Model for every mode; null leaves it to the agent's own setting."),
  models: group('Models by what is to be done; they win over `model`.', {
    implement: maybe(text, 'Model for implement iterations.'),
    review: maybe(text, 'Model for reviews.'),
    'review-fix': maybe(text, 'Model for addressing review feedback.'),
    byEstimate: setting(
      z.record(z.string(), text),
      {},
      'Models by the `estimate` of a story, e.g. {"S": "haiku", "L": "opus"}.',
    ),
    escalate: setting(texts, [], 'Models for the second attempt at a story, the third …; the last one stays.'),
  }),
  maxIterations: setting(count(1), 15, 'Iterations of one run at most.'),
  maxAllowedIterations: setting(count(1), 100, 'Cap of `maxIterations`, against typing errors that cost money.'),
  skipReview: setting(flag, false, 'A story is done after implement with green checks, without a review.'),
  reviewCap: setting(count(1), 5, 'Reviews of one story before `onReviewCap` decides.'),
  onReviewCap: setting(
    choice('approve', 'block'),
    'approve',
    'What happens when a review at the cap still finds issues.',
  ),
  timeout: written(timeLimit, '60m', 'Longest life of one agent process.'),
  idleTimeout: written(timeLimit, '15m', 'Longest silence of an agent process.'),
  storyMaxAttempts: setting(count(1), 3, 'Failed iterations of one story before it is blocked.'),
  calls: setting(count(1), 100, 'Agent processes per hour at most, over all runs of the workspace.'),
  maxCost: unset(money, 'US dollars that one run may cost.'),
  maxTokens: unset(count(1), 'Tokens of all kinds that one run may use.'),
  maxDuration: unset(timeLimit, 'How long one run may take, waiting included.'),
  storyMaxCost: unset(money, 'US dollars that one story may cost before it is blocked, over all runs.'),
  onUsageLimit: unset(
    choice('wait', 'fallback', 'stop'),
    "At a provider's usage limit: wait for its reset, go on with the next agent, or end with exit 5; null: fallback when several agents are named, else wait.",
  ),
  circuit: group('The circuit breaker.', {
    noProgress: setting(count(1), 3, 'Bad iterations in a row that open the breaker.'),
    sameError: setting(count(1), 5, 'Iterations with the same error, since the last good one, that open the breaker.'),
    outputDecline: setting(
      range(1, 100),
      70,
      "Percent by which a bad iteration's output falls below the mean, so that the breaker half-opens.",
    ),
    cooldown: unset(
      timeLimit,
      'Time after which an open breaker lets one iteration try; null: only a person closes it.',
    ),
  }),
  promise: setting(
    text,
    'COMPLETE',
    'What an agent writes between <promise> and </promise> to say that everything is done.',
  ),
  keepAwake: setting(flag, false, 'Keep the machine from going to sleep during a run.'),
  env: group('The environment of agents and checks.', {
    pass: setting(texts, [], 'Variables that agents and checks get beside the usual ones; `*` at the end: any ending.'),
  }),
  isolation: group('Where agents, checks and commit hooks run, and what they may reach there.', {
    backend: setting(
      choice('auto', 'sbx', 'container', 'bwrap', 'srt', 'none'),
      'auto',
      'What isolates agents, checks and commit hooks; auto takes the best that is proven to work here.',
    ),
    required: setting(flag, false, 'Refuse to start where it cannot be used, instead of going on with less.'),
    allowHosts: setting(
      z.array(text, HOSTS),
      [],
      "Hosts that may be reached beside the agent's own and the package registries.",
    ),
    registries: setting(flag, true, "Let the package registries of the project's files be reached."),
    localPorts: setting(
      z.array(range(1, 65_535)),
      [],
      "Ports of this machine's loopback that may be reached, e.g. that of a database.",
    ),
    read: setting(texts, [], 'More files and folders that may be read.'),
    write: setting(texts, [], 'More folders that may be written.'),
    memory: unset(size, "Memory of one sandbox; null: three quarters of the machine's."),
    processes: setting(count(16), 4096, 'Processes and threads of one sandbox.'),
    cpus: unset(
      z.number('must be a number of processors').check(z.positive('must be more than nothing')),
      'Processors of one sandbox; null: all.',
    ),
    container: group('The backend `container`.', {
      engine: unset(choice('podman', 'docker'), 'The engine; null: the first that works.'),
      image: unset(text, 'Image with git, node and the agent; null: the programs of this machine, read-only.'),
      args: setting(texts, [], "Arguments added to the engine's `run`."),
    }),
  }),
  rollback: setting(
    choice('iteration-end', 'immediate', 'never'),
    'iteration-end',
    'When rejected work is rolled back (it is always rescued first); immediate: as soon as a hook sees tests fail.',
  ),
  dirty: setting(
    choice('refuse', 'stash', 'keep'),
    'refuse',
    'What to do about uncommitted changes of tracked files at the start.',
  ),
  branch: setting(flag, true, "Work on the backlog's branch; false stays on the branch checked out."),
  verifyCommands: setting(texts, [], "Checks that the loop runs itself, beside the backlog's own `verifyCommands`."),
  requireGreen: setting(flag, false, 'Refuse to start while a check is red.'),
  checks: group('How checks are run.', {
    timeout: written(timeLimit, '10m', 'Longest run of one check.'),
    where: setting(
      choice('room', 'tree'),
      'room',
      "Where checks run: in the clean room, which agents cannot reach, or in the agent's work tree.",
    ),
    setup: unset(texts, 'Commands that install what the checks need; null: found by the lock files of the project.'),
    copy: setting(
      texts,
      [],
      'Ignored files and folders that the clean room and fresh work trees get, e.g. `.env.test`.',
    ),
    retries: setting(range(0, 5), 0, 'How often a red check is run again before it counts.'),
    parallel: setting(flag, false, 'Run several checks of a story at once.'),
  }),
  onTestTamper: setting(
    choice('flag', 'reject'),
    'flag',
    'Weakened tests and checks in a diff: shown to the reviewer, or the iteration is rejected.',
  ),
  proof: setting(
    choice('none', 'red-green'),
    'none',
    'What new and changed tests of a story must prove; red-green: that they fail without its code.',
  ),
  precious: group(
    'Ignored files that are saved with every checkpoint and put back: paths or names, `*` within a name.',
    {
      also: setting(texts, [], 'Files and folders that count although they are large or tools make them again.'),
      not: setting(texts, [], 'Files and folders that do not count.'),
    },
  ),
  worktree: group('Work trees that the loop makes.', {
    setup: setting(texts, [], 'Former name of `checks.setup`.'),
    copy: setting(texts, [], 'Former name of `checks.copy`.'),
  }),
  guard: HOOK_SETTINGS.guard,
  hooks: HOOK_SETTINGS.hooks,
  stop: group('When an agent may stop.', {
    uncommitted: setting(
      choice('auto', 'refuse', 'allow'),
      'auto',
      'Whether an agent of a run may stop with uncommitted work, which the loop commits then; auto: unless `commits` is `keep`.',
    ),
  }),
  context: HOOK_SETTINGS.context,
  transient: group('Errors that pass by themselves.', {
    retries: setting(range(0, 10), 3, 'Tries of the same iteration after an empty answer or a network error.'),
    delay: written(duration, '5s', 'Wait before the first of them; it doubles each time.'),
    maxWait: written(
      duration,
      '6h',
      'Longest wait, all together, for a provider that cannot be reached or does not say when its limit ends.',
    ),
  }),
  commits: setting(
    choice('squash', 'keep'),
    'squash',
    "One commit per iteration, or the agent's own commits kept on the branch.",
  ),
  commit: group('Commits the loop makes.', {
    sign: setting(flag, false, 'Sign the commits on this host.'),
    verify: setting(flag, true, "Run the repository's commit hooks on work."),
    templates: group('Subjects of commits by kind.', {
      implement: maybe(text, 'Subject of an accepted implementation.'),
      wip: maybe(text, 'Subject of an advance without a claim.'),
      'review-fix': maybe(text, 'Subject of addressed review feedback.'),
      review: maybe(text, 'Subject of a review.'),
      bookkeeping: maybe(text, "Subject of a commit of the loop's own files."),
    }),
  }),
  progress: group('The progress log.', {
    keep: setting(count(0), 20, 'Entries kept in full; older ones shrink to one line.'),
  }),
  scripted: group('The agent `scripted`.', {
    scenario: unset(text, 'Scenario file that the agent `scripted` plays.'),
  }),
  claude: group('The agent `claude`.', {
    command: started('claude'),
    permissionMode: unset(choice('bypassPermissions', 'acceptEdits'), 'Permission mode; null is bypassPermissions.'),
    allowedTools: setting(texts, [], 'Tools allowed without asking under `acceptEdits`.'),
    maxRetries: setting(count(0), 4, "The client's own retries of a failed request."),
    model: standInModel(),
    bashSandbox: setting(
      flag,
      false,
      "The client's own sandbox around its shell, in its strict form, where nothing else isolates.",
    ),
  }),
  codex: program('codex'),
  opencode: program('opencode'),
  gemini: program('gemini'),
  copilot: program('copilot'),
  droid: program('droid'),
  command: group('The agent `command`: any program.', {
    run: unset(
      text,
      'Shell command of the agent `command`; it reads the prompt from standard input, or from the file $RALPH_PROMPT_FILE.',
    ),
    model: standInModel(),
  }),
  runs: group('Old runs.', { keep: setting(count(1), 50, 'Runs whose events and logs are kept.') }),
  notify: group('Notifications about runs.', {
    webhooks: setting(
      listOf(webhook, 'url'),
      [],
      'Addresses that get events as CloudEvents: a URL, or {"url", "secretEnv": variable with the signing secret, "events": types}.',
    ),
    desktop: notifyWhen('Desktop notification'),
    bell: notifyWhen("The terminal's bell"),
  }),
  dashboard: group('The web dashboard.', {
    port: setting(range(0, 65_535), 4747, 'Port of the dashboard; 0 takes any free one.'),
  }),
  plugins: HOOK_SETTINGS.plugins,
};

export const configSchema = z
  .strictObject(SETTINGS)
  .register(z.globalRegistry, { description: 'Configuration of ralph.' });

/** A configuration as the schema outputs it. */
type Parsed = z.output<typeof configSchema>;

/** The effective configuration, with defaults applied. */
export type Config = Frozen<ReturnType<typeof toConfig>>;
export type CircuitSettings = Config['circuit'];
export type IsolationSettings = Config['isolation'];
export type NotifySettings = Config['notify'];
export type NotifyWhen = NotifySettings['bell'];
export type WebhookSetting = NotifySettings['webhooks'][number];
export type PluginSetting = Config['plugins'][number];
/** Kinds of commit message the loop writes; each has a template. */
export type CommitKind = keyof Config['commit']['templates'];

/** The source of a value, for `ralph config`. */
export type ConfigSource = 'default' | 'file' | 'env' | 'flag';

/** In `Config`, names of durations and sizes carry their unit, and former names are gone. */
export function toConfig({ $schema: _, timeout, idleTimeout, maxDuration, worktree, ...parsed }: Parsed) {
  const { timeout: checkTimeout, setup, copy, ...checks } = parsed.checks;
  const { delay, maxWait, ...transient } = parsed.transient;
  const { cooldown, ...circuit } = parsed.circuit;
  const { memory, ...isolation } = parsed.isolation;
  return {
    ...parsed,
    timeoutMs: timeout,
    idleTimeoutMs: idleTimeout,
    maxDurationMs: maxDuration,
    checks: {
      ...checks,
      timeoutMs: checkTimeout,
      setup: setup ?? (worktree.setup.length > 0 ? worktree.setup : null),
      copy: [...new Set([...copy, ...worktree.copy])],
    },
    circuit: { ...circuit, cooldownMs: cooldown },
    isolation: { ...isolation, memoryBytes: memory },
    transient: { ...transient, delayMs: delay, maxWaitMs: maxWait },
  };
}
