import { isCheckCommand } from './check-command.ts';
import { type Fields, isFields, keyCalled } from './keys.ts';

/** A text field: strings as they are, lists joined by line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.map(lineOf).join('\n') : '';
}

/**
 * Criteria from whatever form they have: a list of strings, of objects or of lists, a map of names, one string with a
 * criterion on each line or between semicolons, or with commas that clearly separate a list.
 */
export function criteriaOf(value: unknown): string[] {
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
    // `AC1: text` says no more than the text; any other name is part of it.
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

/** The parts of a line if each reads like a criterion: words enough, no half brackets or quotes, no afterthought. */
function separated(line: string, separator: RegExp): string[] | null {
  if (/[.!?]\s+\S/.test(line)) return null;
  // Commas inside brackets belong to what is bracketed.
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
  const key = keyCalled(entry, 'testcommand');
  const command = key === undefined ? undefined : entry[key];
  // What the loop does not run itself, whoever works on the story or reviews it can.
  return typeof command !== 'string' || command.trim() === '' || isCheckCommand(command)
    ? line
    : `${line} (\`${command.trim().replace(/\s+/g, ' ')}\`)`;
}

/** Given/When/Then as one sentence. */
function scenarioOf(fields: Fields): string | null {
  const parts = ['given', 'when', 'then', 'and'].flatMap((word) => {
    const key = keyCalled(fields, word);
    const value =
      key === undefined
        ? ''
        : textOf(fields[key])
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
  for (const name of [
    'text',
    'description',
    'criterion',
    'criteria',
    'title',
    'name',
    'requirement',
    'condition',
    'content',
    'step',
    'action',
  ]) {
    const key = keyCalled(fields, name);
    const value = key === undefined ? null : fields[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
}
