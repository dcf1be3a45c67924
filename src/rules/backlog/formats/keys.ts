/** An object of a JSON document. */
export type Fields = Readonly<Record<string, unknown>>;

/** Folding is most of the work of reading a long backlog, and its keys are few. */
const foldedKeys = new Map<string, string>();
const REMEMBERED = 1_000;

/** A key as names are compared: lower case, without what joins words. */
export function foldKey(key: string): string {
  const known = foldedKeys.get(key);
  if (known !== undefined) return known;
  const folded = key.toLowerCase().replace(/[\s_.-]+/g, '');
  if (foldedKeys.size < REMEMBERED) foldedKeys.set(key, folded);
  return folded;
}

/** Keys by their folded name, of the last object that was asked for: stories of one file mostly have the same keys. */
let last: { fields: Fields; readonly keys: readonly string[]; readonly index: ReadonlyMap<string, string> } | null =
  null;

/**
 * The key of an object that goes by a folded name, as it is written there, so that `user_stories`, `userStories` and
 * `User Stories` are one; undefined when there is none. Of two keys that fold alike the first counts.
 */
export function keyCalled(fields: Fields, name: string): string | undefined {
  if (last?.fields === fields) return last.index.get(name);
  const keys = Object.keys(fields);
  const { length } = keys;
  if (last?.keys.length === length && last.keys.every((key, at) => key === keys[at])) last.fields = fields;
  else last = { fields, keys, index: new Map(keys.map((key): [string, string] => [foldKey(key), key]).reverse()) };
  return last.index.get(name);
}

/** The value under a folded name. */
export function valueCalled(fields: Fields, name: string): unknown {
  const key = keyCalled(fields, name);
  return key === undefined ? undefined : fields[key];
}

export function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
