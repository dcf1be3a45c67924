import { type CommandSpec, type CommandTable, type FlagSpec, longName, type ValueKind } from '../table/spec.ts';

export type Candidate = readonly [word: string, meaning: string];

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
    const words: readonly Candidate[] = [...left.map((flag): Candidate => [`--${longName(flag)}`, flag.meaning]), HELP];
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

function camelCase(flag: FlagSpec): string {
  return longName(flag).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
