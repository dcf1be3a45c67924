import { applyEdits, modify } from 'jsonc-parser';
import { ConfigError, isObject, messageOf, type Problem, UsageError } from '../../../contracts/index.ts';
import { nearest } from '../../../rules/text/index.ts';
import { type ConfigFile, configIn } from './config-file.ts';
import { configProblems, haveIt, type Setting, settings, valueAt } from './settings.ts';

/** Where editors find the JSON Schema of a new file. */
const SCHEMA = 'https://unpkg.com/@ralph-loop/cli/schemas/config.schema.json';

/** The file to create when there is none. */
export const NEW_CONFIG_FILE = 'ralph.config.json';
const NEW_CONFIG = `{\n  "$schema": ${JSON.stringify(SCHEMA)}\n}\n`;

/** A configuration file with one setting changed. */
export interface ConfigEdit {
  readonly text: string;
  /** Its new value in the file; null when it was removed. */
  readonly value: unknown;
  /** Line of the setting, 1-based; null when it was removed. */
  readonly line: number | null;
  /** Problems of other settings in the file, present before and after. */
  readonly problems: readonly Problem[];
}

interface Change {
  /** Name of the file, for messages. */
  readonly file: string;
  /** Its content; null when there is no file. */
  readonly text: string | null;
  /** `checks.timeout`, or a member of a setting with several: `models.byEstimate.S`. */
  readonly key: string;
}

/**
 * Sets one setting in the text of a configuration file; comments, order and formatting stay unchanged. Pure.
 * @param word as a user typed it: the setting's own schema decides whether it is a number, a text or a list
 * @throws UsageError for an unknown key; ConfigError for a value that it does not accept, or invalid JSON
 */
export function withSetting({ file, text, key }: Change, word: string): ConfigEdit {
  const before = text ?? NEW_CONFIG;
  configIn(file, before);
  const setting = settingFor(key);
  const path = pathOf(setting, key);
  const tried = readings(word, key, isList(setting)).map((value) => edited({ file, text: before, path }, value));
  const good = tried.find(({ found }) => problemsAt(found, key).length === 0);
  if (good === undefined) throw badValue(setting, key, word, tried[0]?.found);
  return {
    text: good.text,
    value: good.value,
    line: good.found.lineOf(path),
    problems: configProblems(good.found, settings()),
  };
}

/**
 * Removes one setting, and groups that become empty; also an unknown setting, if it is in the file.
 * @returns null when it was not there
 * @throws UsageError for an unknown key that is not there; ConfigError for a text that is not JSON
 */
export function withoutSetting({ file, text, key }: Change): ConfigEdit | null {
  const there = text === null ? [] : longestPath(configIn(file, text).values, key);
  if (text === null || there === null || there.length === 0) {
    settingFor(key);
    return null;
  }
  let left = edited({ file, text, path: there }, undefined);
  for (let length = there.length - 1; length > 0; length--) {
    const group = there.slice(0, length);
    const value = valueAt(left.found.values, group);
    if (!isObject(value) || Object.keys(value).length > 0) break;
    left = edited({ file, text: left.text, path: group }, undefined);
  }
  return { text: left.text, value: null, line: null, problems: configProblems(left.found, settings()) };
}

/** The setting that a key names, or whose member it names. @throws UsageError with the nearest, or a group's members */
export function settingFor(key: string): Setting {
  const all = settings();
  const found =
    all.find((one) => one.key === key) ?? all.find((one) => holdsMembers(one) && key.startsWith(`${one.key}.`));
  if (found) return found;
  throw unknownSetting(
    key,
    all.map((one) => one.key),
  );
}

export function unknownSetting(key: string, known: readonly string[]): UsageError {
  // `checks` alone is a group of settings, not a typing error.
  const members = known.filter((one) => one.startsWith(`${key}.`));
  const near = nearest(key, known);
  const others = haveIt(key, known);
  const hint = others
    ? `: ${others}`
    : members.length > 0
      ? `; it holds ${members.join(', ')}`
      : near
        ? `; did you mean ${near}?`
        : '';
  return new UsageError({ what: `there is no setting '${key}'${hint}`, fix: ['`ralph config` lists them'] });
}

/** A setting whose values have names chosen by the user. */
function holdsMembers({ schema }: Setting): boolean {
  return schema.safeParse({}).success;
}

