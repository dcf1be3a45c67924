import { parseDuration } from '../records/durations.ts';
import type { PlainKind, PlainSetting } from './plain-setting.ts';

/** What the schema makes of a value that is plainly right; undefined for every other one. */
export function plainValue({ kind, nullable }: Pick<PlainSetting, 'kind' | 'nullable'>, value: unknown): unknown {
  return value === null ? (nullable ? null : undefined) : ofKind(kind, value);
}

function ofKind(kind: PlainKind, value: unknown): unknown {
  if (typeof kind === 'object') {
    if ('choices' in kind) return kind.choices.includes(value as string) ? value : undefined;
    const isWithin = Number.isInteger(value) && (value as number) >= kind.least && (value as number) <= kind.most;
    return isWithin ? value : undefined;
  }
  switch (kind) {
    case 'text':
      return isText(value) ? value : undefined;
    case 'texts':
      return Array.isArray(value) && value.every(isText) ? [...value] : undefined;
    case 'agents':
      return agents(value);
    case 'flag':
      return typeof value === 'boolean' ? value : undefined;
    case 'duration':
      return milliseconds(value);
    case 'time-limit':
      return milliseconds(value) || undefined;
    case 'other':
      return undefined;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** One name, several with commas, or a list. */
function agents(value: unknown): readonly string[] | undefined {
  const names = isText(value) ? value.split(',').map((name) => name.trim()) : value;
  return Array.isArray(names) && names.length > 0 && names.every(isText) ? [...names] : undefined;
}

function milliseconds(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return parseDuration(value);
  } catch {
    return undefined;
  }
}
