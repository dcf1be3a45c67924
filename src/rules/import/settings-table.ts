import { AGENT_PROGRAMS } from '../../contracts/index.ts';

/** A setting of another loop and its counterpart here. */
export interface MigratedSetting {
  /** Files that may contain it. */
  readonly in: string;
  /** Its name there; parts of a nested name are joined with dots. */
  readonly from: string;
  /** Our setting; null when there is none. */
  readonly to: string | null;
  /** How the value changes; absent when nothing is taken over. */
  readonly convert?: Conversion;
  /** What differs, or what to use instead. */
  readonly note: string;
}

const SHELL = 'config.sh, .ralphrc';
const RC = '.ralphrc';
const CONFIG_SH = 'config.sh';
const TUI = '.ralph-tui/config.toml';
const ORCHESTRATOR = 'ralph.yml';
const CHIEF = '.chief/config.yaml';

const OWN_PLACE = 'found in the spec folder; `--ralph-dir`, `PLAN_PATH` and `PROGRESS_PATH` name other places';
const FRESH = 'every iteration starts with an empty context';
const SANDBOX = 'isolation is detected automatically: `ralph sandbox`, `--sandbox`';
const OWN_LOG = 'each run keeps its own log: `ralph log`';
const ONE_COMMIT = 'the loop commits each iteration and rolls back what fails; `--dry-run` writes nothing';
const OWN_CHECK = 'run by the loop itself after each iteration';

