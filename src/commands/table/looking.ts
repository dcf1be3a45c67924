import { type CommandSpec, json, place, projectDir } from './spec.ts';

/** The state of this machine and these settings. */
export const looking: readonly CommandSpec[] = [
  {
    name: 'help',
    summary: 'the manual of a command: as its --help',
    args: [
      { name: '[command...]', meaning: 'a command, or a group of them (default: all of ralph)', values: 'command' },
    ],
    examples: [['ralph help stories add', 'arguments, options and examples of one command']],
    load: async () => (await import('../help.ts')).help,
  },
  {
    name: 'doctor',
    summary: 'check git, spec folder, backlog, agent and isolation; how to mend each',
    description: [
      'One line for each thing that a run needs: a tick, an exclamation mark for what a run can do without, a cross for what keeps it from starting. Below each the command that mends it, to copy and paste.',
      'It works without a repository, with a broken configuration and with a broken backlog; it changes nothing. `--checks` runs the checks of the project, as you would and as a run does: what passes outside and fails inside lacks a toolchain, a host or a variable there.',
    ],
    flags: [
      ...place,
      { flags: '-a, --agent <names>', meaning: 'check these agents (default: the configured ones)', values: 'agents' },
      { flags: '--agents', meaning: 'what every agent can do, and which are installed' },
      { flags: '--checks', meaning: 'run the checks, outside and inside the isolation, and compare' },
      { flags: '-v, --verbose', meaning: 'also the names of the variables that agents and checks do not get' },
      json,
    ],
    examples: [
      ['ralph doctor', 'exit 0 when a run can start'],
      ['ralph doctor --agents', 'which agents there are, and what each of them can do'],
      ['ralph doctor --checks', 'why a check that passes for you would fail in a run'],
    ],
    exits: [
      ['0', 'a run can start'],
      ['2', 'something of the project or the machine has to be mended'],
      ['7', 'only the agent or its isolation has'],
    ],
    seeAlso: ['sandbox status', 'validate', 'docs/doctor.md'],
    load: async () => (await import('../doctor/doctor.ts')).doctor,
  },
  {
    name: 'prune',
    summary: 'delete events and logs of old runs; ledger, commits and rescues stay',
    flags: [
      { flags: '--keep <n>', meaning: 'so many of the last runs stay (default: the setting runs.keep)' },
      { flags: '--dry-run', meaning: 'only say which' },
      projectDir,
      json,
    ],
    examples: [
      ['ralph prune --dry-run', 'which runs are older than the last 50'],
      ['ralph prune --keep 10', 'makes room; every start of a run does the same with the setting'],
    ],
    seeAlso: ['rescue prune', 'docs/configuration.md'],
    changesState: true,
    load: async () => (await import('../prune.ts')).prune,
  },
  {
    name: 'plugins',
    summary: 'load the plugins of the configuration as a run does: what each provides, and which fail',
    flags: [projectDir, json],
    examples: [['ralph plugins', 'exit 0 when all can be loaded, 1 when a run would do without one']],
    load: async () => (await import('../plugins.ts')).plugins,
  },
  {
    name: 'sandbox status',
    summary: 'try every backend for real: what holds, what a run here takes, what it may reach',
    flags: [
      { flags: '--deep', meaning: 'try to get out in about a hundred ways, in a throw-away project' },
      { flags: '--only <ids>', meaning: 'with --deep: these attempts, with commas, by the ids that --json prints' },
      { flags: '--backend <name>', meaning: 'only bwrap · container · sbx · srt', values: 'backend' },
      ...place,
      json,
    ],
    examples: [
      ['ralph sandbox', 'exit 0 when everything held, 1 when something did not'],
      ['ralph sandbox status --deep --backend bwrap', 'the escape battery; exit 7 when bwrap is not there'],
    ],
    load: async () => (await import('../sandbox/status.ts')).sandboxStatus,
  },
  {
    name: 'sandbox create',
    summary: 'make what a backend needs: a virtual machine (sbx), an image; and say how to log in there',
    args: [
      {
        name: '[backend]',
        meaning: 'bwrap · container · sbx · srt (default: the one that runs here take)',
        values: 'backend',
      },
    ],
    flags: [
      { flags: '--file <path>', meaning: 'container: build its image from this Containerfile', values: 'file' },
      { flags: '--yes', meaning: 'sbx: agree that no sandbox of this machine reaches a host that is not allowed' },
      ...place,
    ],
    examples: [
      ['ralph sandbox create', 'tries it, and says how to log in there'],
      ['ralph sandbox create sbx --yes', 'the virtual machine of this project; minutes at the first time'],
    ],
    changesState: true,
    load: async () => (await import('../sandbox/create.ts')).createSandbox,
  },
  {
    name: 'sandbox shell',
    summary: 'a shell, or one command, in just what an agent would get; about 45 MB of memory each',
    args: [{ name: '[command...]', meaning: 'default: a shell' }],
    flags: [
      { flags: '--backend <name>', meaning: 'bwrap · container · sbx · srt (default: as a run)', values: 'backend' },
      ...place,
    ],
    examples: [
      ['ralph sandbox shell', 'look around, or log an agent in'],
      ['ralph sandbox shell -- npm test', 'does it pass inside? its exit code comes through'],
    ],
    changesState: true,
    load: async () => (await import('../sandbox/shell.ts')).sandboxShell,
  },
  {
    name: 'sandbox remove',
    summary: 'delete what was made for a backend: its virtual machine, or every login that was made inside',
    args: [
      {
        name: '[backend]',
        meaning: 'bwrap · container · sbx · srt (default: the one that runs here take)',
        values: 'backend',
      },
    ],
    flags: [{ flags: '--yes', meaning: 'do it: logins and what was installed inside are lost' }, ...place],
    examples: [['ralph sandbox remove bwrap --yes', 'agents have to log in again']],
    changesState: true,
    load: async () => (await import('../sandbox/create.ts')).removeSandbox,
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
    load: async () => (await import('../selftest/selftest.ts')).selftest,
  },
  {
    name: 'config list',
    summary: 'every value and where it came from',
    flags: [projectDir, json],
    examples: [['ralph config', 'a table: key, value, source']],
    load: async () => (await import('../config.ts')).listConfig,
  },
  {
    name: 'config get',
    summary: 'one value, or those of a group',
    args: [{ name: '<key>', meaning: 'e.g. maxIterations or checks.timeout', values: 'config-key' }],
    flags: [projectDir, json],
    examples: [
      ['ralph config get maxIterations', 'prints the number'],
      ['ralph config get circuit', 'a table of the settings of that group'],
    ],
    load: async () => (await import('../config.ts')).getConfig,
  },
  {
    name: 'config schema',
    summary: 'the JSON Schema of the configuration file',
    examples: [['ralph config schema > ralph.schema.json', 'for editors and checks']],
    load: async () => (await import('../config.ts')).configSchema,
  },
];
