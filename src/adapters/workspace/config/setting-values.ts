import * as z from 'zod';
import { settings } from './config-schema.ts';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
}

/** The words that a setting takes, where they are few: choices, `true` and `false`, `null`; none for others. */
export function valuesOf(key: string): readonly string[] {
  const setting = settings().find((one) => one.key === key);
  return setting ? wordsOf(z.toJSONSchema(setting.schema, { io: 'input' }) as JsonSchema) : [];
}

function wordsOf({ type, enum: choices = [], anyOf = [] }: JsonSchema): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  if (type === 'null') return ['null'];
  return [...choices.map(String), ...anyOf.flatMap(wordsOf)];
}
