import type { RawFlags } from '../shared/flags.ts';
import type { CommandSpec, FlagSpec } from '../table/spec.ts';

/** A command's arguments and flags, as commander gives them. */
export interface PlainLine {
  readonly args: readonly string[];
  readonly flags: RawFlags;
}

/**
 * The line of a command where there is only one way to read it: known flags by their whole name, values that look like
 * none, as many arguments as there may be. Null for everything else; then commander, which takes long to load, reads it
 * or says what is wrong.
 * @param words what stands behind the command's name
 */
export function plainLine(spec: CommandSpec, words: readonly string[]): PlainLine | null {
  const known = (spec.flags ?? []).map(plainFlag);
  const flags: Record<string, string | boolean | readonly string[]> = startingFlags(known);
  const args: string[] = [];
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (!word.startsWith('-')) {
      args.push(word);
      continue;
    }
    const [name, joined] = parted(word);
    const flag = known.find(({ names }) => names.includes(name));
    if (flag === undefined || flag.value === 'optional') return null;
    if (flag.value === 'none') {
      if (joined !== null) return null;
      flags[flag.key] = !flag.negates;
      continue;
    }
    const value = joined ?? rest.shift();
    if (value === undefined || value === '' || value.startsWith('-')) return null;
    const before = flags[flag.key];
    flags[flag.key] = flag.repeat ? [...(Array.isArray(before) ? before : []), value] : value;
  }
  return fits(spec, args.length) ? { args, flags } : null;
}

interface PlainFlag {
  /** `-n`, `--max-iterations` */
  readonly names: readonly string[];
  /** `maxIterations`; `branch` for `--no-branch`. */
  readonly key: string;
  readonly negates: boolean;
  readonly value: 'none' | 'required' | 'optional';
  readonly repeat: boolean;
}

function plainFlag({ flags, repeat }: FlagSpec): PlainFlag {
  const words = flags.split(/[ ,|]+/);
  const names = words.filter((word) => word.startsWith('-'));
  const long = names.findLast((name) => name.startsWith('--')) ?? '';
  const negates = long.startsWith('--no-');
  const key = long.slice(negates ? 5 : 2).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  const sign = words.find((word) => !word.startsWith('-'))?.[0];
  return {
    names,
    key,
    negates,
    value: sign === '<' ? 'required' : sign === '[' ? 'optional' : 'none',
    repeat: repeat === true,
  };
}

/** What can only be said no to is a yes until then. */
function startingFlags(known: readonly PlainFlag[]): Record<string, boolean> {
  const only = known.filter(
    ({ negates, key }, index) => negates && !known.slice(0, index).some((other) => other.key === key),
  );
  return Object.fromEntries(only.map(({ key }) => [key, true]));
}

/** `--story=US-1` → `--story`, `US-1`; short flags have no such form. */
function parted(word: string): readonly [name: string, value: string | null] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)];
}

function fits({ args = [] }: CommandSpec, given: number): boolean {
  const least = args.filter(({ name }) => name.startsWith('<')).length;
  const most = args.some(({ name }) => name.includes('...')) ? Number.POSITIVE_INFINITY : args.length;
  return given >= least && given <= most;
}
