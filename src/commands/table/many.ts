import { runSettings } from './running.ts';
import { type CommandSpec, type FlagSpec, json, projectDir } from './spec.ts';

const engine: FlagSpec = {
  flags: '--engine <url>',
  meaning: 'the PostgreSQL database that the fleet shares: postgres://… (default: RALPH_ENGINE)',
};
const iterations: FlagSpec = { flags: '-n, --max-iterations <n>', meaning: 'iterations of each stream (default: 15)' };
const oneStream = { name: '<stream>', meaning: 'number of the PRD, or name', values: 'prd' } as const;
const streams = { name: '[streams...]', meaning: 'numbers of PRDs, or names', values: 'prd' } as const;

/** Many at once: streams on this machine, and a fleet. */
export const many: readonly CommandSpec[] = [
  {
    name: 'stream start',
    summary: 'work on several PRDs at once, each in a worktree and on a branch of its own',
    description: [
      'Each stream gets the worktree .ralph/worktrees/PRD-N on the branch of its backlog, prepared once with what its clean room installs. They take turns, an iteration each; the one that waited longest comes first. `--calls`, `--max-cost` and `--max-tokens` hold for all of them together.',
      'Ctrl-C ends the turns under way and keeps their work in rescues; the same command goes on where it stopped.',
    ],
    args: [streams],
    flags: [
      { flags: '--parallel <n>', meaning: 'turns at a time (default: 2)' },
      iterations,
      ...runSettings,
      projectDir,
      { flags: '-v, --verbose', meaning: 'also what the agents say' },
      json,
    ],
    examples: [
      ['ralph stream start 1 2 3 --parallel 2', 'PRD-1 to PRD-3, two at a time'],
      ['ralph stream start', 'every PRD that has open stories'],
    ],
    changesState: true,
    load: async () => (await import('../stream/start.ts')).startStreams,
  },
  {
    name: 'stream list',
    summary: 'the streams of this repository: branch, worktree, stories, what they do',
    flags: [projectDir, json],
    examples: [['ralph stream list', 'one line each']],
    load: async () => (await import('../stream/status.ts')).listStreams,
  },
  {
    name: 'stream status',
    summary: 'how the streams stand: iterations, stories, cost, what each waits for',
    args: [streams],
    flags: [projectDir, json],
    examples: [['ralph stream status', 'a table, and what to do next']],
    load: async () => (await import('../stream/status.ts')).streamStatus,
  },
  {
    name: 'stream logs',
    summary: 'what the last run of a stream did',
    args: [oneStream],
    flags: [{ flags: '-f, --follow', meaning: 'and what it does from now on' }, projectDir, json],
    examples: [['ralph stream logs 2', 'as the run printed it']],
    load: async () => (await import('../stream/status.ts')).streamLogs,
  },
  {
    name: 'stream stop',
    summary: 'end streams after the iteration that is under way',
    args: [streams],
    flags: [{ flags: '--now', meaning: 'end the iteration, too; its work is kept in a rescue' }, projectDir, json],
    examples: [['ralph stream stop 2', 'the others go on']],
    changesState: true,
    load: async () => (await import('../stream/status.ts')).stopStreams,
  },
  {
    name: 'stream remove',
    summary: 'remove the worktree of a stream; its branch stays',
    args: [oneStream],
    flags: [
      { flags: '--force', meaning: 'also with work that is not merged: it is kept in a rescue' },
      projectDir,
      json,
    ],
    examples: [['ralph stream remove 2', 'when it is merged']],
    changesState: true,
    load: async () => (await import('../stream/status.ts')).removeStream,
  },
  {
    name: 'worker',
    summary: 'take turns for a fleet, on this machine',
    description: [
      'A turn is one iteration of one stream: its branch is fetched from the shared repository, worked on as `ralph run` does it, and pushed, only if nobody else has moved it. A worker that dies loses nothing but the turn under way; another one takes it.',
      'SIGTERM or Ctrl-C lets it finish its turns and end; given twice it ends them, and their work is kept on the remote.',
    ],
    flags: [
      engine,
      { flags: '--remote <url>', meaning: 'the git repository that the fleet shares' },
      { flags: '--capacity <n>', meaning: 'turns at a time (default: 1)' },
      {
        flags: '--work-dir <folder>',
        meaning: 'clone and worktrees (default: a folder of its own below the state home)',
        values: 'folder',
      },
      { flags: '--name <name>', meaning: 'as the fleet sees it (default: host and process)' },
      {
        flags: '--turn-timeout <duration>',
        meaning: 'after which a turn is taken from a worker that hangs (default: 2h)',
      },
      {
        flags: '--grace <duration>',
        meaning: 'without a sign of life after which the turns of a worker are given to others (default: 30s)',
      },
      { flags: '--poll <duration>', meaning: 'between two looks for turns to take (default: 5s)' },
      { flags: '--once', meaning: 'end when no stream is left that goes on by itself' },
      ...runSettings,
      json,
    ],
    exits: [
      ['0', 'told to stop, and every turn was finished; or `--once`, and there was nothing left'],
      ['7', 'the database of the fleet cannot be used; or the agent or the isolation, as far as they are named here'],
      ['130, 143', 'told twice: the turns under way were ended, others take them again'],
    ],
    environment: [
      ['RALPH_ENGINE', 'the database, instead of `--engine`: a password in it is seen by nobody in the process list'],
      ['RALPH_REMOTE', 'the git repository, instead of `--remote`'],
      ['RALPH_FLEET_KEY', 'the key that all workers share: it signs the state of streams at the remote; needed'],
      ['PGPASSWORD', 'its password, as for every client of PostgreSQL; agents and checks do not get it'],
    ],
    seeAlso: ['fleet submit', 'fleet status', 'docs/fleet.md'],
    examples: [
      [
        'ralph worker --engine postgres://db.local/fleet --remote git@git.local:shop.git --capacity 2',
        'two streams at a time, until it is told to stop',
      ],
    ],
    changesState: true,
    load: async () => (await import('../fleet/worker.ts')).worker,
  },
  {
    name: 'fleet submit',
    summary: 'hand streams to the fleet: branches of the remote with a backlog',
    description: [
      'What the remote does not have yet is pushed: the branch of each stream, never by force, nothing else. Branches of a fleet begin with ralph/. The backlog has to be committed.',
      '`--concurrency`, `--calls` and `--max-cost` hold for the whole fleet, from now on, whoever submitted what.',
    ],
    args: [streams],
    flags: [
      engine,
      { flags: '--remote <url>', meaning: 'the git repository that the fleet shares (default: the remote origin)' },
      { flags: '--branch <name>', meaning: 'of the only stream that is named (default: that of its backlog)' },
      iterations,
      { flags: '--concurrency <n>', meaning: 'turns at a time, of the whole fleet' },
      { flags: '--calls <n>', meaning: 'agent processes within an hour, of the whole fleet' },
      { flags: '--max-cost <usd>', meaning: 'what all streams together may cost' },
      projectDir,
      json,
    ],
    exits: [['1', 'a stream that has something left to do was left out; why is said']],
    examples: [['ralph fleet submit 1 2 --engine postgres://db.local/fleet', 'PRD-1 and PRD-2']],
    seeAlso: ['fleet status', 'worker', 'stream merge', 'docs/fleet.md'],
    changesState: true,
    load: async () => (await import('../fleet/submit.ts')).submit,
  },
  {
    name: 'fleet status',
    summary: 'streams and workers of the fleet',
    flags: [engine, json],
    examples: [['ralph fleet status --engine postgres://db.local/fleet', 'two tables']],
    load: async () => (await import('../fleet/status.ts')).fleetStatus,
  },
  {
    name: 'fleet cancel',
    summary: 'end streams of the fleet; a turn under way is ended, too',
    args: [{ name: '<streams...>', meaning: 'their names', values: 'prd' }],
    flags: [engine, json],
    examples: [['ralph fleet cancel PRD-2 --engine postgres://db.local/fleet', 'its branch stays as it is']],
    changesState: true,
    load: async () => (await import('../fleet/operate.ts')).cancel,
  },
  {
    name: 'fleet retry',
    summary: 'let streams go on that ended early, failed, were cancelled, or wait',
    args: [{ name: '<streams...>', meaning: 'their names', values: 'prd' }],
    flags: [engine, { flags: '--reset-circuit', meaning: 'close their circuit breaker first' }, json],
    examples: [['ralph fleet retry PRD-2 --engine postgres://db.local/fleet', 'with fresh attempts']],
    changesState: true,
    load: async () => (await import('../fleet/operate.ts')).retry,
  },
  {
    name: 'fleet drain',
    summary: 'let every worker finish its turns and end',
    flags: [engine, json],
    examples: [['ralph fleet drain --engine postgres://db.local/fleet', 'before an upgrade']],
    changesState: true,
    load: async () => (await import('../fleet/operate.ts')).drain,
  },
];
