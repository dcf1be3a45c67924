import type { CommandSpec, CommandTable, FlagSpec, GroupSpec } from '../table/spec.ts';

/** A page of the manual, apart from how it is shown: in a terminal, as roff. */
export interface Manual {
  /** `ralph stories list` */
  readonly name: string;
  readonly summary: string;
  /** What can be typed, one line each. */
  readonly synopsis: readonly string[];
  readonly sections: readonly Section[];
}

export interface Section {
  readonly heading: string;
  readonly paragraphs?: readonly string[];
  /** What is explained, and its explanation. */
  readonly terms?: readonly Term[];
  /** Terms that stand on a line of their own, above their explanation. */
  readonly stacked?: true;
}

export type Term = readonly [term: string, meaning: string];

const HELP: Term = ['-h, --help', 'print this help'];

/** Flags without a group of their own. */
const OPTIONS = 'Options';

/** Exit codes of every command, for the manual and the page of all commands. */
export const EXIT_CODES: readonly Term[] = [
  ['0', 'done; of a run: every story is complete'],
  ['1', 'a run ended without completing; or a bug'],
  ['2', 'usage, configuration, an unusable file, or a refusal by git'],
  ['3', 'the circuit breaker is open'],
  ['4', 'another run holds the lock'],
  ['5', "a budget is spent, or a provider's usage limit ended the run"],
  ['6', 'only blocked stories are left'],
  ['7', 'the agent or its isolation is unavailable'],
  ['130, 143', 'interrupted (Ctrl-C), terminated'],
];

const ENVIRONMENT: readonly Term[] = [
  ['RALPH_*', 'every setting has a variable: RALPH_MAX_ITERATIONS, RALPH_CHECKS_TIMEOUT …; docs/configuration.md'],
  ['RALPH_ROOT', 'the project, where --project-dir is not given'],
  ['RALPH_DEBUG', '1 adds the stack to an error'],
  ['NO_COLOR, FORCE_COLOR', 'no colours; colours also where the output is no terminal'],
];

const FILES: readonly Term[] = [
  ['ralph.config.json', 'settings of the project; `ralph config set` writes it'],
  ['ralph/, .ralph/PRD-<number>/', 'a spec folder: requirements, backlog, progress log, prompt'],
  ['.ralph/runs/', 'events and logs of every run'],
];

/** The manual of `ralph` itself. Pure. */
export function programManual(table: CommandTable): Manual {
  return {
    name: 'ralph',
    summary: 'run coding agents in a loop you can trust',
    synopsis: ['ralph [command] [options]'],
    sections: [
      {
        heading: 'Description',
        paragraphs: [
          'A loop around a coding agent: one story at a time, checks that really run, a review with fresh eyes, and a rollback that loses nothing.',
          'Without a command: where things stand and the next sensible command. `ralph demo` shows a whole run, without key and network.',
        ],
      },
      { heading: 'Commands', terms: topics(table) },
      {
        heading: OPTIONS,
        terms: [HELP, ['-V, --version', 'print the version'], ['--reset-circuit', 'the same as `ralph circuit reset`']],
      },
      { heading: 'Exit status', terms: EXIT_CODES },
      { heading: 'Environment', terms: ENVIRONMENT },
      { heading: 'Files', terms: FILES },
      {
        heading: 'Examples',
        terms: [
          ['ralph demo', 'see it work first'],
          ['ralph init --name login', 'a spec folder for new work'],
          ['ralph run', 'the loop, until every story is done'],
        ],
        stacked: true,
      },
    ],
  };
}

