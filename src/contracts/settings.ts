import * as z from 'zod/mini';
import { DURATION_FORMS, parseDuration } from './durations.ts';
import { UsageError } from './errors.ts';

/** The user's environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Kinds of settings. Every message completes the sentence "'<setting>' …". */

export const GROUP = 'must be a group of settings: {…}';
/** Each has to be a host as rules/isolation knows them. */
export const HOSTS = "must be a list of host names, e.g. ['api.example.com', '*.example.com', 'example.com:8443']";

export const text = z.string('must be a string').check(z.minLength(1, 'must not be empty'));
export const texts = z.array(text, 'must be a list of strings, e.g. ["a", "b"]');
export const flag = z.boolean('must be true or false');
export const count = (least: number) => {
  return z.int('must be a whole number').check(z.gte(least, `must be at least ${least}`));
};
export const range = (least: number, most: number) => {
  const message = `must be a whole number from ${least} to ${most}`;
  return z.int(message).check(z.gte(least, message), z.lte(most, message));
};
export const choice = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, `must be one of ${values.map((value) => `'${value}'`).join(', ')}`);
export const money = z.number('must be an amount in US dollars').check(z.positive('must be greater than 0'));

export const duration = z.pipe(
  z.union([z.string(), z.number()], `must be a duration: ${DURATION_FORMS}`),
  z.transform((value: string | number, context) => {
    try {
      return parseDuration(value);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const message = `must be a duration: ${error.facts.fix?.[0]?.replace(/^write /, '')}`;
      context.issues.push({ code: 'custom', message, input: value });
      return z.NEVER;
    }
  }),
);
export const timeLimit = duration.check(z.refine((ms) => ms > 0, 'must be longer than 0'));

const SIZE = 'must be a size such as 512m or 4g';
/** Bytes. */
export const size = z.pipe(
  z.string(SIZE).check(z.regex(/^\d{1,6}(\.\d+)?[kmg]b?$/i, SIZE)),
  z.transform((value: string) => {
    const [, amount = '', unit = ''] = /^([\d.]+)([kmg])/i.exec(value) ?? [];
    return Math.floor(Number(amount) * 1024 ** ('kmg'.indexOf(unit.toLowerCase()) + 1));
  }),
);

export function setting<S extends z.core.SomeType>(
  kind: S,
  value: z.util.NoUndefined<z.output<S>>,
  description: string,
) {
  return described(z._default(kind, value), description);
}

/** A setting whose value is converted: its default is given as people write it. */
export function written<S extends z.core.SomeType>(kind: S, value: z.input<S>, description: string) {
  return described(z.prefault(kind, value), description);
}

/** A setting that is null unless it is set. */
export function unset<S extends z.core.SomeType>(kind: S, description: string) {
  return described(z._default(z.nullable(kind), null), description);
}

/** A setting that may be absent. */
export function maybe<S extends z.core.SomeType>(kind: S, description: string) {
  return described(z.exactOptional(kind), description);
}

export function group<const S extends z.core.$ZodLooseShape>(description: string, shape: S) {
  return described(z.prefault(z.strictObject(shape, GROUP), {} as never), description);
}

function described<S extends z.ZodMiniType>(schema: S, description: string): S {
  z.globalRegistry.add(schema, { description });
  return schema;
}

/** A list whose entries may be written as one text. */
export const listOf = <S extends z.core.$ZodType>(entry: S, name: string) =>
  z.array(
    z.pipe(
      z.transform((value: unknown) => (typeof value === 'string' ? { [name]: value } : value)),
      entry as never,
    ) as unknown as z.ZodMiniType<z.output<S>, unknown>,
    'must be a list',
  );

const plugin = z.strictObject(
  { use: text, options: z._default(z.record(z.string(), z.unknown()), {}) },
  'must be a path, a package name or a group of `use` and `options`',
);

/** What the command hook needs, which is started at every tool call of an agent. */
export const HOOK_SETTINGS = {
  guard: group('The shell guard; `ralph guard explain` shows what it decides about a command.', {
    allow: setting(texts, [], 'Rules to switch off and commands to allow.'),
    deny: setting(texts, [], 'Additional commands to deny.'),
  }),
  hooks: group('Hooks in agent sessions.', {
    stopRefusals: setting(count(0), 8, 'How often an agent is kept from stopping in one session.'),
  }),
  context: group('The context monitor.', {
    window: unset(count(1_000), 'Context window of the model in tokens; null: as reported by the agent.'),
    bytesPerToken: setting(
      z.number('must be a number').check(z.gte(3, 'must be at least 3'), z.lte(6, 'must be at most 6')),
      4,
      'Bytes per token, to estimate context use from the size of the transcript.',
    ),
  }),
  plugins: setting(
    listOf(plugin, 'use'),
    [],
    'Plugins: paths that start with ./, package names, or {"use": path or name, "options": {…}}.',
  ),
};
