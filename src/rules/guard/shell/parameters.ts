import type { ParameterExpansionPart, ParameterOperation, Word as WordNode } from 'unbash';
import type { Text } from '../api.ts';
import { couldMatch } from '../glob.ts';
import { concat, constant, EMPTY, isKnown, UNKNOWN_TEXT, unknownFrom } from '../words.ts';
import { lookUp, type Scope, type Value } from './frame.ts';

/** The value of a parameter (several values for `$@` and arrays); null when the text does not show it. */
export function valueOfParameter(scope: Scope, name: string): Value | null {
  if (name === '@' || name === '*') return scope.positional;
  if (name === '#') return [constant(String(scope.positional.length))];
  if (name === '0') return lookUp(scope, name) ?? [constant('bash')];
  if (/^[1-9]\d*$/.test(name)) {
    const value = scope.positional[Number(name) - 1];
    return value === undefined ? [] : [value];
  }
  return lookUp(scope, name);
}

/** Whether a parameter means a list of words: `$@`, `$*`, `${x[@]}`. */
export function isList(name: string, index: string | undefined): boolean {
  return name === '@' || name === '*' || index === '@' || index === '*';
}

/** Turns the operand of an expansion into text; runs the substitutions in it. */
type ExpandOperand = (word: WordNode) => Text;

/** The values of `${…}` after its operation. One value unless it is a list. */
export function expandParameter(part: ParameterExpansionPart, scope: Scope, expand: ExpandOperand): Value {
  const index = part.index === undefined ? undefined : expand(part.index).text;
  const list = isList(part.parameter, index);
  // `${!map[@]}` lists the keys, which are not kept.
  if (part.prefix === '!' && index !== undefined) return [UNKNOWN_TEXT];
  const keyed = index === undefined ? null : lookUp(scope, `${part.parameter}[${index}]`);
  const value = keyed ?? select(indirect(part, scope), list, index);
  if (part.prefix === '#') return [length(value, list)];
  if (list && value !== null && part.operation?.type === 'Slice') return elements(value, part, part.operation, expand);
  return part.operation === undefined ? (value ?? [UNKNOWN_TEXT]) : operate(part.operation, value, expand);
}

/** `${a[@]:1:2}`; `${@:1}` begins with the first parameter, as `${@:0}` with the name before it. */
function elements(
  value: Value,
  { parameter }: ParameterExpansionPart,
  { offset, length }: Extract<ParameterOperation, { type: 'Slice' }>,
  expand: ExpandOperand,
): Value {
  const shift = /^[@*]$/.test(parameter) ? 1 : 0;
  const from = Number(expand(offset).text) - shift;
  const count = length === undefined ? value.length : Number(expand(length).text);
  return Number.isInteger(from) && Number.isInteger(count)
    ? value.slice(from, from < 0 ? undefined : from + count)
    : value;
}

function indirect(part: ParameterExpansionPart, scope: Scope): Value | null {
  const value = valueOfParameter(scope, part.parameter);
  if (part.prefix !== '!') return value;
  const name = value?.[0];
  return name === undefined || !isKnown(name) ? null : valueOfParameter(scope, name.text);
}

function select(value: Value | null, list: boolean, index: string | undefined): Value | null {
  if (value === null || list) return value;
  // A key that is not known may be any of them.
  if (index !== undefined && !/^\d+$/.test(index)) return value;
  const element = value[Number(index ?? 0)];
  return element === undefined ? [] : [element];
}

function length(value: Value | null, list: boolean): Text {
  if (value === null) return UNKNOWN_TEXT;
  if (list) return constant(String(value.length));
  const only = value[0] ?? EMPTY;
  return isKnown(only) ? constant(String(only.text.length)) : UNKNOWN_TEXT;
}

function operate(operation: ParameterOperation, value: Value | null, expand: ExpandOperand): Value {
  if (operation.type === 'Default') return withDefault(operation.operator, value, () => expand(operation.operand));
  const change = textChange(operation, expand);
  return (value ?? [UNKNOWN_TEXT]).map((text) => (isKnown(text) ? change(text.text) : unknownFrom(text.from)));
}

