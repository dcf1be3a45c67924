import { UsageError } from '../contracts/index.ts';
import { nearest } from '../rules/text/index.ts';
import { displayWidth, type Io, type Paint, padEnd, paintFor } from '../surfaces/terminal/index.ts';
import { isOn, type RawFlags } from './shared/flags.ts';
import { printLines } from './shared/print.ts';
import { type CommandSpec, type CommandTable, type FlagSpec, type GroupSpec, longName } from './table/spec.ts';

export async function help(words: readonly string[], flags: RawFlags, io: Io, table: CommandTable): Promise<number> {
  const manual = manualOf(words, table, isOn(flags, 'all') ? 'all' : 'short');
  printLines(io, manualText(manual, { columns: io.columns, paint: paintFor(io) }));
  return 0;
}

/** How much of a page: `short` leaves out what a first month does not need, and says so in its last line. */
export type Extent = 'short' | 'all';

/** The commands of a first month; the others are listed by `ralph --help --all`. */
const FIRST_MONTH = {
  Start: ['demo', 'plan', 'import', 'run', 'review'],
  Watch: ['status', 'monitor', 'dashboard'],
  Steer: ['steer', 'stop', 'stories'],
  'Look back': ['log', 'rescue'],
  Help: ['doctor'],
};

/** The page of a command, a group, or `ralph` itself. @throws UsageError naming the nearest match */
function manualOf(words: readonly string[], table: CommandTable, extent: Extent): Manual {
  const { commands, groups } = table;
  const name = words.join(' ');
  if (name === '') return programManual(table, extent);
  const spec = commands.find((one) => one.name === name || one.alias === name);
  if (spec) return commandManual(spec, table, extent);
  const group = groups.find((one) => one.name === name);
  if (group) return groupManual(group, table);
  const names = [
    ...commands.flatMap((one) => [one.name, ...(one.alias ? [one.alias] : [])]),
    ...groups.map((one) => one.name),
  ];
  const near = nearest(name, names);
  throw new UsageError({
    what: `there is no command '${name}'${near ? `. Did you mean ${near}?` : ''} (see: ralph --help)`,
  });
}

/** A page of the manual, independent of its form: terminal text or roff. */
export interface Manual {
  /** `ralph stories list` */
  readonly name: string;
  readonly summary: string;
  readonly synopsis: readonly string[];
  readonly sections: readonly Section[];
  /** The last line of a short page: how to see the rest. */
  readonly more?: string;
}

export interface Section {
  readonly heading: string;
  readonly paragraphs?: readonly string[];
  readonly terms?: readonly Term[];
  /** Terms on their own line, above their explanation. */
  readonly stacked?: true;
}

export type Term = readonly [term: string, meaning: string];

const HELP: Term = ['-h, --help', 'print this help'];

/** Heading for flags without a group. */
const OPTIONS = 'Options';

export const EXIT_CODES: readonly Term[] = [
  ['0', 'success; for a run: every story is done'],
  ['1', 'a run ended before all stories were done; or a bug'],
  ['2', 'wrong usage or configuration, an invalid file, or git refused'],
  ['3', 'the circuit breaker is open'],
  ['4', 'another run holds the lock'],
  ['5', "out of budget, or the provider's usage limit is reached"],
  ['6', 'only blocked stories are left'],
  ['7', 'the agent or its isolation is unavailable'],
  ['130, 143', 'interrupted (Ctrl-C), terminated'],
];

const ENVIRONMENT: readonly Term[] = [
  ['RALPH_*', 'each setting has a variable, e.g. RALPH_MAX_ITERATIONS (docs/configuration.md)'],
  ['RALPH_ROOT', 'project, if --project-dir is not given'],
  ['RALPH_DEBUG', '1 prints stack traces'],
  ['NO_COLOR, FORCE_COLOR', 'disable or force colours'],
];

const FILES: readonly Term[] = [
  ['ralph.config.json', 'settings of the project'],
  ['ralph/, .ralph/PRD-<number>/', 'spec folder: requirements, backlog, progress log, prompt'],
  ['.ralph/runs/', 'events and logs of runs'],
];

