/** An object of which nothing is known yet: from outside the program. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value where it is an object, else an empty one. */
export function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** What a JSON text holds; undefined when it is not JSON. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object that a JSON text holds; null when it holds none. */
export function jsonObject(text: string): Record<string, unknown> | null {
  const value = jsonValue(text);
  return isObject(value) ? value : null;
}

/** The value of a key that the table itself has: `constructor` is a word that people type, too. */
export function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
