import type { Io } from '../surfaces/terminal/io.ts';
import type { RawFlags } from './flags.ts';

/** A command: arguments and flags as typed in, exit code out. Errors for people are thrown. */
export type Action = (args: readonly string[], flags: RawFlags, io: Io) => Promise<number>;

export interface FlagSpec {
  /** As commander reads it: `-n, --max-iterations <n>`. */
  readonly flags: string;
  readonly meaning: string;
  /** May be given several times. */
  readonly repeat?: true;
  /** An old name: accepted, shown nowhere. */
  readonly hidden?: true;
}

export interface ArgSpec {
  /** `<id>` required, `[id]` optional, `[ids...]` any number. */
  readonly name: string;
  readonly meaning: string;
}

export interface CommandSpec {
  /** `status`, or `stories list` for a command of a group. */
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly args?: readonly ArgSpec[];
  readonly flags?: readonly FlagSpec[];
  /** At least one: what to type, and what it does. */
  readonly examples: readonly (readonly [command: string, effect: string])[];
  /** Changes what the loop answers for: refused inside an agent. */
  readonly changesState?: true;
  readonly load: () => Promise<Action>;
}

export interface GroupSpec {
  readonly name: string;
  readonly summary: string;
  /** The command that the bare group name stands for. */
  readonly default: string;
}

const json: FlagSpec = { flags: '--json', meaning: 'print JSON' };
const projectDir: FlagSpec = {
  flags: '-d, --project-dir <path>',
  meaning: 'the project (default: the current directory)',
};
const userSettings: FlagSpec = {
  flags: '--user',
  meaning: 'the settings in the home folder instead of the project',
};
const place: readonly FlagSpec[] = [
  { flags: '--prd <number>', meaning: 'the spec folder .ralph/PRD-<number>' },
  { flags: '--ralph-dir <path>', meaning: 'the spec folder (default: found)' },
  projectDir,
];

export const groups: readonly GroupSpec[] = [
  { name: 'stories', summary: 'the backlog from the shell', default: 'list' },
  { name: 'circuit', summary: 'the circuit breaker', default: 'status' },
  { name: 'rescue', summary: 'get back what a rollback took', default: 'list' },
  { name: 'hooks', summary: 'hooks for interactive agent sessions', default: 'status' },
  { name: 'guard', summary: 'the shell guard, made inspectable', default: 'explain' },
  { name: 'verdict', summary: 'verdicts on test runs, made inspectable', default: 'explain' },
  { name: 'config', summary: 'the effective configuration and where each value came from', default: 'list' },
];

