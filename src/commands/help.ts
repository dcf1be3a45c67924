import { UsageError } from '../contracts/index.ts';
import { nearest } from '../rules/text/index.ts';
import { displayWidth, type Io, type Paint, padEnd, paintFor } from '../surfaces/terminal/index.ts';
import type { RawFlags } from './shared/flags.ts';
import { printLines } from './shared/print.ts';
import type { CommandSpec, CommandTable, FlagSpec, GroupSpec } from './table/spec.ts';

export async function help(words: readonly string[], _flags: RawFlags, io: Io, table: CommandTable): Promise<number> {
  printLines(io, manualText(manualOf(words, table), { columns: io.columns, paint: paintFor(io) }));
  return 0;
}

/** The page of a command, a group, or `ralph` itself. @throws UsageError naming the nearest match */
function manualOf(words: readonly string[], table: CommandTable): Manual {
  const { commands, groups } = table;
  const name = words.join(' ');
  if (name === '') return programManual(table);
  const spec = commands.find((one) => one.name === name || one.alias === name);
  if (spec) return commandManual(spec, table);
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

/** Flags under their headings, in order of first appearance; those without one come first. */
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
  return [name ?? [], synopsis, ...rest].flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
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
