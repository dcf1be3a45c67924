import * as z from 'zod';
import { agents, parsedDefaults, settings } from './config-schema.ts';
import type { PlainKind, PlainSettings } from './plain-setting.ts';
import { duration, text, texts, timeLimit } from './setting-kinds.ts';

/** The schema's settings as data, with as much of each as can be checked without the schema. */
export function plainSettingsOfSchema(): PlainSettings {
  return {
    settings: settings().map(({ key, path, schema }) => ({ key, path, ...plainly(schema) })),
    defaults: parsedDefaults(),
  };
}

/** What says what a value is when it is absent or null, and nothing else. */
const WRAPPERS = [z.ZodNullable, z.ZodDefault, z.ZodPrefault, z.ZodOptional];

function plainly(schema: z.ZodType): { readonly kind: PlainKind; readonly nullable: boolean } {
  let inner = schema;
  let nullable = false;
  for (;;) {
    nullable ||= inner instanceof z.ZodNullable;
    if (!WRAPPERS.some((wrapper) => inner instanceof wrapper)) return { kind: kindOf(inner), nullable };
    inner = (inner as z.ZodOptional<z.ZodType>).unwrap();
  }
}

function kindOf(schema: z.ZodType): PlainKind {
  const known = new Map<z.ZodType, PlainKind>([
    [text, 'text'],
    [texts, 'texts'],
    [agents, 'agents'],
    [duration, 'duration'],
    [timeLimit, 'time-limit'],
  ]).get(schema);
  if (known !== undefined) return known;
  if (schema instanceof z.ZodBoolean) return 'flag';
  if (schema instanceof z.ZodEnum) return { choices: schema.options.map(String) };
  if (!(schema instanceof z.ZodNumber)) return 'other';
  const { type, minimum, maximum, ...more } = z.toJSONSchema(schema);
  const isRange = type === 'integer' && minimum !== undefined && maximum !== undefined;
  return isRange && Object.keys(more).every((name) => name === '$schema') ? { least: minimum, most: maximum } : 'other';
}
