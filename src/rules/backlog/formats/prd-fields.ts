import { isCheckCommand, isCommandLine } from './check-command.ts';
import {
  type Fields,
  isEmpty,
  isFields,
  keyCalled,
  keyOf,
  membersCalled,
  NAMES,
  type Role,
  titleOf,
  valueCalled,
} from './prd-names.ts';

/** Names of keys whose values are typed into a shell. */
const COMMAND_KEY = /(?:commands?|cmds?|precommit|qualitychecks)$/;

export function fieldOf(fields: Fields, role: Role): unknown {
  const key = keyOf(fields, role);
  return key === null ? undefined : fields[key];
}

/** The description, with the steps if there are separate criteria. */
export function descriptionOf(fields: Fields): string {
  const key = keyOf(fields, 'description');
  const own = key === null || key === titleOf(fields)?.key ? '' : textOf(fields[key]);
  const steps = keyCalled(fields, 'steps');
  if (steps === undefined || steps === keyOf(fields, 'acceptanceCriteria') || isEmpty(fields[steps])) return own;
  const list = criteriaOf(fields[steps]).map((step) => `- ${step}`);
  return [own, ['Steps:', ...list].join('\n')].filter((part) => part !== '').join('\n\n');
}

/** The criteria, followed by verification that is not a command the loop could run. */
export function allCriteria(fields: Fields): readonly string[] {
  const criteria = criteriaOf(fieldOf(fields, 'acceptanceCriteria'));
  const prose = verificationOf(fields).prose.filter((text) => !criteria.includes(text));
  return prose.length === 0 ? criteria : [...criteria, ...prose];
}

interface Verification {
  readonly commands: readonly string[];
  /** Everything else, for people and agents to look at. */
  readonly prose: readonly string[];
  /** The part of the prose that stands under a key for commands. */
  readonly refused: readonly string[];
}

/** Cached, because each story's is requested several times. */
const known = new WeakMap<Fields, Verification>();

/**
 * Commands and prose, from every key for checks.
 * @param trustsKeys accept any shell line under a key for commands. Not for a story: it is never done while its own
 *   check is red, and what other tools write there (`grep`s for names, paths of a machine) often cannot turn green.
 */
export function verificationOf(fields: Fields, trustsKeys = false): Verification {
  const before = known.get(fields);
  if (before) return before;
  const verification = readVerification(fields, trustsKeys);
  known.set(fields, verification);
  return verification;
}

function readVerification(fields: Fields, trustsKeys: boolean): Verification {
  const commands = new Set<string>();
  const prose: string[] = [];
  const refused: string[] = [];
  for (const { name, value } of membersCalled(fields, NAMES.checks)) {
    const isTrusted = COMMAND_KEY.test(name);
    for (const entry of entriesOf(value)) {
      const { command, isWhole } = commandIn(entry.text, trustsKeys && (isTrusted || entry.isCommand));
      if (command !== null) commands.add(command);
      if (command !== null && isWhole) continue;
      if (!/\p{L}/u.test(entry.text)) continue;
      prose.push(entry.name === null ? entry.text : `${entry.name}: ${entry.text}`);
      if (command === null && isTrusted) refused.push(entry.text);
    }
  }
  const criteria = fieldOf(fields, 'acceptanceCriteria');
  for (const one of Array.isArray(criteria) ? criteria : []) {
    const said = isFields(one) ? valueCalled(one, 'testcommand') : undefined;
    const command = typeof said === 'string' ? commandIn(said, false).command : null;
    if (command !== null) commands.add(command);
  }
  return { commands: [...commands], prose, refused };
}

interface Entry {
  readonly text: string;
  readonly name: string | null;
  readonly isCommand: boolean;
}

/** Commands by name (`{"test": "npm test"}`) or in a list; flags such as `"verify": true` do not count. */
function entriesOf(value: unknown): readonly Entry[] {
  if (typeof value === 'boolean' || typeof value === 'number' || value === null) return [];
  const plain = (text: string): Entry => ({ text, name: null, isCommand: false });
  if (isFields(value)) {
    const texts = Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    if (texts.some(([, text]) => commandIn(text, false).command !== null)) {
      return texts.map(([name, text]) => ({ text: text.trim(), name, isCommand: false }));
    }
    return criteriaOf(value).map(plain);
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry): Entry[] => {
      const command = isFields(entry) ? valueCalled(entry, 'command', 'cmd') : undefined;
      if (typeof command !== 'string') return criteriaOf([entry]).map(plain);
      return [{ text: command, name: null, isCommand: true }];
    });
  }
  if (typeof value !== 'string') return [];
  return value.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [plain(line.trim())]));
}