/**
 * A variable that the text does not set counts as unset, so `${X:-rm}` is `rm`; `${X:+rm}` is read as `rm` unless X is
 * known to be empty. Both are the more dangerous reading. The operand is always expanded: it may run commands.
 */
function withDefault(operator: string, value: Value | null, operand: () => Text): Value {
  const other = operand();
  const empty = value?.every((text) => text.text === '');
  if (operator.endsWith('+')) return empty ? [EMPTY] : [other];
  if (value === null || value.length === 0) return [other];
  return empty && operator.startsWith(':') ? [other] : value;
}

function textChange(operation: ParameterOperation, expand: ExpandOperand): (text: string) => Text {
  switch (operation.type) {
    case 'Remove': {
      const pattern = expand(operation.operand).text;
      return (text) => constant(removeMatch(text, pattern, operation.operator));
    }
    case 'Replace': {
      const pattern = expand(operation.pattern).text;
      const replacement = expand(operation.replacement);
      return (text) => replaceMatches(text, pattern, replacement, operation.operator);
    }
    case 'Slice': {
      const offset = Number(expand(operation.offset).text);
      const count = operation.length === undefined ? undefined : Number(expand(operation.length).text);
      return (text) => slice(text, offset, count);
    }
    case 'CaseModification':
      return (text) => constant(changeCase(text, operation.operator));
    case 'Transform':
      return constant;
    default:
      return () => UNKNOWN_TEXT;
  }
}

function slice(text: string, offset: number, count: number | undefined): Text {
  if (!Number.isInteger(offset) || (count !== undefined && !Number.isInteger(count))) return UNKNOWN_TEXT;
  const from = offset < 0 ? Math.max(0, text.length + offset) : offset;
  if (count === undefined) return constant(text.slice(from));
  return constant(text.slice(from, count < 0 ? text.length + count : from + count));
}

function changeCase(text: string, operator: string): string {
  const change = operator.startsWith('^') ? (part: string) => part.toUpperCase() : (part: string) => part.toLowerCase();
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}

/** Patterns are tried at every length of a value: longer values stay unchanged. */
const LONGEST_SEARCHED = 500;

/** The limit for patterns with `*`, which are tried at every length from every position. */
const LONGEST_REPLACED = 24;

function removeMatch(text: string, pattern: string, operator: string): string {
  if (text.length > LONGEST_SEARCHED) return text;
  const longest = operator.length === 2;
  for (let step = 0; step <= text.length; step += 1) {
    const size = longest ? text.length - step : step;
    const atStart = operator.startsWith('#');
    const part = atStart ? text.slice(0, size) : text.slice(text.length - size);
    if (couldMatch(pattern, part)) return atStart ? text.slice(size) : text.slice(0, text.length - size);
  }
  return text;
}

function replaceMatches(text: string, pattern: string, replacement: Text, operator: string): Text {
  const longest = pattern.includes('*') ? LONGEST_REPLACED : LONGEST_SEARCHED;
  if (pattern === '' || text.length > longest) return constant(text);
  const pieces: Text[] = [];
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const size = matchSize(text, at, pattern);
    if (size === 0 || (operator === '/#' && at > 0) || (operator === '/%' && at + size < text.length)) continue;
    pieces.push(constant(text.slice(from, at)), replacement);
    from = at + size;
    at = from - 1;
    if (operator !== '//') break;
  }
  return concat([...pieces, constant(text.slice(from))]);
}

function matchSize(text: string, at: number, pattern: string): number {
  if (!/[*?[]/.test(pattern)) return text.startsWith(pattern, at) ? pattern.length : 0;
  // Without a `*` a pattern has one length: that of its name with each bracket as one character.
  const fixed = pattern.includes('*') ? null : pattern.replace(/\[[!^]?\]?[^\]]*\]/g, '?').length;
  for (let size = fixed ?? text.length - at; size > 0; size = fixed === null ? size - 1 : 0) {
    if (couldMatch(pattern, text.slice(at, at + size))) return size;
  }
  return 0;
}

