import type { SimpleCommand, Word } from '../../api.ts';
import { hasFlag, hasWord, operands, optionValue, optionValues, textsOf } from '../../options.ts';
import { namesIn, oncePer, table } from '../../tables.ts';
import { UNKNOWN, wordOf } from '../../words.ts';
import { gitCall } from './git.ts';
import { isRehearsal } from './shape.ts';

/** Something that a command removes. */
export interface Deletion {
  readonly target: Word;
  /** Folders are removed with their contents. */
  readonly recursive: boolean;
}

type RemovalReader = (command: SimpleCommand) => readonly Deletion[];

/**
 * What a command deletes, as far as its words show; moving something to `/dev/null` counts. What `find` and `xargs`
 * pass to a remover is among the remover's own words.
 */
export const deletions = oncePer((command: SimpleCommand): readonly Deletion[] => {
  const reader = REMOVAL_READERS.get(command.name);
  return reader === undefined || isRehearsal(command) ? [] : reader(command).flatMap(listed);
});

/** `rm -rf $(ls)` deletes the contents of the folders that `ls` lists. */
function listed(deletion: Deletion): readonly Deletion[] {
  const lister = deletion.target.from;
  if (lister?.name !== 'ls' || deletion.target.text !== UNKNOWN) return [deletion];
  const folders = textsOf(operands(lister));
  return (folders.length === 0 ? ['.'] : folders).map((folder) => ({
    ...deletion,
    target: wordOf(`${folder}/*`, true),
  }));
}

const REMOVAL_READERS = table<RemovalReader>([
  ['rm', (command) => all(operands(command), hasFlag(command, 'r', 'R', 'recursive'))],
  ['srm', (command) => all(operands(command), hasFlag(command, 'r', 'R'))],
  ['unlink', (command) => all(operands(command), false)],
  ['rimraf del del-cli trash trash-cli trash-put gomi rip Remove-Item wipe', (command) => all(operands(command), true)],
  ['shred', (command) => all(operands(command), false)],
  [
    'truncate',
    (command) => (/^0+$/.test(optionValue(command, 's', 'size')?.text ?? '') ? all(operands(command), false) : []),
  ],
  ['zip', (command) => (hasFlag(command, 'm', 'move') ? all(operands(command).slice(1), true) : [])],
  ['mv', byMove],
  ['rsync', byMirror],
  ['tar', (command) => (hasFlag(command, 'remove-files') ? all(operands(command), true) : [])],
  ['git', byGit],
]);

export const REMOVERS: readonly string[] = [...REMOVAL_READERS.keys()];

function all(targets: readonly Word[], recursive: boolean): readonly Deletion[] {
  return targets.map((target) => ({ target, recursive }));
}

/** A move deletes its source when the destination does not keep it. */
function byMove(command: SimpleCommand): readonly Deletion[] {
  const named = targetFolder(command);
  const words = operands(command);
  const destination = named ?? words.at(-1);
  const sources = named === null ? words.slice(0, -1) : words;
  return destination?.text === '/dev/null' ? all(sources, true) : [];
}

/** `rsync --delete` empties the destination of what the source lacks; `--remove-source-files` empties the source. */
function byMirror(command: SimpleCommand): readonly Deletion[] {
  if (hasFlag(command, 'n')) return [];
  const paths = operands(command);
  return [
    ...all(hasWord(command, /^--del(ete(-.*)?)?$/) ? paths.slice(-1) : [], true),
    ...all(hasFlag(command, 'remove-source-files') ? paths.slice(0, -1) : [], true),
  ];
}

function byGit(command: SimpleCommand): readonly Deletion[] {
  const call = gitCall(command, 'rm');
  return call === null || hasFlag(call, 'cached', 'n') ? [] : all(operands(call), hasFlag(call, 'r'));
}

type WriteReader = (command: SimpleCommand) => readonly Word[];

/** The files and folders that a command creates, changes or replaces, as far as its words show. */
export const writes = oncePer((command: SimpleCommand): readonly Word[] => {
  const redirected = command.redirects
    .filter(({ operator, target }) => operator.includes('>') && !CONNECTION.test(target.text))
    .map(({ target }) => target);
  if (isRehearsal(command)) return redirected;
  const places = TABLE.get(command.name);
  const named = places === undefined ? [] : wordsAt(command, places);
  return [...redirected, ...named, ...(WRITE_READERS.get(command.name)?.(command) ?? [])];
});

/** The files that a move removes from their place. */
export function movedAway(command: SimpleCommand): readonly Word[] {
  if (command.name === 'git') return operands(gitCall(command, 'mv') ?? { args: [] }).slice(0, -1);
  return command.name === 'mv' ? sourcesOf(command) : [];
}

/** The files that a link would give a second name: a write to the link writes to them. */
export function linkedTo(command: SimpleCommand): readonly Word[] {
  return command.name === 'ln' || command.name === 'link' ? operands(command).slice(0, 1) : [];
}

export function touched(command: SimpleCommand): readonly Word[] {
  const gone = deletions(command).map(({ target }) => target);
  return [...gone, ...writes(command), ...movedAway(command), ...linkedTo(command)];
}

