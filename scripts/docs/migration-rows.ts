import type { Migrated } from '../../src/rules/import/migration-table.ts';

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

/** Flags beside those that the import knows. */
export const OTHER_FLAGS: readonly Migrated[] = [
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
    note: 'counts under `acceptEdits`; else the guard judges',
  },
  { from: '--show-tool-args', to: '--verbose', note: '`ralph log N` has them afterwards' },
  { from: '--skip-security-check', to: '', note: 'agents do not inherit your environment' },
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
