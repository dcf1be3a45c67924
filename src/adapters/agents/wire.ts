import { isObject, type JsonObject } from '../../contracts/index.ts';
/** A parsed JSON object; nothing about its fields is known yet. */
export type Wire = JsonObject;

export function asObject(value: unknown): Wire | null {
  return isObject(value) ? value : null;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function count(value: unknown): number {
  return Math.max(0, asNumber(value) ?? 0);
}
