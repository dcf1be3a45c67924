import { type CommandSpec, json, place, projectDir } from './spec.ts';

/** From an idea, or from another tool's files, to a backlog; and its archive when it is done. */
export const adopting: readonly CommandSpec[] = [
  {
    name: 'plan',
    summary: 'plan with the agent: a PRD and stories, written together and then judged',
    flags: [
      { flags: '--from <file>', meaning: 'a text to start from: notes, an issue, a specification', values: 'file' },
      {
        flags: '-a, --agent <name>',
        meaning: 'who plans (default: the first agent of the configuration)',
        values: 'agent',
      },
      ...place,
      json,
    ],
    examples: [
      ['ralph plan', 'asks until the specification is clear, then writes prd.md and the stories'],
      ['ralph plan --from notes.md', 'the same, from notes'],
    ],
    changesState: true,
    load: async () => (await import('../plan.ts')).plan,
  },
  {
    name: 'import',
    summary: "adopt another tool's backlog, a folder of it, or issues of GitHub: everything becomes stories",
    args: [
      { name: '<source>', meaning: 'a file, a folder, or gh:OWNER/REPO#LABEL', values: 'file' },
      { name: '[backlog]', meaning: 'of a folder that has several: the file with the stories', values: 'file' },
    ],
    flags: [
      { flags: '--dry-run', meaning: 'only say what was understood; works anywhere and writes nothing' },
      { flags: '--repair', meaning: 'mend JSON that does not parse, such as trailing commas, and say what was mended' },
      { flags: '--force', meaning: 'replace a backlog that has stories; the old one is kept beside it' },
      ...place,
      json,
    ],
    examples: [
      ['ralph import prd.json --dry-run', 'how many stories it has, how many are done, and what is doubtful'],
      ['ralph import scripts/ralph', 'stories, prompt, progress and settings of an older loop'],
      [
        'ralph import .chief .chief/prds/login/prd.json --prd 2',
        'one of the backlogs of a folder, with all that goes with it',
      ],
      ['ralph import gh:OWNER/REPO#ready', 'every open issue with that label, through gh'],
    ],
    load: async () => (await import('../import.ts')).importBacklog,
  },
  {
    name: 'trust',
    summary: 'what the configuration asks for that needs your trust: code, plugins, settings that weaken isolation',
    flags: [{ flags: '--yes', meaning: 'trust it without asking' }, projectDir, json],
    examples: [
      ['ralph trust', 'shows what is new since you last trusted it, and asks; exit 1 when it is not trusted'],
      ['ralph trust --yes', 'trusts it as it stands'],
    ],
    changesState: true,
    load: async () => (await import('../trust.ts')).trustHere,
  },
  {
    name: 'archive',
    summary: 'put a finished loop aside, with its evidence, and start the spec folder afresh',
    flags: [
      { flags: '--label <label>', meaning: 'name of the archive (default: the branch)' },
      { flags: '--force', meaning: 'also while stories are open' },
      { flags: '--dry-run', meaning: 'only say what would be written' },
      ...place,
      json,
    ],
    examples: [['ralph archive --label login', 'ralph-archive/<date>-login/, in one commit']],
    changesState: true,
    load: async () => (await import('../archive.ts')).archive,
  },
  {
    name: 'stream merge',
    summary: 'merge the work of a stream, here or as a pull request',
    description: [
      'Merges the branch of a stream into the one that it came from. The merged tree is made first and checked in a work tree of its own (`verifyCommands` of configuration and backlog, prepared and isolated as in a run); only then the branch moves, as a fast-forward where that is possible, and index and files with it where it is checked out. A conflict, a red check, or a file that is in the way: it says which, and nothing was changed. Several merges queue.',
      'By people only: agents are refused. Hooks of git do not run; pushing is yours.',
    ],
    args: [
      {
        name: '[streams...]',
        meaning: 'numbers of PRDs, or names (default: the spec folder that is found)',
        values: 'prd',
      },
    ],
    flags: [
      { flags: '--into <branch>', meaning: 'branch to merge into (default: the one that it came from)' },
      { flags: '--no-ff', meaning: 'a merge commit also where the branch could simply move on' },
      { flags: '--no-checks', meaning: 'merge without running the checks' },
      { flags: '--unfinished', meaning: 'also when stories are not done' },
      { flags: '--dry-run', meaning: 'only say what would happen; with --pr print title and text' },
      { flags: '--pr', meaning: 'push its branch and open a draft pull request with the evidence, through gh' },
      { flags: '--remote <name>', meaning: 'with --pr: where the branch is pushed to (default: origin)' },
      { flags: '--base <branch>', meaning: 'the same as --into', hidden: true },
      ...place,
      json,
    ],
    examples: [
      ['ralph stream merge 1', 'PRD-1 into the branch it came from, once the merged tree is green'],
      ['ralph stream merge 1 2 --no-ff', 'one after the other, each with a merge commit'],
      ['ralph stream merge --pr', 'a draft pull request: stories, checks, reviews, cost'],
    ],
    exits: [
      ['1', 'not merged: a conflict, a red check, or a file in the way'],
      ['4', 'a run is under way on one of the branches'],
    ],
    seeAlso: ['stream list', 'stream remove', 'docs/merge.md', 'docs/pull-requests.md'],
    changesState: true,
    load: async () => (await import('../stream/merge.ts')).mergeStreams,
  },
  {
    name: 'completion',
    summary: 'completions for a shell: commands, flags, values, and ids of this project',
    description: [
      'Prints a script that the shell sources. It asks `ralph` itself at the tabulator key, so that it stays right with later versions and knows stories, runs, rescues and questions of the project. Names that would need quotes in a shell are left out.',
      'bash: `ralph completion bash > ~/.local/share/bash-completion/completions/ralph`, or the line of the first example in ~/.bashrc. zsh: the script as `_ralph` in a folder of $fpath, or the line of the second in ~/.zshrc, after compinit. fish: as in the third. PowerShell: the last, in $PROFILE.',
    ],
    args: [
      { name: '<shell>', meaning: 'bash · zsh · fish · powershell', values: ['bash', 'zsh', 'fish', 'powershell'] },
    ],
    flags: [],
    examples: [
      [
        'ralph completion bash > ralph.bash',
        'to be sourced: eval "$(ralph completion bash)" in ~/.bashrc does it at once',
      ],
      ['ralph completion zsh > _ralph', 'in ~/.zshrc, without a file: source <(ralph completion zsh)'],
      ['ralph completion fish > ralph.fish', 'its place is ~/.config/fish/completions/ralph.fish'],
      ['ralph completion powershell', 'in $PROFILE: ralph completion powershell | Out-String | Invoke-Expression'],
    ],
    load: async () => (await import('../completion.ts')).completion,
  },
];

