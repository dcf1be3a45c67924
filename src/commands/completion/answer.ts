import { oneLine } from '../../rules/text/index.ts';
import type { Io } from '../../surfaces/terminal/index.ts';
import type { RawFlags } from '../shared/flags.ts';
import { openProject, openWorkspace } from '../shared/open.ts';
import type { CommandSpec, CommandTable, FlagSpec, ValueKind } from '../table/spec.ts';
import { commands, groups } from '../table.ts';

/** A word that every shell takes unquoted; an agent with any other name has to be typed, and quoted, by a person. */
const PLAIN = /^[\p{L}\p{N}_./@][\p{L}\p{N}_.,:/@+=-]*$/u;

/** More would not help, and shells ask before they show a longer list. */
const MOST = 200;
const MOST_MEANING = 80;

/**
 * `ralph completion --complete -- WORD…`: what a shell's completion calls at the Tab key. Prints one candidate per
 * line, with a tab and its meaning; `:files` or `:folders` where the shell completes itself; nothing when nothing is
 * known.
 * @param argv all words after `ralph`, without those of this call itself; the last one is being typed
 */
export async function answerCompletion(words: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout.write((await linesFor(words, io)).map((line) => `${line}\n`).join(''));
  } catch {
    // No repository, or a broken backlog: no message belongs in the middle of a command line.
  }
  return 0;
}

async function linesFor(words: readonly string[], io: Io): Promise<readonly string[]> {
  const place = placeAt(words, { commands, groups });
  const { values, before, typed, args, flags } = place;
  if (values === 'file') return [':files'];
  if (values === 'folder') return [':folders'];
  const known = values === null ? [] : await candidatesFor(values, { args, flags, io });
  return [...place.words, ...known.filter(([word]) => PLAIN.test(word))]
    .filter(([word]) => word.startsWith(typed))
    .slice(0, MOST)
    .map((candidate) => lineOf(candidate, before));
}

function lineOf([word, meaning]: Candidate, before: string): string {
  const text = oneLine(meaning).slice(0, MOST_MEANING);
  return text === '' ? `${before}${word}` : `${before}${word}\t${text}`;
}

type Candidate = readonly [word: string, meaning: string];

interface Place {
  /** Words that are known without any lookup. */
  readonly words: readonly Candidate[];
  /** The kind of other values that fit there. */
  readonly values: ValueKind | null;
  /** The part of the last word before the part being completed: `--agent=`, `a,`. */
  readonly before: string;
  readonly typed: string;
  /** Arguments so far, and flags by their camelCase name. */
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, string>>;
}

const HELP: Candidate = ['--help', 'print this help'];

/**
 * Reads a command line up to the cursor.
 * @param words after `ralph`; the last one is being typed, and may be empty
 */
export function placeAt(words: readonly string[], table: CommandTable): Place {
  const typed = words.at(-1) ?? '';
  const done = words.slice(0, -1);
  const spec = commandOf(done, table);
  if (spec === null || done[0] === 'help') return atCommand(done[0] === 'help' ? done.slice(1) : done, typed, table);
  const inGroup = spec.name.includes(' ') && done[1] === spec.name.split(' ')[1];
  const place = atArguments(spec, done.slice(inGroup ? 2 : 1), typed);
  // `ralph stories` alone is a command, too; a word after it is a command of the group.
  if (inGroup || done.length !== 1 || typed.startsWith('-')) return place;
  return { ...place, words: [...atCommand(done, typed, table).words, ...place.words] };
}

function commandOf([first, second]: readonly string[], { commands, groups }: CommandTable): CommandSpec | null {
  const group = groups.find((one) => one.name === first);
  const named = (name: string) => commands.find((spec) => spec.name === name || spec.alias === name) ?? null;
  if (!group) return named(first ?? '');
  return (second === undefined ? null : named(`${first} ${second}`)) ?? named(`${group.name} ${group.default}`);
}