/** The manual of a group: what its commands are. Pure. */
export function groupManual(group: GroupSpec, { commands }: CommandTable): Manual {
  const members = commands.filter((spec) => spec.name.startsWith(`${group.name} `));
  return {
    name: `ralph ${group.name}`,
    summary: group.summary,
    synopsis: [`ralph ${group.name} [command] [options]`],
    sections: [
      {
        heading: 'Description',
        paragraphs: [`\`ralph ${group.name}\` alone is \`ralph ${group.name} ${group.default}\`.`],
      },
      {
        heading: 'Commands',
        terms: members.map((spec) => [`${spec.name.slice(group.name.length + 1)}${argText(spec)}`, spec.summary]),
      },
      { heading: OPTIONS, terms: [HELP] },
      { heading: 'Examples', terms: members.flatMap((spec) => spec.examples.slice(0, 1)), stacked: true },
    ],
  };
}

/** The manual of a command. Pure. */
export function commandManual(spec: CommandSpec, table: CommandTable): Manual {
  const { name, summary, description = [], args = [], exits = [], files = [], environment = [] } = spec;
  const sections: readonly Section[] = [
    { heading: 'Description', paragraphs: description },
    { heading: 'Arguments', terms: args.map((arg): Term => [arg.name, arg.meaning]) },
    ...flagSections(spec.flags ?? []),
    { heading: 'Exit status', terms: exits },
    { heading: 'Files', terms: files },
    { heading: 'Environment', terms: environment },
    { heading: 'Examples', terms: spec.examples, stacked: true },
    { heading: 'See also', paragraphs: [seeAlso(spec, table).join(', ')].filter((text) => text !== '') },
  ];
  return {
    name: `ralph ${name}`,
    summary,
    synopsis: [name, ...otherNames(spec, table)].map((one) => `ralph ${one}${argText(spec)} [options]`),
    sections: sections.filter(({ paragraphs = [], terms = [] }) => paragraphs.length + terms.length > 0),
  };
}

/** Every page there is, in the order of the help. Pure. */
export function allManuals(table: CommandTable): readonly Manual[] {
  return [
    programManual(table),
    ...table.groups.map((group) => groupManual(group, table)),
    ...table.commands.map((spec) => commandManual(spec, table)),
  ];
}

/** An alias, and the name of a group for its default command. */
export function otherNames({ name, alias }: CommandSpec, { groups }: CommandTable): readonly string[] {
  const group = groups.find((one) => name === `${one.name} ${one.default}`);
  return [...(alias ? [alias] : []), ...(group ? [group.name] : [])];
}

/** ` <id> [paths...]` */
export function argText({ args = [] }: CommandSpec): string {
  return args.map(({ name }) => ` ${name}`).join('');
}

/** Flags under their headings, in the order in which those come first; those without one are first. */
function flagSections(flags: readonly FlagSpec[]): readonly Section[] {
  const shown = flags.filter(({ hidden }) => hidden !== true);
  const headings = [...new Set([OPTIONS, ...shown.map(({ group = OPTIONS }) => group)])];
  return headings.map((heading) => ({
    heading,
    terms: [
      ...shown.filter(({ group = OPTIONS }) => group === heading).map((flag): Term => [flag.flags, flag.meaning]),
      ...(heading === OPTIONS ? [HELP] : []),
    ],
  }));
}

/** What was named, then the other commands of the group. */
function seeAlso({ name, seeAlso = [] }: CommandSpec, { commands }: CommandTable): readonly string[] {
  const [group] = name.split(' ');
  const siblings = commands.filter((spec) => spec.name !== name && spec.name.startsWith(`${group} `));
  const others = name.includes(' ') ? siblings.map((spec) => spec.name) : [];
  return [...new Set([...seeAlso, ...others])].map((one) => (one.includes('/') ? one : `ralph ${one}`));
}

/** Commands and groups, each once. */
function topics({ commands, groups }: CommandTable): readonly Term[] {
  const names = [...new Set(commands.map((spec) => spec.name.split(' ')[0] ?? ''))];
  return names.map((name) => {
    const spec = commands.find((one) => one.name === name);
    return [
      spec?.alias ? `${name}, ${spec.alias}` : name,
      spec?.summary ?? groups.find((one) => one.name === name)?.summary ?? '',
    ];
  });
}
