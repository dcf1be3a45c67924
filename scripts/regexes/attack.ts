import { createContext, Script } from 'node:vm';
import fc from 'fast-check';

/** A text that makes a regular expression slow. */
export interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly tail: string;
  /** Characters of the whole text. */
  readonly length: number;
  /** Milliseconds that it took; Infinity when it was stopped. */
  readonly ms: number;
}

const SEED = 9;
const EXAMPLES = 12;
/** Ends that a match has to fail at: it must try all ways before it gives up. */
const TAILS = ['\u0001', '\n', '!', ''];
const STOPPED_MS = 4_000;

/** In a context of their own, as only there a search can be stopped. */
const given: { text: string; regex: RegExp | null } = { text: '', regex: null };
const context = createContext(given);
const search = new Script('text.replace(regex, "")');

/**
 * The slowest text found for a regular expression: pieces of what it matches, repeated to `length` characters behind a
 * beginning that leads there, and with an end that spoils the match.
 */
export function attack(regex: RegExp, length: number): Attack {
  let worst: Attack = { prefix: '', pump: '', tail: '', length: 0, ms: 0 };
  for (const { prefix, pump, tail } of candidates(regex)) {
    const text = prefix + pump.repeat(Math.ceil(length / pump.length)) + tail;
    const ms = timed(regex, text);
    if (ms > worst.ms) worst = { prefix, pump, tail, length: text.length, ms };
    if (ms === Number.POSITIVE_INFINITY) break;
  }
  return worst;
}

/** What one search of the whole text takes, milliseconds; Infinity past some seconds. */
function timed(regex: RegExp, text: string): number {
  Object.assign(given, { text, regex });
  const started = performance.now();
  try {
    search.runInContext(context, { timeout: STOPPED_MS });
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  return performance.now() - started;
}

/** Whether four times the text takes far more than four times as long. */
export function isSuperlinear(regex: RegExp, [prefix, pump, tail]: readonly [string, string, string], length: number) {
  const took = (size: number): number => {
    const text = prefix + pump.repeat(Math.ceil(size / pump.length)) + tail;
    return Math.min(timed(regex, text), timed(regex, text));
  };
  return took(length) > took(length / 4) * 8;
}

interface Candidate {
  readonly prefix: string;
  readonly pump: string;
  readonly tail: string;
}

function candidates(regex: RegExp): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  const add = (candidate: Candidate): void => {
    if (candidate.pump !== '') found.set(JSON.stringify(candidate), candidate);
  };
  for (const example of examples(regex)) {
    const letters = [...example].slice(0, 60);
    for (let from = 0; from < letters.length; from++) {
      for (const size of [1, 2, 3]) {
        const pump = letters.slice(from, from + size).join('');
        const prefix = letters.slice(0, from).join('');
        add({ prefix, pump, tail: TAILS[from % TAILS.length] ?? '' });
        add({ prefix: '', pump, tail: TAILS[0] ?? '' });
      }
    }
    add({ prefix: '', pump: letters.join(''), tail: TAILS[0] ?? '' });
  }
  for (const pump of [
    ' ',
    '\t',
    '\n',
    'a',
    '0',
    '-',
    '*',
    '_',
    '#',
    '/',
    '.',
    '"',
    '`',
    'a ',
    'a.',
    '\\',
    '(',
    '[',
    '<',
  ])
    add({ prefix: '', pump, tail: '\u0001' });
  return [...found.values()];
}

/** Texts that it matches, without its looks ahead and behind: those only narrow. */
function examples(regex: RegExp): readonly string[] {
  for (const source of [regex.source, withoutLooks(regex.source)]) {
    try {
      const matching = fc.stringMatching(new RegExp(source, regex.flags.replace(/[gyd]/g, '')), { size: 'xsmall' });
      return fc.sample(matching, { numRuns: EXAMPLES, seed: SEED });
    } catch {
      // Not every syntax is known to fast-check: then the plain pumps have to do.
    }
  }
  return literalPieces(regex.source);
}

function withoutLooks(source: string): string {
  return source.replace(/\(\?<?[=!](?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\)/g, '').replace(/\\[bB]/g, '');
}

function literalPieces(source: string): readonly string[] {
  return source.split(/[^A-Za-z0-9 :,;=-]+/).filter((piece) => piece !== '');
}