/** The most words that one word expands to; a bomb like `{a,b}{a,b}…` is cut short. */
const MOST_WORDS = 128;

/** The most braces that are expanded in one word, and the longest such word; others stay unchanged. */
const MOST_BRACES = 12;
const LONGEST_WORD = 2_000;

/**
 * Brace expansion over the source text of a word, leaving quotes and substitutions unchanged: `a{b,c}` → `ab`, `ac`;
 * `{1..3}` → `1`, `2`, `3`. Returns the text itself when nothing expands.
 */
export function expandBraces(source: string): readonly string[] {
  let words: readonly string[] = [source];
  if (source.length > LONGEST_WORD) return words;
  for (let round = 0; round < MOST_BRACES; round += 1) {
    const next: string[] = [];
    for (const word of words) {
      if (next.length < MOST_WORDS) next.push(...expandFirst(word));
    }
    if (next.length === words.length) return words;
    words = next.slice(0, MOST_WORDS);
    if (words.length === MOST_WORDS) return words;
  }
  return words;
}

function expandFirst(source: string): readonly string[] {
  for (let open = nextBrace(source, 0); open >= 0; open = nextBrace(source, open + 1)) {
    const group = readGroup(source, open);
    if (group === null) continue;
    const head = source.slice(0, open);
    const tail = source.slice(group.end);
    return group.items.map((item) => head + item + tail);
  }
  return [source];
}

function nextBrace(source: string, from: number): number {
  for (let at = from; at < source.length; at = skipUnit(source, at)) {
    if (source[at] === '{') return at;
  }
  return -1;
}

function readGroup(source: string, open: number): { readonly items: readonly string[]; readonly end: number } | null {
  const items: string[] = [];
  let start = open + 1;
  let depth = 0;
  for (let at = open + 1; at < source.length; at = skipUnit(source, at)) {
    const char = source[at];
    if (char === '{') depth += 1;
    else if (char === ',' && depth === 0) {
      items.push(source.slice(start, at));
      start = at + 1;
    } else if (char === '}' && depth > 0) depth -= 1;
    else if (char === '}') {
      const last = source.slice(start, at);
      if (items.length > 0) return { items: [...items, last], end: at + 1 };
      const sequence = readSequence(last);
      return sequence === null ? null : { items: sequence, end: at + 1 };
    }
  }
  return null;
}

function readSequence(body: string): readonly string[] | null {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(body);
  if (match === null) return null;
  const [, first = '', last = '', step = '1'] = match;
  const letters = /[A-Za-z]/.test(first);
  if (letters !== /[A-Za-z]/.test(last)) return null;
  const from = letters ? (first.codePointAt(0) ?? 0) : Number(first);
  const to = letters ? (last.codePointAt(0) ?? 0) : Number(last);
  const stride = Math.max(1, Math.abs(Number(step))) * (to < from ? -1 : 1);
  const items: string[] = [];
  for (let value = from; stride > 0 ? value <= to : value >= to; value += stride) {
    if (items.length === MOST_WORDS) break;
    items.push(letters ? String.fromCodePoint(value) : String(value));
  }
  return items;
}

/** The position after the character, escape, quoted string or substitution that starts here. */
function skipUnit(source: string, at: number): number {
  const char = source[at];
  if (char === '\\') return at + 2;
  if (char === "'") return behind(source, "'", at + 1);
  if (char === '"') return behindDoubleQuotes(source, at + 1);
  if (char === '`') return behind(source, '`', at + 1);
  const next = source[at + 1];
  if (char === '$' && next === '{') return behindNesting(source, at + 1, '{', '}');
  if (char === '$' && next === '(') return behindNesting(source, at + 1, '(', ')');
  return at + 1;
}

function behind(source: string, mark: string, from: number): number {
  const end = source.indexOf(mark, from);
  return end < 0 ? source.length : end + 1;
}

function behindDoubleQuotes(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

function behindNesting(source: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === open) depth += 1;
    else if (source[at] === close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return source.length;
}
