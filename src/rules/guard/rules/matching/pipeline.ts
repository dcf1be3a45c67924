import type { SimpleCommand } from '../../api.ts';
import { originOf } from '../../shell/text.ts';

/** The commands before this one in its pipeline, nearest first. */
export function feeders(command: SimpleCommand): readonly SimpleCommand[] {
  const found: SimpleCommand[] = [];
  let { input } = command;
  while (input.kind === 'pipe') {
    found.push(input.from);
    input = input.from.input;
  }
  return found;
}

/** How the file of a process substitution appears among the words: `bash <(curl …)`. */
const PROCESS_FILE = /^\/dev\/fd\/\d+$/;

/**
 * The commands whose output is a part of this command's words, or a file among them: `sh -c "$(curl …)"`,
 * `sh <(curl …)`, with those that feed them.
 */
export function sourcesOfWords(command: SimpleCommand, script: readonly SimpleCommand[]): readonly SimpleCommand[] {
  const words = [command.word, ...command.args];
  const origins = words.flatMap((word) => originOf(word) ?? []);
  const readsProcess = words.some((word) => PROCESS_FILE.test(word.text));
  const processes = readsProcess ? script.filter(({ via }) => via.includes('<()')) : [];
  return [...origins, ...processes].flatMap((origin) => [origin, ...feeders(origin)]);
}