export function programManual(table: CommandTable, extent: Extent = 'all'): Manual {
  const all = topics(table);
  const shown = Object.entries(FIRST_MONTH).map(
    ([heading, names]): Section => ({
      heading,
      terms: names.flatMap((name) => all.filter(([term]) => term.split(',')[0] === name)),
    }),
  );
  const more = all.length - shown.flatMap(({ terms = [] }) => terms).length;
  const options: Section = {
    heading: OPTIONS,
    terms: [HELP, ['-V, --version', 'print the version'], ['--reset-circuit', 'same as `ralph circuit reset`']],
  };
  const examples: Section = {
    heading: 'Examples',
    terms: [
      ['ralph demo', 'see a whole run first'],
      ['ralph "Add a --json flag"', 'work on one sentence'],
      ['ralph plan', 'plan larger work with the agent'],
      ['ralph run', 'run the loop until every story is done'],
    ],
    stacked: true,
  };
  return {
    name: 'ralph',
    summary: 'run coding agents in a loop you can trust',
    synopsis: ['ralph "TASK" [options]', 'ralph [command] [options]'],
    sections: [
      {
        heading: 'Description',
        paragraphs: [
          'Runs a coding agent in a loop: one story at a time, with checks that ralph runs itself, a review by a fresh agent, and rollbacks that lose nothing.',
          'Without a command: the current state and what to do next. `ralph demo` shows a whole run, without a key or network access.',
        ],
      },
      ...(extent === 'short'
        ? [...shown, examples]
        : [
            { heading: 'Commands', terms: all },
            options,
            { heading: 'Exit status', terms: EXIT_CODES },
            { heading: 'Environment', terms: ENVIRONMENT },
            { heading: 'Files', terms: FILES },
            examples,
          ]),
    ],
    ...(extent === 'short' && {
      more: `${more} more commands, exit codes and variables: ralph --help --all. One command: ralph COMMAND --help`,
    }),
  };
}

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

export function commandManual(spec: CommandSpec, table: CommandTable, extent: Extent = 'all'): Manual {
  const { name, summary, description = [], args = [], exits = [], files = [], environment = [] } = spec;
  const all = (spec.flags ?? []).filter(({ hidden }) => hidden !== true);
  const everyday = extent === 'short' ? spec.everyday?.split(' ') : undefined;
  const flags = everyday === undefined ? all : all.filter((flag) => everyday.includes(longName(flag)));
  const sections: readonly Section[] = [
    { heading: 'Description', paragraphs: description },
    { heading: 'Arguments', terms: args.map((arg): Term => [arg.name, arg.meaning]) },
    ...flagSections(flags, everyday === undefined),
    ...(everyday === undefined
      ? [
          { heading: 'Exit status', terms: exits },
          { heading: 'Files', terms: files },
        ]
      : []),
    { heading: 'Environment', terms: environment },
    { heading: 'Examples', terms: spec.examples, stacked: true },
    { heading: 'See also', paragraphs: [seeAlso(spec, table).join(', ')].filter((text) => text !== '') },
  ];
  return {
    name: `ralph ${name}`,
    summary,
    synopsis: [name, ...otherNames(spec, table)].map((one) => `ralph ${one}${argText(spec)} [options]`),
    sections: sections.filter(({ paragraphs = [], terms = [] }) => paragraphs.length + terms.length > 0),
    ...(everyday && { more: `${all.length - flags.length} more options, and exit codes: ralph ${name} --help --all` }),
  };
}

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
function argText({ args = [] }: CommandSpec): string {
  return args.map(({ name }) => ` ${name}`).join('');
}

/** Flags under their headings, in order of first appearance, those without one first; a few need only one heading. */
function flagSections(flags: readonly FlagSpec[], isGrouped: boolean): readonly Section[] {
  const headingOf = ({ group = OPTIONS }: FlagSpec) => (isGrouped ? group : OPTIONS);
  const headings = [...new Set([OPTIONS, ...flags.map(headingOf)])];
  return headings.map((heading) => ({
    heading,
    terms: [
      ...flags.filter((flag) => headingOf(flag) === heading).map((flag): Term => [flag.flags, flag.meaning]),
      ...(heading === OPTIONS ? [HELP] : []),
    ],
  }));
}

