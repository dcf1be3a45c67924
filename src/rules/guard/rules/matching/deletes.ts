import type { SimpleCommand, Word } from '../../api.ts';
import { hasFlag, operands, optionValue } from '../../flags.ts';
import { oncePer } from '../../once-per.ts';
import { originOf, UNKNOWN } from '../../shell/text.ts';
import { gitCall } from './git.ts';
import { isRehearsal } from './shape.ts';

/** Something that a command makes go away. */
export interface Deletion {
  readonly target: Word;
  /** Folders go with all that is in them. */
  readonly recursive: boolean;
}

type Reader = (command: SimpleCommand) => readonly Deletion[];

/**
 * What a command deletes, as far as its words tell; moving something to `/dev/null` counts. What `find` and `xargs` hand
 * to a remover is among the remover's own words.
 */
export const deletions = oncePer((command: SimpleCommand): readonly Deletion[] => {
  const reader = READERS.get(command.name);
  return reader === undefined || isRehearsal(command) ? [] : reader(command).flatMap(listed);
});

/** `rm -rf $(ls)` deletes what is in the folders that `ls` lists. */
function listed(deletion: Deletion): readonly Deletion[] {
  const lister = originOf(deletion.target);
  if (lister?.name !== 'ls' || deletion.target.text !== UNKNOWN) return [deletion];
  const folders = operands(lister, ['I', 'ignore', 'w']).map((word) => word.text);
  const names = (folders.length === 0 ? ['.'] : folders).map((folder) => ({
    text: `${folder}/*`,
    known: true,
    glob: true,
  }));
  return names.map((target) => ({ ...deletion, target }));
}

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['rm', (command) => all(operands(command), hasFlag(command, 'r', 'R', 'recursive'))],
  ['srm', (command) => all(operands(command), hasFlag(command, 'r', 'R'))],
  ['unlink', (command) => all(operands(command), false)],
  ['rimraf', everything],
  ['del', everything],
  ['del-cli', everything],
  ['trash', everything],
  ['trash-put', everything],
  ['Remove-Item', everything],
  ['wipe', everything],
  ['shred', (command) => all(operands(command, ['n', 's', 'iterations', 'size', 'random-source']), false)],
  ['mv', byMove],
  ['rsync', byMirror],
  ['tar', (command) => (hasFlag(command, 'remove-files') ? all(operands(command, ['f', 'C']), true) : [])],
  ['git', byGit],
]);

/** The programs that this table knows. */
export const REMOVERS: readonly string[] = [...READERS.keys()];

function everything(command: SimpleCommand): readonly Deletion[] {
  return all(operands(command), true);
}

function all(targets: readonly Word[], recursive: boolean): readonly Deletion[] {
  return targets.map((target) => ({ target, recursive }));
}

/** A move deletes what it moves when the destination keeps nothing. */
function byMove(command: SimpleCommand): readonly Deletion[] {
  const named = optionValue(command, 't', 'target-directory');
  const words = operands(command, ['t', 'S', 'target-directory', 'suffix']);
  const destination = named ?? words.at(-1);
  const sources = named === null ? words.slice(0, -1) : words;
  return destination?.text === '/dev/null' ? all(sources, true) : [];
}

/** `rsync --delete` empties the destination of what the source lacks. */
function byMirror(command: SimpleCommand): readonly Deletion[] {
  if (hasFlag(command, 'n') || !command.args.some((word) => /^--del(ete(-.*)?)?$/.test(word.text))) return [];
  const destination = operands(command, ['e', 'f', 'rsh', 'filter', 'exclude', 'include']).at(-1);
  return destination === undefined ? [] : all([destination], true);
}

/** `git rm` without `--cached`. */
function byGit(command: SimpleCommand): readonly Deletion[] {
  const call = gitCall(command, 'rm');
  return call === null || hasFlag(call, 'cached', 'n') ? [] : all(operands(call), hasFlag(call, 'r'));
}