/** All known settings of other loops. `ralph import FOLDER` and the migration page use this table. */
export const MIGRATED_SETTINGS: readonly MigratedSetting[] = table([
  [SHELL, 'MAX_ITERATIONS', '0 (no limit) is not imported', 'maxIterations', 'count'],
  [SHELL, 'MAX_ALLOWED_ITERATIONS', 'the same', 'maxAllowedIterations', 'count'],
  [RC, 'MAX_CALLS_PER_HOUR', 'over all runs of the workspace', 'calls', 'count'],
  [RC, 'MAX_TOKENS_PER_HOUR', '`maxTokens` limits a run, `maxCost` its cost'],
  [RC, 'CLAUDE_TIMEOUT_MINUTES', 'of one agent process', 'timeout', 'minutes'],
  [RC, 'CODEX_TIMEOUT_MINUTES', 'of one agent process', 'timeout', 'minutes'],
  [SHELL, 'TIMEOUT_AGENT', 'of one agent process', 'timeout', 'seconds'],
  [SHELL, 'ITER_TIMEOUT_SECS', 'of one agent process', 'timeout', 'seconds'],
  [RC, 'CB_NO_PROGRESS_THRESHOLD', 'the same', 'circuit.noProgress', 'count'],
  [RC, 'CB_SAME_ERROR_THRESHOLD', 'the same', 'circuit.sameError', 'count'],
  [RC, 'CB_OUTPUT_DECLINE_THRESHOLD', 'percent', 'circuit.outputDecline', 'count'],
  [RC, 'CB_COOLDOWN_MINUTES', '0 is not imported', 'circuit.cooldown', 'minutes'],
  [RC, 'CB_PERMISSION_DENIAL_THRESHOLD', 'the breaker counts iterations without progress, for any reason'],
  [RC, 'CB_AUTO_RESET', '`ralph run --reset-circuit`, whenever you want it'],
  [SHELL, 'MAX_ATTEMPTS_PER_STORY', 'then it is blocked', 'storyMaxAttempts', 'count'],
  [SHELL, 'SKIP_REVIEW', 'the same', 'skipReview', 'flag'],
  [SHELL, 'REVIEW_CAP', 'the same', 'reviewCap', 'count'],
  [SHELL, 'CLAUDE_MODEL', 'the same', 'model', 'text'],
  [SHELL, 'MODEL', 'the same', 'model', 'text'],
  [SHELL, 'RALPH_MODEL', 'the same', 'model', 'text'],
  [CONFIG_SH, 'AGENT_CMD', 'the program decides which agent; ralph chooses its flags', 'agent', 'agent'],
  [SHELL, 'AGENT', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [SHELL, 'TOOL', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [RC, 'PLATFORM_DRIVER', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [CONFIG_SH, 'PRD_AGENT_CMD', '`ralph plan` uses the first agent'],
  [RC, 'CLAUDE_CODE_CMD', 'one program without arguments', 'agents.claude.command', 'program'],
  [RC, 'CLAUDE_PERMISSION_MODE', 'permissions are bypassed, unless `agents.claude.allowedTools` lists what may run'],
  [RC, 'ALLOWED_TOOLS', 'the guard judges each command; `agents.claude.allowedTools` allows only what it lists'],
  [RC, 'CLAUDE_OUTPUT_FORMAT', 'the loop always reads the stream of events'],
  [RC, 'CLAUDE_AUTO_UPDATE', 'you update the agent yourself; `ralph doctor` shows its version'],
  [RC, 'CLAUDE_MIN_VERSION', '`ralph doctor` names the version of the agent'],
  [RC, 'SESSION_CONTINUITY', FRESH],
  [RC, 'SESSION_EXPIRY_HOURS', FRESH],
  [RC, 'RALPH_VERBOSE', '`ralph run --verbose`'],
  [RC, 'TASK_SOURCES', '`ralph import` takes files, folders and issues'],
  [RC, 'GITHUB_TASK_LABEL', '`ralph import gh:#LABEL`'],
  [RC, 'BEADS_FILTER', 'export the tasks to JSON, then `ralph import FILE`'],
  [RC, 'PROJECT_NAME', '`project` in tasks.json'],
  [RC, 'PROJECT_TYPE', '`ralph init` finds the checks of the project'],
  [RC, 'SANDBOX_PROVIDER', SANDBOX],
  [RC, 'SANDBOX_DOCKER_IMAGE', SANDBOX],
  [RC, 'SANDBOX_DOCKER_MEMORY', '`isolation.memory`'],
  [RC, 'SANDBOX_DOCKER_CPUS', 'of one sandbox', 'isolation.cpus', 'number'],
  [
    RC,
    'SANDBOX_DOCKER_NETWORK',
    'agents reach what `isolation.allowHosts` names, their own service and the registries: `ralph sandbox`',
  ],
  [RC, 'ENABLE_NOTIFICATIONS', '`notify.desktop`; `ralph notify test` tries it'],
  [RC, 'ENABLE_BACKUP', 'every iteration has a checkpoint, without a branch or a commit'],
  [RC, 'RALPH_SHELL_INIT_FILE', 'set variables before `ralph run`; `env.pass` names those that agents get'],
  [RC, 'PROMPT_FILE', '`prompt.md` in the spec folder'],
  [RC, 'FIX_PLAN_FILE', '`PLAN_PATH` names a plan elsewhere'],
  [RC, 'AGENT_FILE', 'its text is added to the patterns of the progress log'],
  [SHELL, 'TEST_CMD', OWN_CHECK, 'verifyCommands', 'command'],
  [SHELL, 'TYPECHECK_CMD', OWN_CHECK, 'verifyCommands', 'command'],
  [SHELL, 'LINT_CMD', OWN_CHECK, 'verifyCommands', 'command'],
  [SHELL, 'BUILD_CMD', OWN_CHECK, 'verifyCommands', 'command'],
  [CONFIG_SH, 'PRD_PATH', OWN_PLACE],
  [CONFIG_SH, 'PROGRESS_PATH', OWN_PLACE],
  [CONFIG_SH, 'PROMPT_BUILD', '`prompt.md` in the spec folder'],
  [CONFIG_SH, 'GUARDRAILS_PATH', 'its text is added to the patterns of the progress log'],
  [CONFIG_SH, 'AGENTS_PATH', 'agents read AGENTS.md by themselves'],
  [CONFIG_SH, 'ERRORS_LOG_PATH', OWN_LOG],
  [CONFIG_SH, 'ACTIVITY_LOG_PATH', OWN_LOG],
  [CONFIG_SH, 'ACTIVITY_CMD', OWN_LOG],
  [CONFIG_SH, 'RUNS_DIR', OWN_LOG],
  [CONFIG_SH, 'TMP_DIR', 'the state is in `.ralph/`'],
  [CONFIG_SH, 'NO_COMMIT', ONE_COMMIT],
  [CONFIG_SH, 'STALE_SECONDS', 'the next run recovers from a crash by itself'],

  [TUI, 'maxIterations', '0 (no limit) is not imported', 'maxIterations', 'count'],
  [TUI, 'agent', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [TUI, 'defaultAgent', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [TUI, 'model', 'the same', 'model', 'text'],
  [TUI, 'agentOptions.model', 'the same', 'model', 'text'],
  [TUI, 'agentOptions.timeout', 'of one agent process', 'timeout', 'milliseconds'],
  [TUI, 'errorHandling.retryDelayMs', 'it doubles each time', 'transient.delay', 'milliseconds'],
  [TUI, 'errorHandling.maxRetries', 'of an iteration that a network error ended', 'transient.retries', 'number'],
  [TUI, 'errorHandling.strategy', 'a story that fails too often is blocked, and the others continue'],
  [TUI, 'fallbackAgents', '`agent` takes a list with fallbacks in order'],
  [TUI, 'rateLimitHandling.enabled', '`onUsageLimit`'],
  [TUI, 'iterationDelay', '`calls` limits how many agents start in an hour'],
  [TUI, 'autoCommit', ONE_COMMIT],
  [TUI, 'outputDir', OWN_LOG],
  [TUI, 'prompt_template', '`prompt.md` in the spec folder'],
  [TUI, 'tracker', '`ralph import` takes files, folders and issues'],
  [TUI, 'notifications.enabled', '`notify`; `ralph notify test` tries it'],
  [TUI, 'parallel.enabled', 'one story at a time'],
  [TUI, 'subagentTracingDetail', '`ralph log` and the monitor show subagents'],

  [ORCHESTRATOR, 'cli.backend', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [ORCHESTRATOR, 'cli.command', 'the prompt comes on standard input', 'command.run', 'text'],
  [ORCHESTRATOR, 'event_loop.max_iterations', 'the same', 'maxIterations', 'count'],
  [ORCHESTRATOR, 'event_loop.max_runtime_seconds', 'of a run, waiting included', 'maxDuration', 'seconds'],
  [ORCHESTRATOR, 'event_loop.idle_timeout_secs', 'of one agent process', 'idleTimeout', 'seconds'],
  [ORCHESTRATOR, 'event_loop.max_cost_usd', 'of a run', 'maxCost', 'number'],
  [ORCHESTRATOR, 'event_loop.max_consecutive_failures', 'the same', 'circuit.noProgress', 'count'],
  [ORCHESTRATOR, 'event_loop.completion_promise', 'written between <promise> and </promise>', 'promise', 'text'],
  [ORCHESTRATOR, 'event_loop.checkpoint_interval', 'every iteration has a checkpoint'],
  [ORCHESTRATOR, 'event_loop.prompt_file', '`prompt.md` in the spec folder'],
  [ORCHESTRATOR, 'core.scratchpad', 'the progress log'],
  [ORCHESTRATOR, 'core.specs_dir', '`prd.md` in the spec folder names other documents'],
  [ORCHESTRATOR, 'core.guardrails', '`Constraints` in prd.md, or `prompt.md`'],
  [ORCHESTRATOR, 'hats', 'three modes: implement, review, review-fix; `models` chooses a model for each'],

  [CHIEF, 'agent.provider', 'for agents that ralph does not know: `command.run`', 'agent', 'agent'],
  [CHIEF, 'worktree.setup', 'the same', 'checks.setup', 'commands'],
  [CHIEF, 'onComplete.push', '`ralph stream merge --pr`, by a person'],
  [CHIEF, 'onComplete.createPR', '`ralph stream merge --pr`, by a person'],
]);

/** A row: the file, the name there, what differs; then, if it is taken over, our setting and how the value changes. */
type Row = readonly [file: string, from: string, note: string, to?: string, convert?: Conversion];

function table(rows: readonly Row[]): readonly MigratedSetting[] {
  return rows.map(([file, from, note, to, convert]) =>
    to === undefined || convert === undefined
      ? { in: file, from, note, to: null }
      : { in: file, from, note, to, convert },
  );
}

/** How a value of another loop becomes one of ralph's. */
type Conversion =
  | 'text'
  | 'number'
  | 'count'
  | 'flag'
  | 'milliseconds'
  | 'seconds'
  | 'minutes'
  | 'agent'
  | 'program'
  | 'command'
  | 'commands';

/** Names of programs in other loops, and the agent each stands for. */
const AGENTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(AGENT_PROGRAMS).flatMap(([name, program]) => [name, program].map((it) => [it, name])),
  ),
  'claude-code': 'claude',
  'gemini-cli': 'gemini',
  'factory-droid': 'droid',
  'qwen-code': 'qwen',
};

const CONVERSIONS: Readonly<Record<Conversion, (value: unknown) => unknown>> = {
  text: (value) => words(value),
  number: (value) => atLeast(value, 0),
  count: (value) => wholeNumber(value),
  flag: (value) => flagOf(value),
  milliseconds: (value) => lasting(value, 'ms'),
  seconds: (value) => lasting(value, 's'),
  minutes: (value) => lasting(value, 'm'),
  agent: (value) => AGENTS[programName(value)] ?? null,
  program: (value) => (/^[\w./-]+$/.test(words(value) ?? '') ? words(value) : null),
  command: (value) => (words(value) === null ? null : [words(value)]),
  commands: (value) => commandList(value),
};

/** The value for our setting, or null when it is not valid there (a limit of 0, an unknown agent). */
export function convertSetting(conversion: Conversion, value: unknown): unknown {
  return CONVERSIONS[conversion](value);
}

function words(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

function atLeast(value: unknown, least: number): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= least ? number : null;
}

function wholeNumber(value: unknown): number | null {
  const number = atLeast(value, 1);
  return number !== null && Number.isSafeInteger(number) ? number : null;
}

function flagOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const word = String(value).trim().toLowerCase();
  if (['true', '1', 'yes', 'on'].includes(word)) return true;
  return ['false', '0', 'no', 'off'].includes(word) ? false : null;
}

/** A number and its unit; text that already has a unit keeps it. */
function lasting(value: unknown, unit: 'ms' | 's' | 'm'): string | null {
  if (typeof value === 'string' && /^\d+(ms|s|m|h)$/.test(value.trim())) return value.trim();
  const number = wholeNumber(value);
  return number === null ? null : `${number}${unit}`;
}

/** `/usr/bin/codex exec --yolo -` → `codex`. */
function programName(value: unknown): string {
  const first = (words(value) ?? '').split(/\s+/)[0] ?? '';
  return (first.split('/').at(-1) ?? '').toLowerCase();
}

function commandList(value: unknown): readonly string[] | null {
  const list = Array.isArray(value) ? value : [value];
  const commands = list.map(words);
  return commands.length > 0 && commands.every((command) => command !== null) ? commands : null;
}
