import * as z from 'zod/mini';

/*
 * Shapes of what comes from outside the program, which are only checked: the value itself is used as it is. A shape
 * names what readers rely on; other fields may be anything, as later versions write more.
 */

/** A shape of values that the program treats as `T`. */
export type Shape<T = unknown> = z.ZodMiniType<T>;

export const text = z.string();
/** A number that a `Date` accepts as a time, and of which sums stay exact enough to be shown. */
export const number = z.number().check(z.gte(-1e15), z.lte(1e15));
export const count = z.int().check(z.gte(0), z.lte(1e15));
/** US dollars. */
export const dollars = z.number().check(z.gte(0), z.lte(1e9));
export const time = z.string().check(z.refine((value) => !Number.isNaN(Date.parse(value))));
export const truth = z.boolean();
export const anything = z.optional(z.unknown());
/** An object or a list with any content. */
export const anyObject = z.custom<object>((value) => typeof value === 'object' && value !== null);
export const object = z.object;
export const nullOr = z.nullable;
export const maybe = z.exactOptional;
export const listOf = z.array;
export const oneOf = <const T extends readonly string[]>(...values: T) => z.enum(values);
export const exactly = <const T extends string | number>(value: T) => z.literal(value);
/** The program treats as `T` what passes a shape that checks less: later versions know more words and fields. */
export const as = <T>(shape: Shape): Shape<T> => shape as Shape<T>;

/** The type of what passes a shape: nothing in it is changed. */
export type Of<S extends Shape> = Frozen<z.output<S>>;
export type Frozen<T> = T extends readonly (infer Entry)[]
  ? readonly Frozen<Entry>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

export const usage = object({
  inputTokens: count,
  outputTokens: count,
  cacheReadTokens: count,
  cacheWriteTokens: count,
});

export type Fields = Readonly<Record<string, Shape>>;

/** One of several kinds of objects, which the field `name` tells apart. */
export function byName(name: string, table: Readonly<Record<string, Fields>>): Shape {
  const kinds = Object.entries(table).map(([kind, fields]) => z.object({ [name]: z.literal(kind), ...fields }));
  return z.discriminatedUnion(name, kinds as unknown as [z.ZodMiniObject]);
}

/** The path of the first field that is missing or of the wrong type, '' for the value itself; null when it fits. */
export function wrongField(shape: Shape, value: unknown): string | null {
  const [issue] = shape.safeParse(value).error?.issues ?? [];
  return issue === undefined ? null : issue.path.join('.');
}

export function fits<T>(shape: Shape<T>, value: unknown): value is Frozen<T> {
  return shape.safeParse(value).success;
}
