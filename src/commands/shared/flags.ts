import { UsageError } from '../../contracts/index.ts';
import { nearest } from '../../rules/text/index.ts';

/** Flags as given on the command line, by camelCase name; those not given are absent. */
export type RawFlags = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

interface PlaceFlags {
  readonly ralphDir?: string;
  readonly prd?: string;
  readonly projectDir?: string;
}

export function isOn(flags: RawFlags, name: string): boolean {
  return flags[name] === true;
}

export function textOf(flags: RawFlags, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

export function textsOf(flags: RawFlags, name: string): readonly string[] {
  const value = flags[name];
  return Array.isArray(value) ? value : [];
}

/** The parts of a flag whose value is a comma-separated list. */
export function namesOf(flags: RawFlags, name: string): readonly string[] | undefined {
  const text = textOf(flags, name);
  if (text === undefined) return undefined;
  const names = text.split(',').map((part) => part.trim());
  if (names.includes('')) throw badValue(name, text, 'names separated by commas, e.g. a,b');
  return names;
}

/** Is this argument a task, and not a misspelled command or number? Words of other scripts need no white space. */
export function isTask(text: string): boolean {
  return !text.startsWith('-') && (/\S\s+\S/.test(text) || /[^\p{ASCII}]/u.test(text));
}

/** A whole number of at least 1. @throws UsageError */
export function countOf(flags: RawFlags, name: string): number | undefined {
  const text = textOf(flags, name);
  return text === undefined ? undefined : parseCount(text, longName(name));
}

/** Reads a whole number of at least 1; `label` names the flag or argument in the error. @throws UsageError */
export function parseCount(text: string, label: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError({ what: `${label} must be a whole number of at least 1, got '${text}'` });
  }
  return Number(text);
}

/** An amount in US dollars, greater than zero. @throws UsageError */
export function dollarsOf(flags: RawFlags, name: string): number | undefined {
  const text = textOf(flags, name);
  if (text === undefined) return undefined;
  if (!/^\$?\d{1,9}(\.\d+)?$/.test(text) || Number(text.replace('$', '')) <= 0) {
    throw badValue(name, text, 'an amount in US dollars, e.g. 5 or 0.50');
  }
  return Number(text.replace('$', ''));
}

/** A value from a short list. @throws UsageError naming the nearest valid one */
export function choiceOf<const T extends string>(flags: RawFlags, name: string, choices: readonly T[]): T | undefined {
  const text = textOf(flags, name);
  if (text === undefined) return undefined;
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  const near = nearest(text, choices);
  throw badValue(name, text, `${choices.join(', ')}${near ? ` (did you mean ${near}?)` : ''}`);
}

export function placeOf(flags: RawFlags): PlaceFlags {
  return given({
    ralphDir: textOf(flags, 'ralphDir'),
    prd: textOf(flags, 'prd'),
    projectDir: textOf(flags, 'projectDir'),
  });
}

/** The same object without its undefined fields: "not given" differs from "given as undefined". */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** The port that a flag names; null when none was given. @throws UsageError */
export function portOf(flags: RawFlags, name: string): number | null {
  const text = textOf(flags, name);
  if (text === undefined) return null;
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw badValue(name, text, 'a port: 0 to 65535');
  return Number(text);
}

/** `maxIterations` → `--max-iterations`. */
function longName(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

export function badValue(name: string, text: string, accepted: string): UsageError {
  return new UsageError({ what: `${longName(name)} does not take '${text}'; accepted: ${accepted}` });
}

/** The flags with the number given as an argument, which names the spec folder. @throws UsageError */
export function placed(flags: RawFlags, number: string | undefined): RawFlags {
  if (number === undefined) return flags;
  const prd = String(parseCount(number.replace(/^PRD-/i, ''), 'the number of the PRD'));
  const other = textOf(flags, 'prd');
  if (other === undefined || other === prd) return { ...flags, prd };
  throw new UsageError({ what: `--prd ${other} and ${prd} name different spec folders`, fix: ['use one of them'] });
}

/** For a name that is none of `known`, with the nearest of them. */
export function unknownName(what: string, name: string, known: readonly string[], fix: readonly string[]): UsageError {
  const near = nearest(name, known);
  return new UsageError({ what: `there is no ${what} '${name}'${near ? `; did you mean ${near}?` : ''}`, fix });
}