function atCommand(done: readonly string[], typed: string, { commands, groups }: CommandTable): Place {
  const [group] = done;
  const first = (spec: CommandSpec): Candidate[] => [
    [spec.name, spec.summary],
    ...(spec.alias ? [[spec.alias, spec.summary] as const] : []),
  ];
  const words: readonly Candidate[] =
    group === undefined
      ? [
          ...commands.filter((spec) => !spec.name.includes(' ')).flatMap(first),
          ...groups.map((one): Candidate => [one.name, one.summary]),
          ...(typed.startsWith('-') ? [HELP, ['--version', 'print the version'] as const] : []),
        ]
      : commands
          .filter((spec) => spec.name.startsWith(`${group} `))
          .map((spec): Candidate => [spec.name.slice(group.length + 1), spec.summary]);
  return { words: done.length > 1 ? [] : words, values: null, before: '', typed, args: [], flags: {} };
}

function atArguments(spec: CommandSpec, done: readonly string[], typed: string): Place {
  const { args, flags, open, onlyArgs } = read(spec, done);
  const common = { args, flags: Object.fromEntries(flags.map(([flag, value]) => [camelCase(flag), value])) };
  const [, name, value] = /^(--[a-z-]+)=(.*)$/s.exec(typed) ?? [];
  if (!onlyArgs && open === null && name !== undefined && value !== undefined) {
    return { ...common, ...valuePlace(flagNamed(spec, name)?.values, `${name}=`, value), words: [] };
  }
  if (open !== null && (needsValue(open) || !typed.startsWith('-'))) {
    return { ...common, ...valuePlace(open.values, '', typed), words: [] };
  }
  if (typed.startsWith('-') && !onlyArgs) {
    const used = flags.map(([flag]) => flag);
    const left = (spec.flags ?? []).filter((flag) => !flag.hidden && (flag.repeat || !used.includes(flag)));
    const words: readonly Candidate[] = [...left.map((flag): Candidate => [longOf(flag), flag.meaning]), HELP];
    return { ...common, words, values: null, before: '', typed };
  }
  const all = spec.args ?? [];
  const last = all.at(-1);
  const arg = all[args.length] ?? (last?.name.includes('...') ? last : undefined);
  return { ...common, ...valuePlace(arg?.values, '', typed), words: [] };
}

/** Comma-separated lists are completed at their last part. */
function valuePlace(values: ValueKind | undefined, before: string, typed: string) {
  const isList = values === 'agents' || values === 'stories';
  const at = isList ? typed.lastIndexOf(',') + 1 : 0;
  return { values: values ?? null, before: before + typed.slice(0, at), typed: typed.slice(at) };
}

interface Read {
  readonly args: readonly string[];
  readonly flags: readonly (readonly [FlagSpec, string])[];
  /** The flag whose value comes next. */
  readonly open: FlagSpec | null;
  /** After `--`. */
  readonly onlyArgs: boolean;
}

function read(spec: CommandSpec, words: readonly string[]): Read {
  const args: string[] = [];
  const flags: [FlagSpec, string][] = [];
  let open: FlagSpec | null = null;
  let onlyArgs = false;
  for (const word of words) {
    if (open !== null && (needsValue(open) || !word.startsWith('-'))) {
      flags.push([open, word]);
      open = null;
    } else if (word === '--') {
      onlyArgs = true;
      open = null;
    } else if (word.startsWith('-') && !onlyArgs) {
      const [name = '', ...value] = word.split('=');
      const flag = flagNamed(spec, name);
      open = flag !== null && value.length === 0 && /[<[]/.test(flag.flags) ? flag : null;
      if (flag !== null && open === null) flags.push([flag, value.join('=')]);
    } else {
      args.push(word);
    }
  }
  return { args, flags, open, onlyArgs };
}

function flagNamed(spec: CommandSpec, name: string): FlagSpec | null {
  return (spec.flags ?? []).find(({ flags }) => flags.split(/,? /).includes(name)) ?? null;
}

function needsValue({ flags }: FlagSpec): boolean {
  return flags.includes('<');
}

/** `-n, --max-iterations <n>` → `--max-iterations` */
function longOf({ flags }: FlagSpec): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}

