import { type CommandSpec, json, projectDir } from './spec.ts';

/** Watching runs: live, and afterwards. */
export const seeing: readonly CommandSpec[] = [
  {
    name: 'monitor',
    summary: 'watch a run in the terminal, live or ended, and steer it by keys',
    flags: [
      { flags: '--run <run>', meaning: 'which run (default: the one under way, else the last)', values: 'run' },
      { flags: '--all', meaning: 'every project of this machine that has runs' },
      { flags: '--beside <pid>', meaning: 'ends with this process', hidden: true },
      projectDir,
    ],
    examples: [
      ['ralph monitor', 'attaches to the run of this project; q detaches, the run goes on'],
      ['ralph monitor --all', 'every project, one key each'],
    ],
    load: async () => (await import('../monitor.ts')).monitor,
  },
  {
    name: 'dashboard',
    summary: 'the web dashboard: every run of this machine, live, with controls',
    flags: [
      { flags: '--port <n>', meaning: 'default: 4747, or dashboard.port of the configuration; 0 takes a free one' },
      { flags: '--host <address>', meaning: 'another interface than loopback: others on the network can reach it' },
      { flags: '--open', meaning: 'open it in the browser' },
      {
        flags: '--engine <url>',
        meaning: 'also show the fleet of this database: postgres://… (default: RALPH_ENGINE)',
      },
      { flags: '--new-token', meaning: 'make a new token: whoever has the old one is out' },
      { flags: '--beside', meaning: 'ends with whoever holds its input, at lower priority', hidden: true },
      projectDir,
    ],
    examples: [
      ['ralph dashboard', 'prints the address to open; Ctrl-C ends the dashboard and no run'],
      ['ralph dashboard --port 8080 --open', 'on another port, opened at once'],
    ],
    // It prints the token, which lets any reader approve stories.
    changesState: true,
    load: async () => (await import('../dashboard/dashboard.ts')).dashboard,
  },
  {
    name: 'report',
    summary: 'what a run came to, as one file to keep or to send: stories, cost, reviews, rejections, rescues',
    args: [{ name: '[run]', meaning: 'default: the last one that had iterations', values: 'run' }],
    flags: [
      { flags: '--format <format>', meaning: 'html (default) · md · json', values: ['html', 'md', 'json'] },
      {
        flags: '-o, --output <file>',
        meaning: 'where to; `-` is standard output (default: a file for html)',
        values: 'file',
      },
      { flags: '--all', meaning: 'all runs of this project together' },
      projectDir,
    ],
    examples: [
      ['ralph report', 'writes ralph-report-<run>.html: one file, no script, opens anywhere'],
      ['ralph report --format md -o report.md', 'for a pull request: `gh pr comment --body-file report.md`'],
    ],
    load: async () => (await import('../report.ts')).report,
  },
  {
    name: 'replay',
    summary: 'show a run again as it was, at speed',
    args: [{ name: '[run]', meaning: 'default: the last one that had iterations', values: 'run' }],
    flags: [
      {
        flags: '--speed <n>',
        meaning: 'so many times as fast; `max`: all at once (default: 10, where a person watches)',
      },
      { flags: '--exact', meaning: 'long silences in full, not cut to two seconds' },
      { flags: '--from <iteration>', meaning: 'begin there' },
      { flags: '-v, --verbose', meaning: 'also what the agent says and each tool it uses' },
      { flags: '--dashboard', meaning: 'in the dashboard instead: prints the address' },
      projectDir,
    ],
    examples: [
      ['ralph replay', 'the last run, ten times as fast; space pauses, n skips to the next iteration'],
      ['ralph replay 20260131-080500-k3f9 --speed max', 'the whole log at once'],
    ],
    load: async () => (await import('../replay.ts')).replay,
  },
];

/** Notifying people who do not watch. */
export const notify: readonly CommandSpec[] = [
  {
    name: 'notify test',
    summary: 'send a test to every webhook, the desktop and the bell, and show what came of it',
    flags: [projectDir, json],
    examples: [['ralph notify test', 'exit 1 when something of it does not work']],
    changesState: true,
    load: async () => (await import('../notify.ts')).testNotices,
  },
  {
    name: 'notify retry',
    summary: 'send again what webhooks did not take',
    flags: [projectDir, json],
    examples: [['ralph notify retry', 'in order; exit 1 when something is left']],
    changesState: true,
    load: async () => (await import('../notify.ts')).retryNotices,
  },
];
