import type { Io } from '../../surfaces/terminal/io.ts';
import { oneLine } from '../../surfaces/terminal/sanitise.ts';
import { commands, groups } from '../table.ts';
import { type Candidate, placeAt } from './place.ts';
import { candidatesFor } from './values.ts';

/** A word that every shell takes as it stands: what an agent named otherwise must be typed, and quoted, by a person. */
const PLAIN = /^[\p{L}\p{N}_./@][\p{L}\p{N}_.,:/@+=-]*$/u;

/** More is no help, and shells ask before they show it. */
const MOST = 200;
const MOST_MEANING = 80;

/**
 * `ralph completion --complete -- WORD…`: what a shell's completion asks at the tabulator key. One candidate a line,
 * with a tab and its meaning; `:files` or `:folders` where the shell itself knows. Silent where nothing is known.
 * @param argv all words behind `ralph`, those of this call itself left out; the last one is being typed
 */
export async function answerCompletion(words: readonly string[], io: Io): Promise<number> {
  try {
    io.stdout.write((await linesFor(words, io)).map((line) => `${line}\n`).join(''));
  } catch {
    // No repository, a broken backlog: nobody asked for a message in the middle of a command line.
  }
  return 0;
}

async function linesFor(words: readonly string[], io: Io): Promise<readonly string[]> {
  const place = placeAt(words, { commands, groups });
  const { values, before, typed, args, flags } = place;
  if (values === 'file') return [':files'];
  if (values === 'folder') return [':folders'];
  const known = values === null ? [] : await candidatesFor(values, { args, flags, io });
  return [...place.words, ...known.filter(([word]) => PLAIN.test(word))]
    .filter(([word]) => word.startsWith(typed))
    .slice(0, MOST)
    .map((candidate) => lineOf(candidate, before));
}

function lineOf([word, meaning]: Candidate, before: string): string {
  const text = oneLine(meaning).slice(0, MOST_MEANING);
  return text === '' ? `${before}${word}` : `${before}${word}\t${text}`;
}
