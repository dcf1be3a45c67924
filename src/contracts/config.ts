import * as z from 'zod/mini';
import { AGENT_PROGRAMS } from './agent-programs.ts';
import { EVENT_TYPES } from './event-shape.ts';
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

const COMMIT_KINDS = ['implement', 'wip', 'review-fix', 'review', 'bookkeeping'] as const;
const PROGRAM = 'must be a program, or a list of a program and its arguments';
const SERVERS = 'must be a list of names of MCP servers, e.g. ["playwright"]';
const VARIABLES = 'must be a group of variables: {"NAME": "value"}';

/** The settings that every agent program has. */
const program = (name: keyof typeof AGENT_PROGRAMS) => ({
  command: setting(
    z.union([text, texts.check(z.minLength(1, PROGRAM))], PROGRAM),
    AGENT_PROGRAMS[name],
    'Program of this agent, or a list of the program and arguments to start it with.',
  ),
  args: setting(texts, [], 'Additional arguments for this agent.'),
  model: unset(text, 'Model of this agent as a fallback, or if neither `model` nor `models` names one.'),
  env: setting(
    z.record(z.string().check(z.regex(/^[A-Za-z_]\w*$/)), z.string('must be a string'), VARIABLES),
    {},
    'Additional variables for this agent only, e.g. {"NAME": "value"}.',
  ),
});
/** For agents whose client has an option for it. */
const effort = unset(text, "Reasoning effort of this agent, as the client's own option takes it, e.g. high.");
/** For agents whose client can be told of servers without a file in the tree. `ralph` is the run's own. */
const mcp = setting(
  z.array(z.string().check(z.regex(/^(?!ralph$)[\w-]+$/, SERVERS)), SERVERS),
  [],
  'MCP servers for this agent, by name: those of `.mcp.json`, or of your own configuration of Claude Code.',
);

const eventType = z.enum(EVENT_TYPES as string[], `must be a type of event: ${EVENT_TYPES.join(', ')}`);
const NOTIFIED = ['run-end', 'wait', 'circuit', 'budget', 'question'];

/** Forms of the messages to a webhook: events as data, or messages for people in the form of a chat. */
const FORMATS = ['cloudevents', 'slack', 'discord', 'telegram', 'ntfy', 'teams'] as const;
const address = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });

const webhook = z
  .strictObject(
    {
      url: z._default(z.nullable(address), null),
      /** The environment variable that holds the address, where it is a secret as with most chats. */
      urlEnv: z._default(z.nullable(text), null),
      /** null: `notify.format`. */
      format: z._default(z.nullable(choice(...FORMATS)), null),
      /** The environment variable that holds the signing secret; null sends unsigned. */
      secretEnv: z._default(z.nullable(text), null),
      events: z._default(
        z
          .array(eventType, 'must be a list of types of events')
          .check(z.minLength(1, 'must name at least one type of event')),
        NOTIFIED,
      ),
    },
    GROUP,
  )
  .check(z.refine(({ url, urlEnv }) => (url === null) !== (urlEnv === null), 'must have either `url` or `urlEnv`'));

const notifyWhen = (what: string) =>
  setting(
    choice('never', 'end', 'attention'),
    'never',
    `${what}: at the end of a run (end), or also when it needs you (attention).`,
  );

