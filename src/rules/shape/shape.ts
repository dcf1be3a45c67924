/**
 * Reports where a value from outside is invalid: the path of the first field that is missing or of the wrong type, ''
 * for the value itself, null when it is valid. Needs no library: hooks load this at each call.
 */
export interface Shape<T = unknown> {
  (value: unknown): string | null;
  /** Never set: it only carries the type. */
  readonly of?: T;
}

/** The type of the values that a shape accepts. */
type Shaped<S extends Shape> = S extends Shape<infer T> ? T : never;

/** The shapes of the fields of an object. */
export type Fields = Readonly<Record<string, Shape>>;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const either =
  <T>(fits: (value: unknown) => boolean, inner: Shape): Shape<T> =>
  (value) =>
    fits(value) ? null : inner(value);

export const when = <T>(fits: (value: unknown) => boolean): Shape<T> => either(fits, () => '');
export const text = when<string>((value) => typeof value === 'string');
/** JSON can contain numbers (1e999) that parse as infinity: they make no usable sum or time. */
export const number = when<number>(Number.isFinite);
export const truth = when<boolean>((value) => typeof value === 'boolean');
/** An object or a list with any content. */
export const anyObject = when<object>(isObject);
export const nullOr = <T>(inner: Shape<T>) => either<T | null>((value) => value === null, inner);
export const absentOr = <T>(inner: Shape<T>) => either<T | undefined>((value) => value === undefined, inner);
export const oneOf = <const T extends string>(...values: readonly T[]) =>
  when<T>((value) => (values as readonly unknown[]).includes(value));
export const listOf = <T>(inner: Shape<T>) =>
  when<readonly T[]>((value) => Array.isArray(value) && value.every((one) => inner(one) === null));

/** Fields that are not named may be anything. */
export function object<const F extends Fields>(fields: F): Shape<{ readonly [K in keyof F]: Shaped<F[K]> }> {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return '';
    for (const [name, shape] of entries) {
      const wrong = shape(value[name]);
      if (wrong !== null) return wrong === '' ? name : `${name}.${wrong}`;
    }
    return null;
  };
}

/** The object that a JSON text holds; null when it holds none. */
export function jsonObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
