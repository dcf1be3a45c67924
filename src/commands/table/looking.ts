import { type CommandSpec, json, place, projectDir } from './spec.ts';

/** What this machine and these settings are like. */
export const looking: readonly CommandSpec[] = [
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
    load: async () => (await import('../doctor/doctor.ts')).doctor,
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
      { flags: '--backend <name>', meaning: 'only bwrap · container · sbx · srt' },
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
    summary: 'make what a backend needs: a virtual machine (sbx), an image, a home folder for logins',
    args: [{ name: '[backend]', meaning: 'bwrap · container · sbx · srt (default: the one that runs here take)' }],
    flags: [
      { flags: '--file <path>', meaning: 'container: build its image from this Containerfile' },
      { flags: '--yes', meaning: 'sbx: agree that no sandbox of this machine reaches a host that is not allowed' },
      ...place,
    ],
    examples: [
      ['ralph sandbox create', 'makes the home folder of the inside, and says how to log in there'],
      ['ralph sandbox create sbx --yes', 'the virtual machine of this project; minutes at the first time'],
    ],
    changesState: true,
    load: async () => (await import('../sandbox/create.ts')).createSandbox,
  },
  {
    name: 'sandbox shell',
    summary: 'a shell, or one command, in just what an agent would get; about 45 MB of memory each',
    args: [{ name: '[command...]', meaning: 'default: a shell' }],
    flags: [{ flags: '--backend <name>', meaning: 'bwrap · container · sbx · srt (default: as a run)' }, ...place],
    examples: [
      ['ralph sandbox shell', 'look around, or log an agent in'],
      ['ralph sandbox shell -- npm test', 'does it pass inside? its exit code comes through'],
    ],
    changesState: true,
    load: async () => (await import('../sandbox/shell.ts')).sandboxShell,
  },
  {
    name: 'sandbox remove',
    summary: 'delete what was made for a backend: its virtual machine, or its home folder with the logins in it',
    args: [{ name: '[backend]', meaning: 'bwrap · container · sbx · srt (default: the one that runs here take)' }],
    flags: [{ flags: '--yes', meaning: 'do it: logins and what was installed inside are lost' }, ...place],
    examples: [['ralph sandbox remove bwrap --yes', 'agents have to log in again']],
    changesState: true,
    load: async () => (await import('../sandbox/remove.ts')).removeSandbox,
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
    load: async () => (await import('../config/list.ts')).listConfig,
  },
  {
    name: 'config get',
    summary: 'one value',
    args: [{ name: '<key>', meaning: 'e.g. maxIterations or checks.timeout' }],
    flags: [projectDir, json],
    examples: [['ralph config get maxIterations', 'prints the number']],
    load: async () => (await import('../config/get.ts')).getConfig,
  },
  {
    name: 'config schema',
    summary: 'the JSON Schema of the configuration file',
    examples: [['ralph config schema > ralph.schema.json', 'for editors and checks']],
    load: async () => (await import('../config/schema.ts')).configSchema,
  },
];
