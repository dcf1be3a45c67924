import { type Fields, isFields, keyCalled } from './keys.ts';
import { DONE_KEYS } from './prd-list.ts';
import { type Standing, standingOf } from './status-words.ts';

/** A flag of a story and what it says. */
interface DoneFlag {
  /** Where its value is: one key, or the keys down to it (`status.state`, `fields.status.name`). */
  readonly path: readonly string[];
  readonly value: unknown;
  readonly standing: Standing;
}

/** `1` is a flag under these names; under others (`completed: 1`) it may be a count. */
const NUMBER_FLAGS = new Set(['passes', 'passed', 'done', 'isdone', 'checked', 'implemented', 'iscompleted']);
/** Flags only as true and false: as words they tell how something was found out. */
const BOOLEAN_FLAGS = new Set(['verified', 'fixed', 'live']);
/** How far a story is, where nothing else says that it is done. */
const PROGRESS_KEYS = ['progress', 'percentcomplete', 'percentdone', 'completionpercentage'];
/** What an object that stands in the place of a flag calls the word itself. */
const INNER_KEYS = ['state', 'status', 'done', 'isdone', 'passes', 'passed', 'completed', 'complete', 'value', 'name'];
/** What some trackers wrap the fields of a story in. */
const WRAPPER = 'fields';

/**
 * The flag that decides about a story: the first with a value that means something. Only `true` and words of
 * completion are done: an empty array, as some tools write, is not, whatever JavaScript thinks of it. An object is read
 * inside; what says nothing there is no flag, and neither is a list with something in it: both hold more than a mark.
 * Null when the story has no flag.
 */
export function doneFlag(fields: Fields): DoneFlag | null {
  let empty: DoneFlag | null = null;
  for (const name of DONE_KEYS) {
    const key = keyCalled(fields, name);
    if (key === undefined) continue;
    const value = fields[key];
    if (speaks(name, value)) return { path: [key], value, standing: standing(value) };
    if (isEmpty(value)) empty ??= { path: [key], value, standing: 'open' };
    else if (isFields(value)) {
      const inner = insideFlag(value);
      if (inner) return { ...inner, path: [key, ...inner.path] };
    }
  }
  return wrappedFlag(fields) ?? empty ?? progressFlag(fields);
}

function insideFlag(object: Fields): DoneFlag | null {
  for (const name of INNER_KEYS) {
    const key = keyCalled(object, name);
    if (key !== undefined && speaks(name, object[key])) {
      return { path: [key], value: object[key], standing: standing(object[key]) };
    }
  }
  return null;
}

function wrappedFlag(fields: Fields): DoneFlag | null {
  const key = keyCalled(fields, WRAPPER);
  const inner = key === undefined ? null : fields[key];
  const flag = isFields(inner) && keyCalled(inner, WRAPPER) === undefined ? doneFlag(inner) : null;
  return flag === null || key === undefined ? null : { ...flag, path: [key, ...flag.path] };
}

function progressFlag(fields: Fields): DoneFlag | null {
  for (const name of PROGRESS_KEYS) {
    const key = keyCalled(fields, name);
    const value = key === undefined ? undefined : fields[key];
    if (key === undefined) continue;
    if (typeof value === 'number') return { path: [key], value, standing: value === 100 ? 'done' : 'open' };
    if (typeof value === 'string' && /^\s*\d{1,3}\s*%\s*$/.test(value)) {
      return { path: [key], value, standing: standingOf(value) };
    }
  }
  return null;
}

function speaks(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return true;
  if (typeof value === 'string') return value.trim() !== '' && !BOOLEAN_FLAGS.has(name);
  return (value === 0 || value === 1) && NUMBER_FLAGS.has(name);
}

/** A place where a mark can be written without losing anything. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === '' || (isFields(value) && Object.keys(value).length === 0);
}

function standing(value: unknown): Standing {
  if (value === true || value === 1) return 'done';
  return typeof value === 'string' ? standingOf(value) : 'open';
}