/** The command that the text is, or that it contains as its only code; `isWhole` when it contains nothing else. */
function commandIn(text: string, isTrusted: boolean): { readonly command: string | null; readonly isWhole: boolean } {
  const [, before = '', code, after = ''] = /^([^`]*)`([^`]+)`([^`]*)$/.exec(text) ?? [];
  const command = (code ?? text).trim().replace(/^\$ /, '');
  const isWhole =
    code === undefined || (/^\W*(?:(?:run|verify|check|test)\W*)?$/i.test(before) && !/\p{L}/u.test(after));
  return isCheckCommand(command) || (isTrusted && isCommandLine(command))
    ? { command, isWhole }
    : { command: null, isWhole };
}

/** A text field: strings unchanged, lists one entry per line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(lineOf).join('\n') : '';
}

/** Criteria from any form: a list, a map of names, one text with a criterion on each line or between semicolons or commas. */
function criteriaOf(value: unknown): string[] {
  if (typeof value === 'string') return splitText(value);
  if (Array.isArray(value)) {
    return value
      .flatMap((entry) => (Array.isArray(entry) ? criteriaOf(entry) : [lineOf(entry)]))
      .filter((line) => line !== '');
  }
  if (!isFields(value)) return [];
  if (scenarioOf(value) !== null || textIn(value) !== null) return [lineOf(value)];
  return Object.entries(value).flatMap(([name, entry]) => {
    if (Array.isArray(entry)) return criteriaOf(entry);
    if (typeof entry === 'boolean' || entry === null) return [name];
    const line = lineOf(entry);
    // `AC1: text` adds nothing to the text; any other name is part of the criterion.
    return [/^[A-Za-z]{0,3}[-_]?\d+$/.test(name) ? line : `${name}: ${line}`];
  });
}

function splitText(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^\s*(?:[-*+\u2022]|\d+[.)])\s+(?:\[[ xX]\]\s+)?/, '').trim())
    .filter((line) => line !== '');
  const [only] = lines;
  if (only === undefined || lines.length > 1) return lines;
  const parts = separated(only, /\s*;\s+/) ?? separated(only, /,\s+(?:and\s+)?/);
  return parts ?? lines;
}

/** The parts of a line if each reads like a criterion: enough words, balanced brackets and quotes, no afterthought. */
function separated(line: string, separator: RegExp): string[] | null {
  if (/[.!?]\s+\S/.test(line)) return null;
  // Commas inside brackets do not separate.
  const masked = line.replace(/\([^()]*\)|\[[^\]]*\]|"[^"]*"|`[^`]*`/g, (span) => span.replace(/[,;]/g, '\u0000'));
  const parts = masked.split(separator).map((part) => part.trim());
  const commas = separator.source.startsWith(',');
  const reads = (part: string): boolean =>
    part.split(/\s+/).length >= 2 &&
    !/^(?:and|or|but|which|where|who|so|then|e\.g|i\.e|including|such|with|without|when|if|unless)\b/i.test(part) &&
    (part.match(/["(`]/g) ?? []).length % 2 === (part.match(/\)/g) ?? []).length % 2;
  if (parts.length < (commas ? 3 : 2) || !parts.every(reads)) return null;
  let at = 0;
  return parts.map((part) => {
    at = masked.indexOf(part, at);
    const whole = line.slice(at, at + part.length);
    at += part.length;
    return whole;
  });
}

/** One entry as one line: its text, its scenario, else its JSON. */
function lineOf(entry: unknown): string {
  if (typeof entry === 'string') return entry.trim();
  if (!isFields(entry)) return Array.isArray(entry) ? criteriaOf(entry).join('; ') : String(entry);
  const line = scenarioOf(entry) ?? textIn(entry)?.trim() ?? JSON.stringify(entry);
  const command = valueCalled(entry, 'testcommand');
  // The loop does not run it, but the agents that implement or review the story can.
  return typeof command !== 'string' || command.trim() === '' || isCheckCommand(command)
    ? line
    : `${line} (\`${command.trim().replace(/\s+/g, ' ')}\`)`;
}

function scenarioOf(fields: Fields): string | null {
  const parts = membersCalled(fields, ['given', 'when', 'then', 'and']).flatMap(({ name: word, value: said }) => {
    const value = textOf(said)
      .replace(/\s*\n\s*/g, ' and ')
      .trim();
    return value === '' ? [] : [value.toLowerCase().startsWith(`${word} `) ? value : `${word} ${value}`];
  });
  if (parts.length < 2) return null;
  const sentence = parts.join(', ');
  const name = textIn(fields);
  return `${name === null ? '' : `${name}: `}${sentence[0]?.toUpperCase()}${sentence.slice(1)}`;
}

function textIn(fields: Fields): string | null {
  const found = membersCalled(fields, NAMES.criterionText).find(
    ({ value }) => typeof value === 'string' && value.trim() !== '',
  );
  return found ? String(found.value) : null;
}