/** A row for the group of stories. */
export const waive: CommandSpec = {
  name: 'stories waive',
  summary: 'say that something a review found does not matter: no later review brings it back',
  args: [
    { name: '<id>', meaning: 'id of the story', values: 'story' },
    { name: '<finding>', meaning: 'as `ralph stories show` lists it, e.g. F-1a2b3c4d', values: 'finding' },
    { name: '[reason...]', meaning: 'why' },
  ],
  flags: [...place, json],
  examples: [['ralph stories waive US-003 F-1a2b3c4d out of scope', 'given to the next reviewer as settled']],
  changesState: true,
  load: async () => (await import('../stories/decide.ts')).waiveFinding,
};

/** A row for the group of settings. */
export const setConfig: CommandSpec = {
  name: 'config set',
  summary: 'change a setting in the configuration file of the project',
  description: [
    'Writes the JSON file that is there, else ralph.config.json; comments, order and formatting stay. A value that the setting does not take is refused, and nothing is written. A configuration that is code is left to you, with the line to write.',
    'A list is JSON, one entry a line, or, without blanks in it, with commas: CI,LANG.',
  ],
  args: [
    { name: '<key>', meaning: 'e.g. maxIterations or checks.timeout', values: 'config-key' },
    { name: '[value]', meaning: 'a word, a number, or JSON', values: 'config-value' },
  ],
  flags: [{ flags: '--unset', meaning: 'remove the setting, so that the default counts' }, projectDir, json],
  examples: [
    ['ralph config set maxCost 20', 'one run may cost 20 US dollars'],
    ['ralph config set maxCost --unset', 'no limit again'],
    ['ralph config set verifyCommands \'["npm test", "npm run lint"]\'', 'a list'],
    ['ralph config set models.byEstimate.S haiku', 'one of a setting that holds several by name'],
  ],
  files: [['ralph.config.json, .ralph/config.json', 'one of them; two are an error']],
  seeAlso: ['config list', 'docs/configuration.md'],
  changesState: true,
  load: async () => (await import('../config.ts')).setConfig,
};