/** A setting that takes several texts. */
function isList({ schema }: Setting): boolean {
  return schema.safeParse(['text', 'other']).success;
}

/** The name of a member may contain dots: it is the rest of the key. */
function pathOf(setting: Setting, key: string): readonly string[] {
  return key === setting.key ? setting.path : [...setting.path, key.slice(setting.key.length + 1)];
}

function edited(
  { file, text, path }: { readonly file: string; readonly text: string; readonly path: readonly string[] },
  value: unknown,
) {
  const formattingOptions = { ...indentationOf(text), eol: text.includes('\r\n') ? '\r\n' : '\n' };
  const changed = applyEdits(text, modify(text, [...path], value, { formattingOptions }));
  return { text: changed, value, found: configIn(file, changed) };
}

/** The indentation of the file itself. */
function indentationOf(text: string): { readonly insertSpaces: boolean; readonly tabSize: number } {
  const [, margin = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return margin.startsWith('\t') ? { insertSpaces: false, tabSize: 1 } : { insertSpaces: true, tabSize: margin.length };
}

function problemsAt(file: ConfigFile, key: string): readonly Problem[] {
  const [first] = key.split('.', 1);
  return configProblems(file, settings()).filter(({ message }) => {
    const [, name = ''] = /'([^']*)'/.exec(message) ?? [];
    return name === key || name.startsWith(`${key}.`) || key.startsWith(`${name}.`) || (name === '' && first === key);
  });
}

function badValue(setting: Setting, key: string, word: string, tried: ConfigFile | undefined): ConfigError {
  const [problem] = tried ? problemsAt(tried, key) : [];
  return new ConfigError({
    what: problem?.message ?? `'${key}' cannot be '${word}'`,
    why: setting.description,
    fix: ['docs/configuration.md lists the values of every setting'],
  });
}

/** The path in `values` that a dotted key names, where names may contain dots; null when it is not there. */
function longestPath(values: unknown, key: string): readonly string[] | null {
  if (!isObject(values)) return null;
  if (Object.hasOwn(values, key)) return [key];
  for (const name of Object.keys(values)) {
    if (!key.startsWith(`${name}.`)) continue;
    const rest = longestPath(valueAt(values, [name]), key.slice(name.length + 1));
    if (rest !== null) return [name, ...rest];
  }
  return null;
}

/**
 * Possible meanings of a word, most likely first. Pure.
 * @param word as a user typed it for the setting `key`
 * @param list the setting takes several texts: as JSON, one per line, or separated by commas
 * @throws ConfigError for a word that begins as JSON but is invalid: no user means such a text literally
 */
function readings(word: string, key: string, list: boolean): readonly unknown[] {
  const trimmed = word.trim();
  if (trimmed === 'null') return [null];
  if (/^[[{"]/.test(trimmed)) return [jsonOf(trimmed, key, list)];
  const entries = list ? entriesOf(trimmed) : [trimmed];
  return [
    ...(/^-?\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed)] : []),
    ...(trimmed === 'true' || trimmed === 'false' ? [trimmed === 'true'] : []),
    ...(/^\$\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed.slice(1))] : []),
    ...(entries.length > 1 ? [entries] : []),
    trimmed,
    entries,
  ];
}

/** Commands contain blanks and may contain commas: commas separate names, but commands only with a blank after each. */
function entriesOf(text: string): readonly string[] {
  const parted = (by: RegExp | string) =>
    text
      .split(by)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (text.includes('\n')) return parted('\n');
  const names = parted(',');
  if (names.every((name) => !/\s/.test(name))) return names;
  return /["'`(){}[\]$\\]/.test(text) ? [text] : parted(/,\s+/);
}

function jsonOf(text: string, key: string, list: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [value, kind] = list
      ? [JSON.stringify(['one', 'two']), 'write a list like this:']
      : text.startsWith('{')
        ? [JSON.stringify({ name: 'value' }), 'write several values like this:']
        : [JSON.stringify(text), 'write such a text like this:'];
    throw new ConfigError({
      what: `'${key}' gets a value that looks like JSON but is not valid`,
      where: text,
      why: messageOf(error),
      fix: [`${kind} \`ralph config set ${key} '${value.replaceAll("'", "'\\''")}'\``],
    });
  }
}
