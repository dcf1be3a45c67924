/** Something of another loop, and what stands for it here. */
export interface Migrated {
  readonly from: string;
  readonly to: string;
  readonly note: string;
}

/** Files of other loops. `ralph import FOLDER` finds those in rules/import/layouts. */
export const MIGRATED_FILES: readonly Migrated[] = [
  {
    from: 'scripts/ralph/prd.json',
    to: 'ralph/tasks.json',
    note: 'or worked on in place: `--ralph-dir scripts/ralph`',
  },
  {
    from: 'scripts/ralph/progress.txt',
    to: 'ralph/progress.txt',
    note: 'entries stay below the line, patterns above it',
  },
  {
    from: 'scripts/ralph/prompt.md, CLAUDE.md',
    to: 'ralph/prompt.md',
    note: 'kept beside as prompt.imported.md and CLAUDE.imported.md: the loop has rules that an older prompt contradicts',
  },
  { from: 'scripts/ralph/archive/', to: 'ralph-archive/', note: 'not moved; `ralph archive` makes the next one' },
  { from: 'scripts/ralph/ralph.sh', to: 'ralph run', note: 'delete it when you like' },
  {
    from: '.agents/tasks/prd*.json',
    to: 'ralph/tasks.json',
    note: 'of several the one with open stories, or the one you name',
  },
  { from: '.agents/ralph/PROMPT_build.md', to: 'ralph/prompt.md', note: 'kept beside as prompt.imported.md' },
  { from: '.agents/ralph/config.sh, .ralphrc', to: 'ralph.config.json', note: 'read as text, never run' },
  { from: '.ralph/progress.md', to: 'ralph/progress.txt', note: 'entries stay below the line' },
  { from: '.ralph/guardrails.md', to: 'Codebase Patterns in ralph/progress.txt', note: 'every iteration reads them' },
  {
    from: '.ralph/fix_plan.md, @fix_plan.md',
    to: 'ralph/tasks.json',
    note: 'or worked on in place: `PLAN_PATH=.ralph/fix_plan.md ralph run`, which commits it with the work',
  },
  { from: '.ralph/PROMPT.md', to: 'ralph/prompt.md', note: 'kept beside as prompt.imported.md' },
  {
    from: '.ralph/AGENT.md, @AGENT.md',
    to: 'Codebase Patterns in ralph/progress.txt',
    note: 'every iteration reads them',
  },
  { from: '.ralph/specs/', to: 'ralph/specs/', note: 'copied; name it in prd.md' },
  { from: '.ralph/logs/, status.json, .exit_signals', to: 'ralph log, ralph status', note: 'not taken over' },
  {
    from: '.chief/prds/NAME/prd.json, prd.md',
    to: 'ralph/tasks.json, ralph/prd.md',
    note: 'of several the one with open stories, or the one you name: `ralph import .chief/prds/NAME`',
  },
  { from: '.ralph-tui/config.toml', to: 'ralph.config.json', note: 'tasks come from the prd.json beside it' },
  {
    from: '.taskmaster/tasks/tasks.json, docs/prd.txt',
    to: 'ralph/tasks.json, ralph/prd.md',
    note: '`ralph import .taskmaster`; or worked on in place',
  },
  { from: 'specs/NAME/tasks.md, spec.md', to: 'ralph/tasks.json, ralph/prd.md', note: '`ralph import specs/NAME`' },
  {
    from: '.kiro/specs/NAME/tasks.md, requirements.md',
    to: 'ralph/tasks.json, ralph/prd.md',
    note: '`ralph import .kiro/specs/NAME`',
  },
  {
    from: 'openspec/changes/NAME/tasks.md, proposal.md',
    to: 'ralph/tasks.json, ralph/prd.md',
    note: '`ralph import openspec/changes/NAME`',
  },
  { from: '.beads/issues.jsonl', to: 'ralph/tasks.json', note: '`ralph import .beads`' },
  {
    from: '.claude/ralph-loop.local.md',
    to: 'ralph run',
    note: 'the loop starts a new session for each iteration instead of keeping one from stopping',
  },
];

/** Flags of other loops. */
export const MIGRATED_FLAGS: readonly Migrated[] = [
  { from: 'ralph.sh 25', to: 'ralph run 25', note: 'iterations; default 15' },
  { from: 'ralph.sh --tool claude', to: 'ralph run --agent claude', note: 'a list with commas has fallbacks' },
  { from: 'ralph build 25 --prd=2', to: 'ralph run 25 --prd 2', note: '`build` still works' },
  { from: '--no-commit', to: '--dry-run', note: 'the old name still works' },
  { from: '--agent=codex', to: '--agent codex', note: 'the same' },
  { from: '--calls 50', to: '--calls 50', note: 'the same' },
  { from: '--timeout 30 (minutes)', to: '--timeout 30m', note: 'durations have units' },
  { from: '--prompt FILE', to: 'prompt.md in the spec folder', note: 'a template with placeholders' },
  { from: '--monitor', to: '--tui', note: 'or `ralph monitor` in another terminal' },
  { from: '--live, --verbose', to: '--verbose', note: 'what the agent says and each tool it uses' },
  { from: '--reset-circuit', to: '--reset-circuit', note: 'the same' },
  { from: '--circuit-status', to: 'ralph circuit status', note: '' },
  { from: '--continue, --no-continue, --resume ID', to: '', note: 'every iteration starts with an empty context' },
  { from: '--max-iterations N', to: '--max-iterations N', note: 'the same' },
  {
    from: '--completion-promise TEXT',
    to: 'promise in ralph.config.json',
    note: 'believed only where no stories say what is done',
  },
  { from: '--sandbox docker', to: '--sandbox container', note: '`ralph sandbox` says what is there' },
  { from: '--status', to: 'ralph status', note: '`--json` for scripts' },
  {
    from: '--auto-reset-circuit',
    to: '--reset-circuit',
    note: 'or `circuit.cooldown`, after which one iteration may try',
  },
  { from: '--reset-session, --session-expiry H', to: '', note: 'no session outlives its iteration' },
  { from: '--notify', to: 'notify.desktop in ralph.config.json', note: '`ralph notify test` tries it' },
  { from: '--backup', to: '', note: 'every iteration has a checkpoint, without a branch or a commit' },
  {
    from: '--rollback BRANCH',
    to: 'ralph rescue restore NAME',
    note: '`--rollback` says when work is rolled back here',
  },
  { from: '--output-format FORMAT', to: '', note: 'the loop always reads the stream of events' },
  {
    from: '--allowed-tools LIST',
    to: 'claude.allowedTools',
    note: 'allows only what it lists',
  },
  { from: '--show-tool-args', to: '--verbose', note: '`ralph log N` has them afterwards' },
  { from: '--skip-security-check', to: '', note: 'agents do not inherit your environment' },
];

