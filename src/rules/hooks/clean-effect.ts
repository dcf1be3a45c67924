import type { EventBody } from '../../contracts/events.ts';
import { printable } from '../printable.ts';
import type { HookEffect } from './api.ts';

/** Everything that is written down goes through here, so that no rule has to think of it. */
export function cleanEffect(effect: HookEffect): HookEffect {
  if (effect.kind === 'log') return { ...effect, text: printable(effect.text) };
  return effect.kind === 'event' ? { ...effect, body: cleanStrings(effect.body) as EventBody } : effect;
}

function cleanStrings(value: unknown): unknown {
  if (typeof value === 'string') return printable(value);
  if (Array.isArray(value)) return value.map(cleanStrings);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cleanStrings(inner)]));
}
