import type { SimpleCommand, Word } from './api.ts';
import { valueOptions } from './values.ts';

/*
 * How option names are written here: `r` is a short option (`-r`, also in a cluster as `-rf`), `recursive` a long one
 * (`--recursive`, `--recursive=x`, and the abbreviations that GNU programs accept, `--recurs`), `-delete` a long one
 * with a single dash (`-delete`, `-delete=x`).
 */

export function textsOf(words: readonly Pick<Word, 'text'>[]): readonly string[] {
  return words.map(({ text }) => text);
}

/** Whether an argument, option or not, matches a pattern. */
export function hasWord({ args }: Pick<SimpleCommand, 'args'>, pattern: RegExp): boolean {
  return args.some(({ text }) => pattern.test(text));
}

/** Whether one of these options is given before `--`. See above for their notation. */
export function hasFlag(command: Pick<SimpleCommand, 'args'>, ...names: readonly string[]): boolean {
  return optionWords(command.args).some(
    ({ text }) => looksLikeOption(text) && names.some((name) => isOption(text, name)),
  );
}

/** A program with its words; `git-push` with what follows `git push`. */
export interface Call {
  readonly name?: string;
  readonly args: readonly Word[];
}

/**
 * The words that are not options, nor the values of options: subcommands, files, patterns. Everything after `--` is
 * included.
 */
export function operands(command: Call): readonly Word[] {
  const valueFlags = valueOptions(command.name ?? '');
  const found: Word[] = [];
  let rest = false;
  for (let at = 0; at < command.args.length; at += 1) {
    const word = command.args[at];
    if (word === undefined) continue;
    if (rest || !looksLikeOption(word.text)) found.push(word);
    else if (word.text === '--') rest = true;
    else if (takesNext(word.text, valueFlags)) at += 1;
  }
  return found;
}

/** The words after the leading options and their values: a subcommand and what follows. */
export function wordsBehind({ name = '', args: words }: Call): readonly Word[] {
  const valueFlags = valueOptions(name);
  for (let at = 0; at < words.length; at += 1) {
    const text = words[at]?.text ?? '';
    if (text === '--') return words.slice(at + 1);
    if (!looksLikeOption(text)) return words.slice(at);
    if (takesNext(text, valueFlags)) at += 1;
  }
  return [];
}

/** The value of the first of these options: `--name=v`, `--name v`, `-nv`, `-n v`, `-xn v`; null without one. */
export function optionValue(command: Pick<SimpleCommand, 'args'>, ...names: readonly string[]): Word | null {
  return optionValues(command, ...names)[0] ?? null;
}

export function optionValues(command: Pick<SimpleCommand, 'args'>, ...names: readonly string[]): readonly Word[] {
  const words = optionWords(command.args);
  return words.flatMap((word, at) => {
    if (!looksLikeOption(word.text)) return [];
    for (const name of names) {
      const attached = attachedValue(word, name);
      if (attached !== null) return [attached];
      const next = command.args[at + 1];
      if (takesNextWord(word.text, name) && next !== undefined) return [next];
    }
    return [];
  });
}

/** What `grep` looks for. */
export function searchPattern(command: Call): Word | null {
  return optionValue(command, 'e', 'regexp') ?? operands(command)[0] ?? null;
}

function optionWords(args: readonly Word[]): readonly Word[] {
  const end = args.findIndex((word) => word.text === '--');
  return end < 0 ? args : args.slice(0, end);
}

function looksLikeOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}

const SHORTEST_ABBREVIATION = 3;

function isOption(text: string, name: string): boolean {
  if (name.startsWith('-')) return text === name || text.startsWith(`${name}=`);
  if (name.length === 1) return /^-[A-Za-z0-9]/.test(text) && clusterOf(text).includes(name);
  const given = text.split('=', 1)[0] ?? '';
  if (given === `--${name}`) return true;
  return given.length >= SHORTEST_ABBREVIATION + 2 && `--${name}`.startsWith(given);
}

function clusterOf(text: string): string {
  return /^-([A-Za-z0-9]+)/.exec(text)?.[1] ?? '';
}

/** In a cluster the first option with a value has the rest of the word, if there is one: `-DskipTests`, `-Cdir`. */
function takesNext(text: string, names: readonly string[]): boolean {
  if (names.includes(text)) return true;
  if (text.startsWith('--')) return names.some((name) => takesNextWord(text, name));
  const first = [...clusterOf(text)].findIndex((letter) => names.includes(letter));
  return first >= 0 && first === text.length - 2;
}

/** Whether an option in this spelling has its value in the next word. */
function takesNextWord(text: string, name: string): boolean {
  if (name.startsWith('-')) return text === name;
  if (name.length === 1) return /^-[A-Za-z0-9]+$/.test(text) && text.endsWith(name);
  return !text.includes('=') && isOption(text, name);
}

function attachedValue(word: Word, name: string): Word | null {
  const { text } = word;
  const equals = text.indexOf('=');
  if (name.length > 1) return equals > 0 && isOption(text, name) ? { ...word, text: text.slice(equals + 1) } : null;
  if (!text.startsWith(`-${name}`) || text.length === 2) return null;
  return { ...word, text: text.slice(text[2] === '=' ? 3 : 2) };
}