function camelCase(flag: FlagSpec): string {
  return longOf(flag)
    .slice(2)
    .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

interface Line {
  readonly args: readonly string[];
  readonly flags: RawFlags;
  readonly io: Io;
}

/** Each opens only what it needs: a person waits for the answer at every key press. */
const SOURCES: Readonly<
  Record<
    Exclude<ValueKind, readonly string[] | 'file' | 'folder' | 'command'>,
    (line: Line) => Promise<readonly Candidate[]>
  >
> = {
  agent: agents,
  agents,
  backend: async () => (await import('../sandbox/ground.ts')).BACKEND_NAMES.map((name) => [name, '']),
  'config-key': async () => {
    const { settings } = await import('../../adapters/workspace/config/settings.ts');
    return settings().map(({ key, description }) => [key, description]);
  },
  'config-value': async ({ args }) => {
    const { valuesOf } = await import('../../adapters/workspace/config/settings.ts');
    return valuesOf(args[0] ?? '').map((value) => [value, '']);
  },
  finding: async ({ args, ...line }) => {
    const { readFindings } = await import('../../rules/backlog/reviews/reviews.ts');
    const { reviewsText = null } = (await documentOf(line)) ?? {};
    return readFindings(reviewsText, args[0] ?? '').map(({ id, claim }) => [id, claim]);
  },
  prd: async ({ flags, io }) => {
    const { list } = await import('../../platform/files/files.ts');
    const { repo } = await openProject(flags, io);
    const names = await list(`${repo.root}/.ralph`);
    return names.flatMap((name) => (/^PRD-\d+$/.test(name) ? [[name.slice(4), `.ralph/${name}`] as const] : []));
  },
  question: async ({ flags, io }) => {
    const { readLedger } = await import('../../adapters/workspace/records/ledger.ts');
    const { questionsOf } = await import('../../rules/safeguards/questions.ts');
    const { repo } = await openProject(flags, io);
    return questionsOf(await readLedger(repo.stateDir)).map(({ id, text }) => [id, text]);
  },
  rescue: async ({ flags, io }) => {
    const rescues = await (await openProject(flags, io)).rescues();
    return rescues.map(({ name, subject }) => [name, subject]);
  },
  run: async ({ flags, io }) => {
    const { listRuns } = await import('../../adapters/workspace/projects.ts');
    const runs = await listRuns((await openProject(flags, io)).repo.root);
    return runs.toReversed().map((run) => [run, '']);
  },
  story: async (line) => (await storiesOf(line)).map(({ id, title }) => [id, title]),
  stories: async (line) => (await storiesOf(line)).map(({ id, title }) => [id, title]),
};

/** Every value of this kind. @throws the reason why they cannot be determined */
async function candidatesFor(kind: ValueKind, line: Line): Promise<readonly Candidate[]> {
  if (typeof kind !== 'string') return kind.map((word) => [word, '']);
  if (kind === 'file' || kind === 'folder' || kind === 'command') return [];
  return SOURCES[kind](line);
}

async function agents(): Promise<readonly Candidate[]> {
  return (await import('../../adapters/agents/registry.ts')).AGENT_NAMES.map((name) => [name, '']);
}

async function storiesOf(line: Omit<Line, 'args'>) {
  return (await documentOf(line))?.backlog.stories ?? [];
}

async function documentOf({ flags, io }: Omit<Line, 'args'>) {
  const { readDocument } = await import('../../adapters/workspace/backlog/document.ts');
  const { workspace } = await openWorkspace(flags, io);
  return (await readDocument(workspace)).document;
}