/** Every command of `ralph`, in the order of the help. Bodies load when they are called. */
export const commands: readonly CommandSpec[] = [
  {
    name: 'demo',
    summary: 'watch a whole run on a throw-away repository: no key, no network',
    flags: [json, { flags: '-v, --verbose', meaning: 'also what the agent says' }],
    examples: [
      ['ralph demo', 'four stories with the built-in scripted agent; the repository stays in the temp folder'],
    ],
    changesState: true,
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'init',
    summary: 'create the spec folder: requirements, backlog, progress log, prompt',
    flags: [
      { flags: '--name <name>', meaning: 'name of the work: its branch is ralph/<name>' },
      { flags: '--layout <layout>', meaning: 'ralph: the folder ralph/ (default) · prd: .ralph/PRD-<number>' },
      { flags: '--prd <number>', meaning: 'number of the PRD; implies --layout prd' },
      { flags: '--force', meaning: 'replace existing files, keeping a backup of each' },
      projectDir,
      json,
    ],
    examples: [
      ['ralph init --name login', 'creates ralph/ for the branch ralph/login'],
      ['ralph init --prd 2', 'creates .ralph/PRD-2/'],
    ],
    changesState: true,
    load: async () => (await import('./init.ts')).init,
  },
  {
    name: 'run',
    alias: 'build',
    summary: 'the loop: one story at a time until every story is done',
    args: [{ name: '[iterations]', meaning: 'how many iterations at most (default: 15)' }],
    flags: [
      { flags: '-n, --max-iterations <n>', meaning: 'the same as the argument' },
      ...place,
      { flags: '--story <id>', meaning: 'only this story' },
      { flags: '--until <id>', meaning: 'stop when this story is done' },
      { flags: '--once', meaning: 'one iteration' },
      { flags: '-a, --agent <names>', meaning: 'default: claude; several with commas: the next one is the fallback' },
      { flags: '-m, --model <model>', meaning: "model of the agent (default: the agent's own)" },
      { flags: '--scenario <file>', meaning: 'what the agent `scripted` plays' },
      { flags: '--skip-review', meaning: 'a story is done after its checks passed, unreviewed' },
      { flags: '--review-cap <n>', meaning: 'reviews of one story at most (default: 5)' },
      { flags: '--timeout <duration>', meaning: 'of one agent process (default: 60m)' },
      { flags: '--idle-timeout <duration>', meaning: 'without a sign of life from the agent (default: 15m)' },
      { flags: '--story-max-attempts <n>', meaning: 'failed iterations before a story is blocked (default: 3)' },
      { flags: '--story-max-cost <usd>', meaning: 'what a story may cost before it is blocked' },
      { flags: '--max-cost <usd>', meaning: 'what the run may cost' },
      { flags: '--max-tokens <n>', meaning: 'tokens the run may use' },
      { flags: '--max-duration <duration>', meaning: 'how long the run may take, waiting included' },
      { flags: '--calls <n>', meaning: 'agent processes per hour (default: 100); then it waits' },
      {
        flags: '--on-usage-limit <how>',
        meaning: "at a provider's limit: wait for the reset · fallback: the next agent · stop",
      },
      { flags: '--reset-circuit', meaning: 'close the circuit breaker first' },
      { flags: '--keep-awake', meaning: 'keep the machine from going to sleep' },
      {
        flags: '--rollback <when>',
        meaning: 'iteration-end (default) · immediate: when tests are seen to fail · never',
      },
      { flags: '--dirty <how>', meaning: 'uncommitted changes of tracked files: refuse (default) · stash · keep' },
      { flags: '--no-branch', meaning: "stay on the current branch instead of the backlog's" },
      { flags: '--no-verify', meaning: 'do not run the commit hooks of the repository' },
      { flags: '--require-green', meaning: 'refuse to start when a check fails already' },
      { flags: '--dry-run', meaning: 'print the plan and the prompt; start no agent, write nothing' },
      { flags: '--no-commit', meaning: 'old name of --dry-run', hidden: true },
      { flags: '-v, --verbose', meaning: 'also what the agent says and each tool it uses' },
      { flags: '--json', meaning: 'print events as JSON lines' },
    ],
    examples: [
      ['ralph run', 'until complete, 15 iterations at most'],
      ['ralph run 40 --timeout 30m', 'a longer night with a shorter leash'],
      ['ralph run --story US-003 --once', 'one iteration on one story'],
      ['ralph run --dry-run', 'what would happen, and the prompt'],
    ],
    changesState: true,
    load: async () => (await import('./run.ts')).run,
  },
  {
    name: 'status',
    summary: 'where it stands, at one look, and the next sensible command',
    flags: [...place, json],
    examples: [
      ['ralph status', 'the run, the stories, what comes next'],
      ['ralph status --json', 'the same for scripts'],
    ],
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'steer',
    summary: 'tell the next prompt something, or change the limits of the run under way',
    args: [{ name: '[text...]', meaning: 'carried once, by the next prompt (default: list what waits to be carried)' }],
    flags: [
      { flags: '-n, --max-iterations <n>', meaning: 'how many iterations at most' },
      { flags: '--calls <n>', meaning: 'agent processes per hour' },
      { flags: '--max-cost <usd>', meaning: 'what the run may cost' },
      { flags: '--max-tokens <n>', meaning: 'tokens the run may use' },
      { flags: '--max-duration <duration>', meaning: 'how long the run may take, waiting included' },
      { flags: '--story-max-cost <usd>', meaning: 'what a story may cost before it is blocked' },
      { flags: '--story-max-attempts <n>', meaning: 'failed iterations before a story is blocked' },
      projectDir,
      json,
    ],
    examples: [
      ['ralph steer "the API moved to /v2, see docs/api.md"', 'the next prompt carries it, whichever story it is for'],
      ['ralph steer --max-cost 20 --max-iterations 40', 'a live run may go further'],
      ['ralph steer', 'notes that no prompt has carried yet'],
    ],
    changesState: true,
    load: async () => (await import('./steer.ts')).steer,
  },
  {
    name: 'pause',
    summary: 'let the run wait after its current iteration',
    flags: [projectDir, json],
    examples: [['ralph pause', 'the agent at work is not disturbed; ralph resume goes on']],
    changesState: true,
    load: async () => (await import('./pause.ts')).pause,
  },
  {
    name: 'resume',
    summary: 'let a paused run go on, or take back a stop',
    flags: [projectDir, json],
    examples: [['ralph resume', 'its next iteration starts']],
    changesState: true,
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    name: 'stop',
    summary: 'end the run after its current iteration',
    flags: [{ flags: '--now', meaning: 'stop the agent too; its work is kept in a rescue' }, projectDir, json],
    examples: [
      ['ralph stop', 'the iteration is finished and committed first'],
      ['ralph stop --now', 'as Ctrl-C in its terminal'],
    ],
    changesState: true,
    load: async () => (await import('./stop.ts')).stop,
  },
  {
    name: 'questions',
    summary: 'what agents asked, and which stories wait for an answer',
    flags: [{ flags: '--all', meaning: 'the answered ones too' }, ...place, json],
    examples: [['ralph questions', 'open questions with the ids to answer them by']],
    load: async () => (await import('./questions.ts')).questions,
  },
  {
    name: 'answer',
    summary: 'answer a question: its story is free again, and its prompts carry the answer',
    args: [
      { name: '<id>', meaning: 'as listed by `ralph questions`' },
      { name: '<text...>', meaning: 'the answer' },
    ],
    flags: [...place, json],
    examples: [['ralph answer Q1 "euros only"', 'at once, or before the next iteration of the run under way']],
    changesState: true,
    load: async () => (await import('./answer.ts')).answer,
  },
  {
    name: 'circuit status',
    summary: 'the circuit breaker: its state, why, and how to go on',
    flags: [projectDir, json],
    examples: [['ralph circuit', 'state, evidence, thresholds, and the calls of the last hour']],
    load: async () => (await import('./circuit/status.ts')).circuitStatus,
  },
  {
    name: 'circuit reset',
    summary: 'close the circuit breaker',
    flags: [projectDir, json],
    examples: [['ralph circuit reset', 'the count starts again; `ralph run --reset-circuit` does it first']],
    changesState: true,
    load: async () => (await import('./circuit/reset.ts')).resetCircuit,
  },
  {
    name: 'stories list',
    summary: 'every story and its state',
    flags: [...place, json],
    examples: [['ralph stories', 'the whole backlog as a table']],
    load: async () => (await import('./stories/list.ts')).listStories,
  },
  {
    name: 'stories show',
    summary: 'one story: criteria, review feedback, evidence',
    args: [{ name: '<id>', meaning: 'id of the story' }],
    flags: [...place, json],
    examples: [['ralph stories show US-003', 'what it asks for and where it stands']],
    load: async () => (await import('./stories/show.ts')).showStory,
  },
  {
    name: 'stories next',
    summary: 'what the loop would work on next, in which mode',
    flags: [...place, { flags: '--skip-review', meaning: 'as a run with --skip-review would select' }, json],
    examples: [['ralph stories next', 'prints mode and story; exit 6 when only blocked stories are left']],
    load: async () => (await import('./stories/next.ts')).nextStory,
  },
  {
    name: 'stories add',
    summary: 'add a story at the end of the backlog',
    args: [{ name: '<title>', meaning: 'one line' }],
    flags: [
      { flags: '--id <id>', meaning: 'default: the next free number' },
      { flags: '-c, --criterion <text>', meaning: 'an acceptance criterion; may be repeated', repeat: true },
      { flags: '--description <text>', meaning: 'what and why' },
      { flags: '--priority <n>', meaning: '1 is worked on first (default: after the last)' },
      { flags: '--depends-on <ids>', meaning: 'stories that must be done before, with commas' },
      ...place,
      json,
    ],
    examples: [
      [
        'ralph stories add "Log out" -c "A click on Log out ends the session" --depends-on US-001',
        'a story with one criterion',
      ],
    ],
    changesState: true,
    load: async () => (await import('./stories/add.ts')).addStory,
  },
  {
    name: 'stories block',
    summary: 'take a story out of the loop, with a reason',
    args: [
      { name: '<id>', meaning: 'id of the story' },
      { name: '<reason...>', meaning: 'why' },
    ],
    flags: [...place, json],
    examples: [['ralph stories block US-003 waits for the new API', 'nobody works on it until it is reset']],
    changesState: true,
    load: async () => (await import('./stories/block.ts')).blockStory,
  },
  {
    name: 'stories reset',
    summary: 'start a story again: not done, not blocked, no review, no attempts used',
    args: [{ name: '<ids...>', meaning: 'ids of stories' }],
    flags: [...place, json],
    examples: [['ralph stories reset US-003', 'also the way to unblock a story']],
    changesState: true,
    load: async () => (await import('./stories/reset.ts')).resetStories,
  },
  {
    name: 'validate',
    summary: 'check the backlog: every problem with file, line and how to mend it',
    flags: [...place, json],
    examples: [['ralph validate', 'exit 0 when a run could start with it, else 2']],
    load: async () => (await import('./validate.ts')).validate,
  },
  {
    name: 'log',
    summary: 'what happened: the iterations of a run, or one of them in full',
    args: [{ name: '[iteration]', meaning: 'number of an iteration (default: all, one line each)' }],
    flags: [{ flags: '--run <run>', meaning: 'which run (default: the last)' }, projectDir, json],
    examples: [
      ['ralph log', 'every iteration of the last run'],
      ['ralph log 3', 'the third one: tools, checks, verdict'],
    ],
    load: async () => (await import('./log.ts')).log,
  },
  {
    name: 'rescue list',
    summary: 'what rollbacks took, newest first',
    flags: [projectDir, json],
    examples: [['ralph rescue', 'names to give to show and restore']],
    load: async () => (await import('./rescue/list.ts')).listRescues,
  },
  {
    name: 'rescue show',
    summary: 'what is in a rescue, as a diff',
    args: [{ name: '<name>', meaning: 'as listed by `ralph rescue`' }],
    flags: [projectDir],
    examples: [['ralph rescue show 20260101-090000-abcd/3-1', 'its diff against the checkpoint of that iteration']],
    load: async () => (await import('./rescue/show.ts')).showRescue,
  },
  {
    name: 'rescue restore',
    summary: 'write the files of a rescue into the work tree',
    args: [
      { name: '<name>', meaning: 'as listed by `ralph rescue`' },
      { name: '[paths...]', meaning: 'only these files (default: all)' },
    ],
    flags: [{ flags: '--force', meaning: 'also over files that were changed since' }, projectDir, json],
    examples: [
      ['ralph rescue restore 20260101-090000-abcd/3-1', 'everything it holds'],
      ['ralph rescue restore 20260101-090000-abcd/3-1 src/login.ts', 'one file'],
    ],
    changesState: true,
    load: async () => (await import('./rescue/restore.ts')).restoreRescue,
  },
  {
    name: 'rescue prune',
    summary: 'delete old rescues; nothing else ever does',
    flags: [
      { flags: '--older-than <duration>', meaning: 'e.g. 30d; required' },
      { flags: '--dry-run', meaning: 'only say which' },
      projectDir,
      json,
    ],
    examples: [['ralph rescue prune --older-than 30d --dry-run', 'which rescues are older than 30 days']],
    changesState: true,
    load: async () => (await import('./rescue/prune.ts')).pruneRescues,
  },
  {
    name: 'doctor',
    summary: 'check git, spec folder, backlog, agent and isolation; how to mend each',
    flags: [
      ...place,
      { flags: '-a, --agent <names>', meaning: 'check these agents (default: the configured ones)' },
      { flags: '--agents', meaning: 'what every agent can do, and which are installed' },
      { flags: '-v, --verbose', meaning: 'also the names of the variables that agents and checks do not get' },
      json,
    ],
    examples: [
      ['ralph doctor', 'exit 0 when a run can start'],
      ['ralph doctor --agents', 'which agents there are, and what each of them can do'],
    ],
    load: async () => (await import('./doctor/doctor.ts')).doctor,
  },
  {
    name: 'selftest',
    summary: 'agents that misbehave, each in a throw-away repository: does the loop hold?',
    flags: [
      { flags: '--only <names>', meaning: 'these rows, with commas' },
      { flags: '--agent <command>', meaning: 'a shell command that plays the agent: prompt on standard input' },
      { flags: '--jobs <n>', meaning: 'rows at a time (default: 2)' },
      { flags: '--keep', meaning: 'leave the repositories in the temp folder' },
      { flags: '-v, --verbose', meaning: 'also what each agent does, what was expected and what came out' },
      json,
    ],
    examples: [
      ['ralph selftest', 'the whole battery with the scripted agent; exit 0 when every row held, else 1'],
      ['ralph selftest --only pushes,resets-history --keep', 'two rows, to look at what is left'],
    ],
    changesState: true,
    load: async () => (await import('./selftest/selftest.ts')).selftest,
  },
  {
    name: 'config list',
    summary: 'every value and where it came from',
    flags: [projectDir, json],
    examples: [['ralph config', 'a table: key, value, source']],
    load: async () => (await import('./config/list.ts')).listConfig,
  },
  {
    name: 'config get',
    summary: 'one value',
    args: [{ name: '<key>', meaning: 'e.g. maxIterations or checks.timeout' }],
    flags: [projectDir, json],
    examples: [['ralph config get maxIterations', 'prints the number']],
    load: async () => (await import('./config/get.ts')).getConfig,
  },
  {
    name: 'config schema',
    summary: 'the JSON Schema of the configuration file',
    examples: [['ralph config schema > ralph.schema.json', 'for editors and checks']],
    load: async () => (await import('./config/schema.ts')).configSchema,
  },
  {
    name: 'hooks status',
    summary: 'where the hooks are installed, and what keeps them from working',
    flags: [projectDir, json],
    examples: [['ralph hooks', 'project and home settings; exit 2 when an entry disables a file']],
    load: async () => (await import('./hooks/status.ts')).hooksStatus,
  },
  {
    name: 'hooks install',
    summary: 'guard and context monitor in every session of Claude Code here',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks install', 'adds entries to .claude/settings.local.json, keeps a backup']],
    changesState: true,
    load: async () => (await import('./hooks/install.ts')).installHooks,
  },
  {
    name: 'hooks uninstall',
    summary: 'take the hooks out again',
    flags: [userSettings, projectDir, json],
    examples: [['ralph hooks uninstall', 'leaves other hooks as they are']],
    changesState: true,
    load: async () => (await import('./hooks/uninstall.ts')).uninstallHooks,
  },
  {
    name: 'hooks run',
    summary: 'answer one hook call from standard input',
    args: [{ name: '<event>', meaning: 'e.g. PreToolUse' }],
    flags: [{ flags: '--legacy', meaning: 'older field names and answers' }],
    examples: [['ralph hooks run PreToolUse < call.json', 'prints the answer, or nothing to let it pass']],
    load: async () => (await import('./hooks/run.ts')).runHookCommand,
  },
  {
    name: 'guard explain',
    summary: 'what the shell guard understands of a command, and what it says to it',
    args: [{ name: '<command>', meaning: 'one argument: quote it' }],
    flags: [{ flags: '--interactive', meaning: 'as beside a person, outside of a run' }, ...place, json],
    examples: [
      ["ralph guard explain 'rm -rf /'", 'blocked: by which rule, why, and what to do instead'],
      ['ralph guard explain \'sudo sh -c "rm -rf build"\'', 'also what it looks through'],
    ],
    load: async () => (await import('./guard/explain.ts')).explainGuard,
  },
  {
    name: 'guard test',
    summary: 'how well the guard fits a file of labelled commands',
    args: [{ name: '<file>', meaning: 'one JSON object per line: cmd, label (block, allow or either)' }],
    flags: [json],
    examples: [['ralph guard test commands.jsonl', 'recall, false positives and every miss']],
    load: async () => (await import('./guard/test.ts')).testGuard,
  },
  {
    name: 'verdict explain',
    summary: 'was this a test run, and how did it end: what the output says',
    args: [{ name: '[file]', meaning: 'the output; - or nothing reads standard input' }],
    flags: [
      { flags: '--command <command>', meaning: 'the command that printed it' },
      { flags: '--exit <code>', meaning: 'its exit code' },
      json,
    ],
    examples: [['ralph verdict explain --exit 1 output.txt', 'the line that decides']],
    load: async () => (await import('./verdict/explain.ts')).explainVerdict,
  },
  {
    name: 'verdict test',
    summary: 'how well the verdicts fit a file of labelled outputs',
    args: [{ name: '<file>', meaning: 'one JSON object per line: command, stdout, stderr, exit_code, label' }],
    flags: [json],
    examples: [['ralph verdict test outputs.jsonl', 'confusion matrix, precision, recall and every miss']],
    load: async () => (await import('./verdict/test.ts')).testVerdicts,
  },
  {
    name: 'mcp',
    summary: 'the story tools as a stdio MCP server',
    flags: [...place],
    examples: [['ralph mcp', 'for an MCP client to start: inside a run its tools, elsewhere what the files say']],
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    name: 'version',
    summary: 'versions of ralph, Node and the platform',
    flags: [json],
    examples: [['ralph version', 'for bug reports; `ralph --version` prints the number alone']],
    load: async () => (await import('./version.ts')).printVersion,
  },
];
