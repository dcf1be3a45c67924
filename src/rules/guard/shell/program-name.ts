import type { Word } from '../api.ts';
import { couldMatch } from './glob.ts';
import { UNKNOWN } from './text.ts';

/** Programs that a glob as the command word, `/bin/r?`, is taken to mean: the most dangerous that it could match. */
const GLOB_READINGS =
  'rm sh bash dash zsh dd mkfs shred git sudo su curl wget nc python3 python perl ruby node php chmod chown kill mv find xargs env eval'.split(
    ' ',
  );

/** Last part of a program's path without what is unknown of it: `rm` for `/bin/rm`, `$DIR/rm` and `r${X}m`. */
export function programName(text: string): string {
  const name = text.slice(text.lastIndexOf('/') + 1);
  return name.replaceAll(UNKNOWN, '').replace(/\.exe$/i, '');
}

/** The name of the program that a command word starts. */
export function nameOfProgram(word: Word): string {
  const name = programName(word.text);
  return word.glob ? (GLOB_READINGS.find((program) => couldMatch(name, program)) ?? name) : name;
}
