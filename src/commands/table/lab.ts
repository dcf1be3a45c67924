import { arg, type CommandSpec, flag, isolation, json, limit, projectDir, work } from './spec.ts';

/** Which agent, model and prompt finishes work in this repository. */
export const lab: readonly CommandSpec[] = [
  {
    name: 'lab mine',
    summary: "find commits in this repository's history that can serve as tasks for agents",
    description: [
      'Looks for commits that changed code and tests together, and tries each in a clean room: its tests must fail on the tree before it and pass on the tree after it, every time. Each commit that passes becomes a task: the tree before it, a story made from its message, and its tests, which the agent does not see.',
      'Tasks are in `tasks.json` of the lab, beside the git objects; edit the stories there. Each commit is tried only once, so an interrupted search continues where it stopped.',
    ],
    args: [arg('[range]', 'commits, as git names them (default: HEAD)')],
    flags: [
      flag('--limit <n>', 'newest commits to look at (default: 200)'),
      flag('--repeat <n>', 'how often to run the tests on each tree, to find flaky tests (default: 3)'),
      flag('--parallel <n>', 'commits to try at the same time, each in its own clean room (default: 1)'),
      { ...flag('--check <command>', 'command that judges (default: `verifyCommands`, else found)'), repeat: true },
      flag('--again', 'try dropped commits again'),
      projectDir,
      json,
    ],
    examples: [
      ['ralph lab mine --limit 50', 'tries the newest 50 commits'],
      ['ralph lab mine v1.0..main --check "npm test"', 'a range, judged by one command'],
    ],
    exits: [
      ['1', 'no task was found'],
      ['4', 'it already runs in this repository'],
      ['7', 'there is no clean room'],
    ],
    files: [['.git/ralph/lab/', 'tasks, results and attempts']],
    seeAlso: ['docs/lab.md'],
    load: async () => (await import('../lab/mine.ts')).mineHistory,
  },
  {
    name: 'lab run',
    summary: 'let agents try the tasks that were mined, and judge what they did',
    description: [
      'Each attempt is an ordinary run in a repository of its own, outside of this one, with a single commit: the code before the task. Then the hidden tests of the commit judge what was accepted, in the clean room.',
      'Attempts of all arms take turns. Each result is kept at once: after Ctrl-C or a crash the same command continues, and attempts that failed because of the provider are repeated.',
    ],
    flags: [
      flag('--agents <names>', 'agents, optionally with a model each: claude:opus,codex (default: as configured)'),
      flag('--prompts <files>', 'prompt templates; default is the built-in one (default: default)'),
      flag('--review <how>', 'on, off or both (default: as configured)', ['on', 'off', 'both']),
      work('--tasks <what>', 'the first N tasks, or ids separated by commas (default: all)'),
      work('--repeat <n>', 'attempts of each arm at each task (default: 1)'),
      limit(
        '--max-cost <usd>',
        'start no more attempts once these arms have cost this much, including earlier attempts',
      ),
      flag('--parallel <n>', 'attempts at a time (default: 1)'),
      isolation(
        '--sandbox [backend]',
        'backend: bwrap, container, sbx or srt; isolation is always required',
        'backend',
      ),
      isolation('--no-sandbox', 'without isolation: agents could find the solutions'),
      flag('--dry-run', 'only show the attempts that are left'),
      projectDir,
      json,
    ],
    examples: [
      ['ralph lab run --agents claude:opus,codex --max-cost 20', 'both on every task'],
      ['ralph lab run --prompts default,mine.md --tasks 10 --repeat 3', 'two prompts, ten tasks, three times each'],
      ['ralph lab run --agents scripted:perfect,scripted:careless', 'a rehearsal, without any key'],
    ],
    exits: [
      ['1', 'attempts were skipped because their agent is unavailable'],
      ['5', '--max-cost is spent'],
    ],
    seeAlso: ['run', 'docs/lab.md'],
    load: async () => (await import('../lab/run.ts')).labRun,
  },
  {
    name: 'lab report',
    summary: 'compare the arms that were tried: solved tasks, cost, time, what failed',
    description: [
      'An arm is an agent, a model and a prompt, with or without review. Prints a table, and writes report.html and report.md beside the results, in `.git/ralph/lab/`.',
      'Two arms are compared on the tasks that both tried; where no difference is shown, the report says so.',
    ],
    flags: [
      flag(
        '-o, --output <file>',
        'write only this file: Markdown if it ends with .md, else HTML; - for stdout',
        'file',
      ),
      projectDir,
      json,
    ],
    examples: [
      ['ralph lab report', 'table, page and Markdown'],
      ['ralph lab report --output lab.md', 'for a pull request'],
    ],
    seeAlso: ['lab suggest', 'docs/lab.md'],
    load: async () => (await import('../lab/report.ts')).labReport,
  },
  {
    name: 'lab suggest',
    summary: 'suggest agent, model, prompt and review from the results of the lab',
    description: [
      'Suggests the cheapest arm that solves about as much as the best one and was not shown to be worse than any, and prints the commands that set it. With fewer than two arms on 10 tasks each it suggests nothing.',
    ],
    args: [arg('[arm]', 'another arm, by its name or its number in the table')],
    flags: [flag('--apply', 'ask, then change the configuration'), projectDir, json],
    examples: [
      ['ralph lab suggest', 'shows evidence and commands, changes nothing'],
      ['ralph lab suggest --apply', 'asks before it sets agent, model and review'],
      ['ralph lab suggest codex', 'what it takes to use this arm'],
    ],
    exits: [['1', 'nothing to suggest, or you declined the suggestion']],
    seeAlso: ['lab report', 'config set', 'docs/lab.md'],
    load: async () => (await import('../lab/suggest.ts')).labSuggest,
  },
];
