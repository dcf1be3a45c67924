import type { LinesQuery } from './api.ts';
import { Refused } from './refusal.ts';

const MOST_TEXT = 500;

/** A whole number in a query; undefined when it is not there. @throws Refused for anything else */
export function numberIn(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new Refused(400, `${name} must be a whole number`);
  return Number(text);
}

/** @throws Refused for what is no query of lines */
export function readLinesQuery(query: Readonly<Record<string, string>>): LinesQuery {
  const numbers = ['from', 'count', 'iteration'].map((name) => [name, numberIn(name, query[name])] as const);
  const texts = ['types', 'q'].map((name) => [name, textIn(name, query[name])] as const);
  const given = [...numbers, ...texts].filter(([, value]) => value !== undefined);
  const backwards = truthIn('backwards', query['backwards']);
  return { ...(Object.fromEntries(given) as LinesQuery), ...(backwards ? { backwards } : {}) };
}

/** Without a value it is on. @throws Refused for anything else */
function truthIn(name: string, text: string | undefined): boolean {
  if (text === '' || text === 'true' || text === '1') return true;
  if (text === undefined || text === 'false' || text === '0') return false;
  throw new Refused(400, `${name} must be true or false`);
}

function textIn(name: string, text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (text.length > MOST_TEXT) throw new Refused(400, `${name} is too long`);
  return text;
}