/** Every setting, in the order in which people see them. */
export const SETTINGS = {
  $schema: maybe(z.string(), 'JSON Schema of this file, for editors.'),
  agent: written(agents, 'claude', 'The coding agent, or a list with fallbacks.'),
  model: unset(text, "Model; null uses the agent's own setting."),
  models: group('Models for particular work; they override `model`.', {
    implement: maybe(text, 'Model for implementing.'),
    review: maybe(text, 'Model for reviews.'),
    'review-fix': maybe(text, 'Model for addressing review feedback.'),
    byEstimate: setting(z.record(z.string(), text), {}, 'Models by story estimate, e.g. {"S": "haiku", "L": "opus"}.'),
    escalate: setting(texts, [], 'Models for the second attempt at a story, the third and so on.'),
  }),
  maxIterations: setting(count(1), 15, 'Maximum iterations per run.'),
  maxAllowedIterations: setting(count(1), 100, 'Upper limit for `maxIterations`, against costly typing errors.'),
  skipReview: setting(flag, false, 'A story is done once its checks pass, without a review.'),
  reviewCap: setting(count(1), 5, 'Maximum reviews per story; then `onReviewCap` decides.'),
  onReviewCap: setting(choice('approve', 'block'), 'approve', 'What to do when the last review still finds issues.'),
  review: group('Who reviews.', {
    agents: unset(agents, 'The agent that reviews, or a list with fallbacks; null: those of `agent`.'),
    panel: setting(range(1, 5), 1, 'Reviews by different agents that must all approve.'),
  }),
  gate: setting(
    choice('none', 'story'),
    'none',
    'What an approved story still waits for; story: your approval, before it counts as done.',
  ),
  gateTimeout: written(
    timeLimit,
    '12h',
    'How long a run with nothing else to do waits for approvals of stories; then it ends, and they stay open.',
  ),
  timeout: written(timeLimit, '60m', 'Maximum time for one iteration of the agent.'),
  idleTimeout: written(timeLimit, '15m', 'Stop an agent that prints nothing for this long.'),
  storyMaxAttempts: setting(count(1), 3, 'Failed attempts before a story is blocked.'),
  calls: setting(count(1), 100, 'Maximum agent processes per hour, over all runs in this project.'),
  maxCost: unset(money, 'Maximum cost of a run in US dollars.'),
  maxTokens: unset(count(1), 'Maximum tokens of a run.'),
  maxDuration: unset(timeLimit, 'Maximum length of a run, waits included.'),
  storyMaxCost: unset(money, 'Maximum cost of a story in US dollars, over all runs; then it is blocked.'),
  onUsageLimit: unset(
    choice('wait', 'fallback', 'stop'),
    "At the provider's usage limit: wait for the reset, use the next agent, or stop with exit 5; null: fallback if there are several agents, else wait.",
  ),
  circuit: group('The circuit breaker.', {
    noProgress: setting(count(1), 3, 'Iterations without progress in a row that open the breaker.'),
    sameError: setting(count(1), 5, 'Iterations with the same error that open the breaker.'),
    outputDecline: setting(
      range(1, 100),
      70,
      'Drop of output below the mean, in percent, that half-opens the breaker.',
    ),
    cooldown: unset(timeLimit, 'Time after which an open breaker allows one iteration; null: never.'),
  }),
  promise: setting(
    text,
    'COMPLETE',
    'Text between <promise> and </promise> by which the agent says that everything is done.',
  ),
  keepAwake: setting(flag, false, 'Keep the machine awake during a run.'),
  env: group('The environment of agents and checks.', {
    pass: setting(texts, [], 'Additional variables for agents and checks; a `*` at the end matches any ending.'),
  }),
  isolation: group('Isolation of agents, checks and commit hooks.', {
    backend: setting(
      choice('auto', 'sbx', 'container', 'bwrap', 'srt', 'none'),
      'auto',
      'Isolation of agents, checks and commit hooks; auto: the best one that works here.',
    ),
    required: setting(flag, false, 'Refuse to start if this isolation is unavailable.'),
    allowHosts: setting(z.array(text, HOSTS), [], 'Additional hosts that may be reached, e.g. ["api.example.com"].'),
    registries: setting(flag, true, "Allow the package registries that the project's files name."),
    localPorts: setting(z.array(range(1, 65_535)), [], 'Local ports that may be reached, e.g. the port of a database.'),
    read: setting(texts, [], 'Additional files and folders that may be read.'),
    write: setting(texts, [], 'Additional folders that may be written.'),
    memory: unset(size, "Memory of a sandbox, e.g. 4g; null: three quarters of the machine's."),
    cpus: unset(
      z.number('must be a number of processors').check(z.positive('must be greater than 0')),
      'Processors of a sandbox; null: all.',
    ),
    container: group('The backend `container`.', {
      engine: unset(choice('podman', 'docker'), 'Container engine; null: the first that works.'),
      image: unset(text, 'Image with git, node and the agent; null: use the programs of this machine, read-only.'),
    }),
  }),
  rollback: setting(
    choice('iteration-end', 'immediate', 'never'),
    'iteration-end',
    'When rejected work is rolled back, after saving it as a rescue; immediate: as soon as tests fail.',
  ),
  dirty: setting(choice('refuse', 'stash', 'keep'), 'refuse', 'What to do about uncommitted changes at the start.'),
  branch: setting(flag, true, "Work on the backlog's branch; false: on the current branch."),
  verifyCommands: setting(texts, [], 'Commands that check the work, in addition to those of the backlog.'),
  requireGreen: setting(flag, false, 'Refuse to start while a check fails.'),
  checks: group('How checks run.', {
    timeout: written(timeLimit, '10m', 'Maximum time for one check.'),
    where: setting(
      choice('room', 'tree'),
      'room',
      "Where checks run: room (a clean checkout that agents cannot reach) or tree (the agent's work tree).",
    ),
    setup: unset(texts, 'Commands that install what the checks need; null: found from lock files.'),
    copy: setting(texts, [], 'Ignored files to copy to the clean checkout and to worktrees, e.g. `.env.test`.'),
    retries: setting(range(0, 5), 0, 'How often to repeat a failing check before it counts.'),
    parallel: setting(flag, false, 'Run the checks of a story at the same time.'),
  }),
  onTestTamper: setting(
    choice('flag', 'reject'),
    'flag',
    'Weakened tests in a diff: flag shows them to the reviewer, reject rejects the iteration.',
  ),
  proof: setting(
    choice('none', 'red-green'),
    'none',
    'Proof required of new and changed tests; red-green: they must fail without the code of the story.',
  ),
  precious: setting(
    texts,
    [],
    'Ignored files and folders to save with every checkpoint and restore; with a leading `!`, not to save.',
  ),
  worktree: group('Worktrees created by ralph.', {
    setup: setting(texts, [], 'Former name of `checks.setup`.'),
    copy: setting(texts, [], 'Former name of `checks.copy`.'),
  }),
  guard: HOOK_SETTINGS.guard,
  hooks: HOOK_SETTINGS.hooks,
  stop: group('When an agent of a run may stop.', {
    uncommitted: setting(
      choice('auto', 'refuse', 'allow'),
      'auto',
      'Whether an agent may stop with uncommitted changes, which ralph then commits; auto: unless `commits` is keep.',
    ),
  }),
  context: HOOK_SETTINGS.context,
  transient: group('Network errors and empty answers.', {
    retries: setting(range(0, 10), 3, 'How often to retry an iteration after a network error or an empty answer.'),
    delay: written(duration, '5s', 'Wait before the first retry; doubles each time.'),
    maxWait: written(
      duration,
      '6h',
      'Maximum total wait for a provider that is unreachable or does not say when its limit resets.',
    ),
  }),
  commits: setting(
    choice('squash', 'keep'),
    'squash',
    "One commit per iteration (squash), or the agent's own commits (keep).",
  ),
  commit: group('Commits made by ralph.', {
    sign: setting(flag, false, 'Sign commits.'),
    verify: setting(flag, true, "Run the repository's commit hooks."),
    templates: setting(
      z.partialRecord(z.enum(COMMIT_KINDS, `must be a group with any of ${COMMIT_KINDS.join(', ')}`), text),
      {},
      'Commit subjects by kind (implement, wip, review-fix, review, bookkeeping), e.g. {"wip": "wip: {title}"}.',
    ),
  }),
  progress: group('The progress log.', {
    keep: setting(
      count(0),
      20,
      'Entries to keep in full; older ones are cut to one line, of which the newest 200 stay.',
    ),
  }),
  scripted: group('The agent `scripted`.', {
    scenario: unset(text, 'Scenario for the agent `scripted`.'),
  }),
  agents: group('Settings of agents, by name.', {
    claude: group('The agent `claude`.', {
      ...program('claude'),
      effort,
      mcp,
      skills: setting(flag, false, "The project's skills and sub-agents: `.claude/skills` and `.claude/agents`."),
      allowedTools: unset(
        texts,
        'Tools that may run without asking, e.g. ["Bash(npm test:*)"]; null: all, with permissions bypassed.',
      ),
      bashSandbox: setting(flag, false, "Without isolation: run shell commands in Claude Code's own sandbox."),
    }),
    codex: group('The agent `codex`.', { ...program('codex'), effort, mcp }),
    opencode: group('The agent `opencode`.', { ...program('opencode'), effort, mcp }),
    gemini: group('The agent `gemini`.', program('gemini')),
    copilot: group('The agent `copilot`.', { ...program('copilot'), effort, mcp }),
    droid: group('The agent `droid`.', { ...program('droid'), effort }),
    cursor: group('The agent `cursor`.', program('cursor')),
    amp: group('The agent `amp`.', program('amp')),
    qwen: group('The agent `qwen`.', program('qwen')),
    kimi: group('The agent `kimi`.', { ...program('kimi'), effort }),
    kiro: group('The agent `kiro`.', program('kiro')),
  }),
  command: group('The agent `command`: any program.', {
    run: unset(text, 'Shell command to use as the agent; reads the prompt from standard input or $RALPH_PROMPT_FILE.'),
  }),
  runs: group('Old runs.', { keep: setting(count(1), 50, 'Number of runs to keep.') }),
  notify: group('Notifications.', {
    webhooks: setting(
      listOf(webhook, 'url'),
      [],
      'URLs that receive events, or {"url" or "urlEnv": variable with the URL, "format", "secretEnv": variable with the signing secret, "events": types}.',
    ),
    format: setting(choice(...FORMATS), 'cloudevents', 'Format of messages to webhooks that name none.'),
    link: unset(address, 'Address of the dashboard as you reach it, for links in messages; without its token.'),
    desktop: notifyWhen('Desktop notification'),
    bell: notifyWhen('Terminal bell'),
  }),
  issues: group('GitHub issues that stories were imported from.', {
    comment: setting(
      flag,
      false,
      "Comment on a story's issue when an agent blocks it or asks a question, with your login of gh.",
    ),
  }),
  dashboard: group('The web dashboard.', {
    port: setting(range(0, 65_535), 4747, 'Port of the dashboard; 0: any free port.'),
  }),
  plugins: HOOK_SETTINGS.plugins,
};