/** Looks like a file but is a connection. */
const CONNECTION = /^\/dev\/(tcp|udp)\//;

/** Which of a program's words are files that it writes. */
interface Places {
  /** Operands from this index on; absent: none. */
  readonly from?: number;
  /** Options whose value is a written file. */
  readonly options?: string;
  /** Only when one of the arguments matches. */
  readonly only?: RegExp;
  /** Not when one of the arguments matches: the program then only reads. */
  readonly unless?: RegExp;
}

const IN_PLACE = /^-[a-zA-Z0]*i/;

const TABLE = table<Places>([
  ['tee sponge zip', { from: 0 }],
  ['touch', { from: 0 }],
  ['truncate', { from: 0 }],
  ['fallocate', { from: 0 }],
  ['mkdir mkfifo', { from: 0 }],
  ['perl ruby', { from: 1, only: IN_PLACE }],
  ['yq', { from: 1, only: /^(-[a-zA-Z]*i|--in-?place)/ }],
  ['awk gawk', { from: 1, only: /^(-i)?inplace$/ }],
  ['sd', { from: 2 }],
  ['ed ex vi vim nvim', { from: 0 }],
  ['patch', { from: 0, options: 'o d output directory' }],
  ['sort gpg iconv', { options: 'o output' }],
  ['uniq', { from: 1 }],
  ['split', { from: 1 }],
  ['unzip', { options: 'd' }],
  ['7z 7za 7zz', { options: 'o' }],
  ['curl', { options: 'o output output-dir D dump-header c cookie-jar' }],
  ['wget', { options: 'O output-document P directory-prefix o output-file a append-output' }],
  ['openssl', { options: '-out' }],
  ['ssh-keygen', { options: 'f', unless: /^-[a-zA-Z]*[lyeFBLH]|^-[EFr]$/ }],
  ['cpio', { options: 'D directory' }],
  ['xxd', { from: 1 }],
  ['script', { from: 0 }],
]);

function wordsAt(command: SimpleCommand, { from, options = '', only, unless }: Places): readonly Word[] {
  if (unless !== undefined && hasWord(command, unless)) return [];
  if (only !== undefined && !hasWord(command, only)) return [];
  const written = namesIn(options);
  const listed = from === undefined ? [] : operands(command).slice(from);
  return [...listed, ...optionValues(command, ...written)];
}

/** Programs whose written files do not follow from position alone. */
const WRITE_READERS = table<WriteReader>([
  ['cp mv ln link rsync scp', copied],
  ['install', installed],
  ['dd', outputOfDd],
  ['sed gsed', editedBySed],
  ['tar', writtenByTar],
  ['git', writtenByGit],
]);

/** Destinations of `cp`, `mv`, `ln` and `rsync`; also the source's name inside a destination folder. */
function copied(command: SimpleCommand): readonly Word[] {
  const words = operands(command);
  const destination = targetFolder(command) ?? (words.length > 1 ? words.at(-1) : undefined);
  if (destination === undefined) return [];
  return [destination, ...sourcesOf(command).map((source) => inFolder(destination, source))];
}

function sourcesOf(command: SimpleCommand): readonly Word[] {
  const words = operands(command);
  return targetFolder(command) === null ? words.slice(0, -1) : words;
}

/** `cp -t FOLDER`; in rsync `-t` keeps times. */
function targetFolder(command: SimpleCommand): Word | null {
  return command.name === 'rsync' ? null : optionValue(command, 't', 'target-directory');
}

/** `cp config.json .ralph` writes `.ralph/config.json` if `.ralph` is a folder. */
function inFolder(folder: Word, source: Word): Word {
  const name = source.text.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return wordOf(`${folder.text}/${name}`, folder.glob || source.glob);
}

function installed(command: SimpleCommand): readonly Word[] {
  const words = operands(command);
  if (hasFlag(command, 'd', 'directory')) return words;
  const destination = targetFolder(command) ?? words.at(-1);
  return destination === undefined ? [] : [destination];
}

function outputOfDd(command: SimpleCommand): readonly Word[] {
  return command.args
    .filter(({ text }) => text.startsWith('of='))
    .map((word) => ({ ...word, text: word.text.slice('of='.length) }));
}

/** `sed -i SCRIPT FILE…`; files that its `w` command names are not covered. */
function editedBySed(command: SimpleCommand): readonly Word[] {
  if (!hasWord(command, /^(-[nEsruz]*i|--in-place)/)) return [];
  const words = operands(command);
  return hasFlag(command, 'e', 'f', 'expression', 'file') ? words : words.slice(1);
}

function writtenByTar(command: SimpleCommand): readonly Word[] {
  const creates = hasFlag(command, 'c', 'create') || /^[a-zA-Z]*c/.test(command.args[0]?.text ?? '');
  return creates ? optionValues(command, 'f', 'file') : optionValues(command, 'C', 'directory');
}

/** Subcommands of git that change the files they name. */
const GIT_REWRITES: readonly string[] = ['checkout', 'restore', 'mv', 'rm'];

function writtenByGit(command: SimpleCommand): readonly Word[] {
  return GIT_REWRITES.flatMap((verb) => operands(gitCall(command, verb) ?? { args: [] }));
}