/** The named commands, then the other commands of the group. */
function seeAlso({ name, seeAlso = [] }: CommandSpec, { commands }: CommandTable): readonly string[] {
  const [group] = name.split(' ');
  const siblings = commands.filter((spec) => spec.name !== name && spec.name.startsWith(`${group} `));
  const others = name.includes(' ') ? siblings.map((spec) => spec.name) : [];
  return [...new Set([...seeAlso, ...others])].map((one) => (one.includes('/') ? one : `ralph ${one}`));
}

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

interface TextView {
  /** The terminal's; lines are at most this wide where their words allow it. */
  readonly columns: number;
  readonly paint: Paint;
}

/** Longer lines are hard to read, however wide the terminal is. */
const MOST_COLUMNS = 100;
/** A wider term has its meaning on the next line. */
const MOST_TERM = 26;
const INDENT = 2;
const STACKED_INDENT = 6;

export function manualText(manual: Manual, { columns, paint }: TextView): readonly string[] {
  const width = Math.max(40, Math.min(columns, MOST_COLUMNS));
  const heading = (text: string) => paint('strong', text.toUpperCase());
  const sections: readonly Section[] = [
    { heading: 'Name', paragraphs: [`${manual.name} - ${manual.summary}`] },
    ...manual.sections,
  ];
  const [name, ...rest] = sections.map((section) => [heading(section.heading), ...sectionLines(section, width, paint)]);
  const synopsis = [heading('Synopsis'), ...manual.synopsis.map((line) => `${' '.repeat(INDENT)}${line}`)];
  const more = manual.more === undefined ? [] : [wrap(manual.more, width, 0)];
  return [name ?? [], synopsis, ...rest, ...more].flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function sectionLines({ paragraphs = [], terms = [], stacked }: Section, width: number, paint: Paint) {
  return [
    ...paragraphs.flatMap((text, at) => [...(at === 0 ? [] : ['']), ...wrap(text, width, INDENT)]),
    ...(stacked ? terms.flatMap((term) => stackedLines(term, width, paint)) : columnLines(terms, width, paint)),
  ];
}

function stackedLines([term, meaning]: Term, width: number, paint: Paint): readonly string[] {
  const [first = '', ...more] = commandLines(term, width - INDENT);
  const typed = [first, ...more.map((line) => `${' '.repeat(STACKED_INDENT - INDENT)}${line}`)];
  return [
    ...typed.map((line) => `${' '.repeat(INDENT)}${paint('accent', line)}`),
    ...wrap(meaning, width, STACKED_INDENT),
  ];
}

/** A command in lines that can be typed unchanged: broken between words, never within quotes. */
function commandLines(command: string, width: number): readonly string[] {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [command];
  const lines: string[] = [];
  const room = width - (STACKED_INDENT - INDENT) - CONTINUED.length;
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${word}`) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return displayWidth(command) <= width
    ? [command]
    : lines.map((line, at) => (at < lines.length - 1 ? line + CONTINUED : line));
}

const CONTINUED = ' \\';

/** Terms in one column, as wide as the widest of them within the limit. */
function columnLines(terms: readonly Term[], width: number, paint: Paint): readonly string[] {
  const fitting = terms.map(([term]) => displayWidth(term)).filter((one) => one <= MOST_TERM);
  const beside = INDENT + Math.max(0, ...fitting) + 2;
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...more] = wrap(meaning, width, beside);
    const fits = INDENT + displayWidth(term) + 2 <= beside;
    const shown = paint('accent', term);
    if (!fits) return [`${' '.repeat(INDENT)}${shown}`, first, ...more];
    const gap = padEnd('', beside - INDENT - displayWidth(term));
    return [`${' '.repeat(INDENT)}${shown}${gap}${first.trimStart()}`, ...more];
  });
}

/** A text in lines of at most `width` columns, `indent` of them blank; a longer word gets its own line. */
export function wrap(text: string, width: number, indent: number): readonly string[] {
  const margin = ' '.repeat(indent);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${word}`) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${margin}${word}`);
  }
  return lines;
}
