import type { Conversion } from './convert-setting.ts';

/** A setting of another loop, and where its meaning went. */
export interface MigratedSetting {
  /** Files that have it. */
  readonly in: string;
  /** Its name there; parts of a nested one are joined with dots. */
  readonly from: string;
  /** Setting of ours; null when there is none. */
  readonly to: string | null;
  /** How the value changes; absent where nothing is taken over. */
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
const SANDBOX = 'isolation is found by itself: `ralph sandbox`, `--sandbox`';
const OWN_LOG = 'each run keeps its own log: `ralph log`';
const ONE_COMMIT = 'the loop commits each iteration and rolls back what fails; `--dry-run` writes nothing';
const OWN_CHECK = 'run by the loop itself after each iteration';

/** Everything that is known of the settings of other loops. `ralph import FOLDER` and the migration page go by it. */
export const MIGRATED_SETTINGS: readonly MigratedSetting[] = [
  { in: SHELL, from: 'MAX_ITERATIONS', to: 'maxIterations', convert: 'count', note: '0 (no limit) is not taken over' },
  { in: SHELL, from: 'MAX_ALLOWED_ITERATIONS', to: 'maxAllowedIterations', convert: 'count', note: 'the same' },
  { in: RC, from: 'MAX_CALLS_PER_HOUR', to: 'calls', convert: 'count', note: 'over all runs of the workspace' },
  { in: RC, from: 'MAX_TOKENS_PER_HOUR', to: null, note: '`maxTokens` limits a run, `maxCost` its price' },
  { in: RC, from: 'CLAUDE_TIMEOUT_MINUTES', to: 'timeout', convert: 'minutes', note: 'of one agent process' },
  { in: RC, from: 'CODEX_TIMEOUT_MINUTES', to: 'timeout', convert: 'minutes', note: 'of one agent process' },
  { in: SHELL, from: 'TIMEOUT_AGENT', to: 'timeout', convert: 'seconds', note: 'of one agent process' },
  { in: SHELL, from: 'ITER_TIMEOUT_SECS', to: 'timeout', convert: 'seconds', note: 'of one agent process' },
  { in: RC, from: 'CB_NO_PROGRESS_THRESHOLD', to: 'circuit.noProgress', convert: 'count', note: 'the same' },
  { in: RC, from: 'CB_SAME_ERROR_THRESHOLD', to: 'circuit.sameError', convert: 'count', note: 'the same' },
  { in: RC, from: 'CB_OUTPUT_DECLINE_THRESHOLD', to: 'circuit.outputDecline', convert: 'count', note: 'percent' },
  { in: RC, from: 'CB_COOLDOWN_MINUTES', to: 'circuit.cooldown', convert: 'minutes', note: '0 is not taken over' },
  {
    in: RC,
    from: 'CB_PERMISSION_DENIAL_THRESHOLD',
    to: null,
    note: 'the breaker counts iterations that get nowhere, whatever kept them from it',
  },
  { in: RC, from: 'CB_AUTO_RESET', to: null, note: '`ralph run --reset-circuit`, each time a person wants it' },
  { in: SHELL, from: 'MAX_ATTEMPTS_PER_STORY', to: 'storyMaxAttempts', convert: 'count', note: 'then it is blocked' },
  { in: SHELL, from: 'SKIP_REVIEW', to: 'skipReview', convert: 'flag', note: 'the same' },
  { in: SHELL, from: 'REVIEW_CAP', to: 'reviewCap', convert: 'count', note: 'the same' },
  { in: SHELL, from: 'CLAUDE_MODEL', to: 'model', convert: 'text', note: 'the same' },
  { in: SHELL, from: 'MODEL', to: 'model', convert: 'text', note: 'the same' },
  { in: SHELL, from: 'RALPH_MODEL', to: 'model', convert: 'text', note: 'the same' },
  {
    in: CONFIG_SH,
    from: 'AGENT_CMD',
    to: 'agent',
    convert: 'agent',
    note: 'its program decides which agent; its flags are ours',
  },
  { in: SHELL, from: 'AGENT', to: 'agent', convert: 'agent', note: 'agents that are not known: `command.run`' },
  { in: SHELL, from: 'TOOL', to: 'agent', convert: 'agent', note: 'agents that are not known: `command.run`' },
  { in: RC, from: 'PLATFORM_DRIVER', to: 'agent', convert: 'agent', note: 'agents that are not known: `command.run`' },
  { in: CONFIG_SH, from: 'PRD_AGENT_CMD', to: null, note: '`ralph plan` uses the first agent' },
  { in: RC, from: 'CLAUDE_CODE_CMD', to: 'claude.command', convert: 'program', note: 'one program without arguments' },
  {
    in: RC,
    from: 'CLAUDE_PERMISSION_MODE',
    to: 'claude.permissionMode',
    convert: 'permissions',
    note: 'two modes can run unattended',
  },
  {
    in: RC,
    from: 'ALLOWED_TOOLS',
    to: null,
    note: 'the guard judges each command; `claude.allowedTools` counts under `acceptEdits`',
  },
  { in: RC, from: 'CLAUDE_OUTPUT_FORMAT', to: null, note: 'the loop always reads the stream of events' },
  {
    in: RC,
    from: 'CLAUDE_AUTO_UPDATE',
    to: null,
    note: 'the agent is yours to update; `ralph doctor` names its version',
  },
  { in: RC, from: 'CLAUDE_MIN_VERSION', to: null, note: '`ralph doctor` names the version of the agent' },
  { in: RC, from: 'SESSION_CONTINUITY', to: null, note: FRESH },
  { in: RC, from: 'SESSION_EXPIRY_HOURS', to: null, note: FRESH },
  { in: RC, from: 'RALPH_VERBOSE', to: null, note: '`ralph run --verbose`' },
  { in: RC, from: 'TASK_SOURCES', to: null, note: '`ralph import` takes files, folders and issues' },
  { in: RC, from: 'GITHUB_TASK_LABEL', to: null, note: '`ralph import gh:#LABEL`' },
  { in: RC, from: 'BEADS_FILTER', to: null, note: 'export the tasks to JSON, then `ralph import FILE`' },
  { in: RC, from: 'PROJECT_NAME', to: null, note: '`project` in tasks.json' },
  { in: RC, from: 'PROJECT_TYPE', to: null, note: '`ralph init` finds the checks of the project' },
  { in: RC, from: 'SANDBOX_PROVIDER', to: null, note: SANDBOX },
  { in: RC, from: 'SANDBOX_DOCKER_IMAGE', to: null, note: SANDBOX },
  { in: RC, from: 'SANDBOX_DOCKER_MEMORY', to: null, note: '`isolation.memory`' },
  { in: RC, from: 'SANDBOX_DOCKER_CPUS', to: 'isolation.cpus', convert: 'number', note: 'of one sandbox' },
  {
    in: RC,
    from: 'SANDBOX_DOCKER_NETWORK',
    to: null,
    note: 'agents reach what `isolation.allowHosts` names, their own service and the registries: `ralph sandbox`',
  },
  { in: RC, from: 'ENABLE_NOTIFICATIONS', to: null, note: '`notify.desktop`; `ralph notify test` tries it' },
  { in: RC, from: 'ENABLE_BACKUP', to: null, note: 'every iteration has a checkpoint, without a branch or a commit' },
  {
    in: RC,
    from: 'RALPH_SHELL_INIT_FILE',
    to: null,
    note: 'set variables before `ralph run`; `env.pass` names those that agents get',
  },
  { in: RC, from: 'PROMPT_FILE', to: null, note: '`prompt.md` in the spec folder' },
  { in: RC, from: 'FIX_PLAN_FILE', to: null, note: '`PLAN_PATH` names a plan elsewhere' },
  { in: RC, from: 'AGENT_FILE', to: null, note: 'its text goes to the patterns of the progress log' },
  { in: SHELL, from: 'TEST_CMD', to: 'verifyCommands', convert: 'command', note: OWN_CHECK },
  { in: SHELL, from: 'TYPECHECK_CMD', to: 'verifyCommands', convert: 'command', note: OWN_CHECK },
  { in: SHELL, from: 'LINT_CMD', to: 'verifyCommands', convert: 'command', note: OWN_CHECK },
  { in: SHELL, from: 'BUILD_CMD', to: 'verifyCommands', convert: 'command', note: OWN_CHECK },
  { in: CONFIG_SH, from: 'PRD_PATH', to: null, note: OWN_PLACE },
  { in: CONFIG_SH, from: 'PROGRESS_PATH', to: null, note: OWN_PLACE },
  { in: CONFIG_SH, from: 'PROMPT_BUILD', to: null, note: '`prompt.md` in the spec folder' },
  { in: CONFIG_SH, from: 'GUARDRAILS_PATH', to: null, note: 'its text goes to the patterns of the progress log' },
  { in: CONFIG_SH, from: 'AGENTS_PATH', to: null, note: 'agents read AGENTS.md by themselves' },
  { in: CONFIG_SH, from: 'ERRORS_LOG_PATH', to: null, note: OWN_LOG },
  { in: CONFIG_SH, from: 'ACTIVITY_LOG_PATH', to: null, note: OWN_LOG },
  { in: CONFIG_SH, from: 'ACTIVITY_CMD', to: null, note: OWN_LOG },
  { in: CONFIG_SH, from: 'RUNS_DIR', to: null, note: OWN_LOG },
  { in: CONFIG_SH, from: 'TMP_DIR', to: null, note: 'the state is in `.ralph/`' },
  { in: CONFIG_SH, from: 'NO_COMMIT', to: null, note: ONE_COMMIT },
  { in: CONFIG_SH, from: 'STALE_SECONDS', to: null, note: 'the next run recovers from a crash by itself' },

  { in: TUI, from: 'maxIterations', to: 'maxIterations', convert: 'count', note: '0 (no limit) is not taken over' },
  { in: TUI, from: 'agent', to: 'agent', convert: 'agent', note: 'agents that are not known: `command.run`' },
  { in: TUI, from: 'defaultAgent', to: 'agent', convert: 'agent', note: 'agents that are not known: `command.run`' },
  { in: TUI, from: 'model', to: 'model', convert: 'text', note: 'the same' },
  { in: TUI, from: 'agentOptions.model', to: 'model', convert: 'text', note: 'the same' },
  { in: TUI, from: 'agentOptions.timeout', to: 'timeout', convert: 'milliseconds', note: 'of one agent process' },
  {
    in: TUI,
    from: 'errorHandling.retryDelayMs',
    to: 'transient.delay',
    convert: 'milliseconds',
    note: 'it doubles each time',
  },
  {
    in: TUI,
    from: 'errorHandling.maxRetries',
    to: 'transient.retries',
    convert: 'number',
    note: 'of an iteration that a network error ended',
  },
  {
    in: TUI,
    from: 'errorHandling.strategy',
    to: null,
    note: 'a story that fails too often is blocked, and the others go on',
  },
  { in: TUI, from: 'fallbackAgents', to: null, note: 'a list in `agent` has its fallbacks in order' },
  { in: TUI, from: 'rateLimitHandling.enabled', to: null, note: '`onUsageLimit`' },
  { in: TUI, from: 'iterationDelay', to: null, note: '`calls` limits how many agents start in an hour' },
  { in: TUI, from: 'autoCommit', to: null, note: ONE_COMMIT },
  { in: TUI, from: 'outputDir', to: null, note: OWN_LOG },
  { in: TUI, from: 'prompt_template', to: null, note: '`prompt.md` in the spec folder' },
  { in: TUI, from: 'tracker', to: null, note: '`ralph import` takes files, folders and issues' },
  { in: TUI, from: 'notifications.enabled', to: null, note: '`notify`; `ralph notify test` tries it' },
  { in: TUI, from: 'parallel.enabled', to: null, note: 'one story at a time' },
  { in: TUI, from: 'subagentTracingDetail', to: null, note: '`ralph log` and the monitor show subagents' },

  {
    in: ORCHESTRATOR,
    from: 'cli.backend',
    to: 'agent',
    convert: 'agent',
    note: 'agents that are not known: `command.run`',
  },
  {
    in: ORCHESTRATOR,
    from: 'cli.command',
    to: 'command.run',
    convert: 'text',
    note: 'the prompt comes on standard input',
  },
  { in: ORCHESTRATOR, from: 'event_loop.max_iterations', to: 'maxIterations', convert: 'count', note: 'the same' },
  {
    in: ORCHESTRATOR,
    from: 'event_loop.max_runtime_seconds',
    to: 'maxDuration',
    convert: 'seconds',
    note: 'of a run, waiting included',
  },
  {
    in: ORCHESTRATOR,
    from: 'event_loop.idle_timeout_secs',
    to: 'idleTimeout',
    convert: 'seconds',
    note: 'of one agent process',
  },
  { in: ORCHESTRATOR, from: 'event_loop.max_cost_usd', to: 'maxCost', convert: 'number', note: 'of a run' },
  {
    in: ORCHESTRATOR,
    from: 'event_loop.max_consecutive_failures',
    to: 'circuit.noProgress',
    convert: 'count',
    note: 'the same',
  },
  {
    in: ORCHESTRATOR,
    from: 'event_loop.completion_promise',
    to: 'promise',
    convert: 'text',
    note: 'written between <promise> and </promise>',
  },
  { in: ORCHESTRATOR, from: 'event_loop.checkpoint_interval', to: null, note: 'every iteration has a checkpoint' },
  { in: ORCHESTRATOR, from: 'event_loop.prompt_file', to: null, note: '`prompt.md` in the spec folder' },
  { in: ORCHESTRATOR, from: 'core.scratchpad', to: null, note: 'the progress log' },
  { in: ORCHESTRATOR, from: 'core.specs_dir', to: null, note: '`prd.md` in the spec folder names other documents' },
  { in: ORCHESTRATOR, from: 'core.guardrails', to: null, note: '`Constraints` in prd.md, or `prompt.md`' },
  {
    in: ORCHESTRATOR,
    from: 'hats',
    to: null,
    note: 'three modes: implement, review, review-fix; `models` chooses a model for each',
  },

  {
    in: CHIEF,
    from: 'agent.provider',
    to: 'agent',
    convert: 'agent',
    note: 'agents that are not known: `command.run`',
  },
  { in: CHIEF, from: 'worktree.setup', to: 'checks.setup', convert: 'commands', note: 'the same' },
  { in: CHIEF, from: 'onComplete.push', to: null, note: '`ralph stream merge --pr`, by a person' },
  { in: CHIEF, from: 'onComplete.createPR', to: null, note: '`ralph stream merge --pr`, by a person' },
];