/** Exit codes of other loops. */
export const MIGRATED_EXIT_CODES: readonly Migrated[] = [
  { from: '0: the agent said COMPLETE', to: '0', note: 'only when every story is done by the loop’s own judgement' },
  { from: '1: iterations used up', to: '1', note: 'the same' },
  { from: '1: wrong usage, no prd.json', to: '2', note: 'apart from work that is not finished' },
  { from: '1: circuit breaker open', to: '3', note: '`ralph circuit status` says why' },
  { from: '1: another loop runs', to: '4', note: 'the lock names it' },
  { from: '1, 2: usage limit', to: '5', note: 'by default the run waits for the reset' },
  { from: '124: timeout of the agent', to: '', note: 'never the code of a run: the iteration failed, the run goes on' },
  { from: '127: no agent', to: '7', note: 'also when isolation was asked for and is not there' },
  { from: '130, 143', to: '130, 143', note: 'Ctrl-C and SIGTERM, after everything is put in order' },
];

/** Hooks of other loops in the settings of Claude Code. */
export const MIGRATED_HOOKS: readonly Migrated[] = [
  {
    from: '.agents/ralph/hooks/pre-tool.sh',
    to: 'ralph hooks install',
    note: 'the guard; during a run it is there without being installed',
  },
  {
    from: '.agents/ralph/hooks/post-tool.sh',
    to: 'ralph hooks install',
    note: 'tests seen failing; roll-back is the loop’s, after rescue',
  },
  {
    from: '.agents/ralph/hooks/on-stop.sh',
    to: 'ralph hooks install',
    note: 'the stop is refused while the story is not finished',
  },
  { from: '.agents/ralph/hooks/pre-prompt.sh', to: 'ralph hooks install', note: '' },
  { from: '.ralph/hooks/*.sh', to: 'ralph hooks install', note: 'one program instead of scripts' },
  { from: 'a Stop hook that feeds the prompt again', to: 'ralph run', note: 'a new process for each iteration' },
];

/** Commands of other loops. `ralph import` takes none of these over: they are for people who look for them. */
export const MIGRATED_COMMANDS: readonly Migrated[] = [
  {
    from: 'ralph-setup NAME, ralph-enable',
    to: 'ralph init',
    note: 'in the repository that is there; nothing is cloned',
  },
  { from: 'ralph-import FILE', to: 'ralph import FILE', note: 'prose without stories: `ralph plan --from FILE`' },
  { from: 'ralph-monitor', to: 'ralph monitor', note: 'no tmux needed' },
  { from: 'ralph prd "request"', to: 'ralph plan', note: 'a conversation that ends in prd.md and stories' },
  { from: 'ralph review', to: 'ralph run', note: 'every story is reviewed before it is done' },
  { from: '/ralph-loop "prompt"', to: 'ralph run', note: 'from a terminal; the prompt is the story' },
  { from: '/cancel-ralph', to: 'ralph stop', note: '`--now` does not wait for the iteration' },
];

/** Variables of the environment that mean something here as they did there, and those that do not. */
export const MIGRATED_VARIABLES: readonly Migrated[] = [
  { from: 'RALPH_ROOT', to: 'RALPH_ROOT', note: 'where the spec folder is looked for' },
  { from: 'PRD_NUMBER', to: 'PRD_NUMBER', note: 'or `--prd N`' },
  {
    from: 'PLAN_PATH, PROGRESS_PATH',
    to: 'PLAN_PATH, PROGRESS_PATH',
    note: 'a backlog or log elsewhere in the project',
  },
  {
    from: 'MAX_ITERATIONS, MAX_ALLOWED_ITERATIONS, AGENT, TIMEOUT_AGENT',
    to: 'the same',
    note: 'weaker than `RALPH_…` and flags',
  },
  {
    from: 'CB_NO_PROGRESS_THRESHOLD, CB_SAME_ERROR_THRESHOLD, CB_OUTPUT_DECLINE_THRESHOLD',
    to: 'the same',
    note: 'weaker than `RALPH_CIRCUIT_…`',
  },
  { from: 'CLAUDE_CONTEXT_WINDOW', to: 'the same', note: 'or `context.window`' },
  { from: 'RALPH_DRY_RUN, DRY_RUN', to: '--dry-run', note: 'no variable' },
  {
    from: '$RALPH_ITERATION, $RALPH_MAX_ITERATIONS in prompts',
    to: 'the same',
    note: 'or `{{ITERATION}}`, `{{MAX_ITERATIONS}}`',
  },
];