export const configSchema = z
  .strictObject(SETTINGS)
  .register(z.globalRegistry, { description: 'Configuration of ralph.' });

type Parsed = z.output<typeof configSchema>;

/** The effective configuration, with defaults applied. */
export type Config = Frozen<ReturnType<typeof toConfig>>;
export type CircuitSettings = Config['circuit'];
export type IsolationSettings = Config['isolation'];
export type NotifySettings = Config['notify'];
export type NotifyWhen = NotifySettings['bell'];
export type WebhookFormat = NotifySettings['format'];
export type PluginSetting = Config['plugins'][number];
/** Kinds of commit message the loop writes; each has a template. */
export type CommitKind = (typeof COMMIT_KINDS)[number];

/** The source of a value, for `ralph config`. */
export type ConfigSource = 'default' | 'file' | 'env' | 'flag';

/** In `Config`, names of durations and sizes carry their unit, and former names are gone. */
export function toConfig({ $schema: _, gateTimeout, timeout, idleTimeout, maxDuration, worktree, ...parsed }: Parsed) {
  const { timeout: checkTimeout, setup, copy, ...checks } = parsed.checks;
  const { delay, maxWait, ...transient } = parsed.transient;
  const { cooldown, ...circuit } = parsed.circuit;
  const { memory, ...isolation } = parsed.isolation;
  return {
    ...parsed,
    gateTimeoutMs: gateTimeout,
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
