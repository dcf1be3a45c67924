import type { SimpleCommand, Word } from '../../api.ts';
import { hasFlag, operands, optionValue, optionValues } from '../../flags.ts';
import { oncePer } from '../../once-per.ts';
import { gitCall } from './git.ts';
import { isRehearsal } from './shape.ts';

type Reader = (command: SimpleCommand) => readonly Word[];

/** The files and folders that a command creates, changes or replaces, as far as its words tell. */
export const writes = oncePer((command: SimpleCommand): readonly Word[] => {
  const redirected = command.redirects
    .filter(({ operator, target }) => operator.includes('>') && !CONNECTION.test(target.text))
    .map(({ target }) => target);
  if (isRehearsal(command)) return redirected;
  const places = TABLE.get(command.name);
  const named = places === undefined ? [] : wordsAt(command, places);
  return [...redirected, ...named, ...(READERS.get(command.name)?.(command) ?? [])];
});

/** The files that a move takes away from their place. */
export function movedAway(command: SimpleCommand): readonly Word[] {
  if (command.name === 'git') return operands(gitCall(command, 'mv') ?? { args: [] }).slice(0, -1);
  return command.name === 'mv' ? sourcesOf(command) : [];
}

/** The files that a link would give a second name: who writes to the link writes to them. */
export function linkedTo(command: SimpleCommand): readonly Word[] {
  return command.name === 'ln' || command.name === 'link' ? operands(command, COPY_VALUES).slice(0, 1) : [];
}

/** What looks like a file and is a connection. */
const CONNECTION = /^\/dev\/(tcp|udp)\//;

/** Which words of a program are files that it writes. */
interface Places {
  /** Operands from this one on; none when absent. */
  readonly from?: number;
  /** Options whose value is the next word, so that it is no operand. */
  readonly values?: readonly string[];
  /** Options whose value is a file that is written. */
  readonly options?: readonly string[];
  /** Only when one of the arguments looks like this. */
  readonly only?: RegExp;
  /** Not when one of the arguments looks like this: it only reads then. */
  readonly unless?: RegExp;
}

const EDITOR: Places = { from: 0, values: ['c', 'S', 'u', 'cmd'] };
const IN_PLACE = /^-[a-zA-Z0]*i/;

const TABLE: ReadonlyMap<string, Places> = new Map<string, Places>([
  ['tee', { from: 0 }],
  ['sponge', { from: 0 }],
  ['touch', { from: 0, values: ['d', 't', 'r', 'date', 'reference'] }],
  ['truncate', { from: 0, values: ['s', 'r', 'size', 'reference'] }],
  ['fallocate', { from: 0, values: ['l', 'o', 'length', 'offset'] }],
  ['mkdir', { from: 0, values: ['m', 'mode'] }],
  ['mkfifo', { from: 0, values: ['m', 'mode'] }],
  ['perl', { from: 0, values: ['e', 'E'], only: IN_PLACE }],
  ['ruby', { from: 0, values: ['e'], only: IN_PLACE }],
  ['yq', { from: 1, only: /^(-[a-zA-Z]*i|--in-?place)/ }],
  ['awk', { from: 1, values: ['i', 'v', 'f', 'F'], only: /^(-i)?inplace$/ }],
  ['gawk', { from: 1, values: ['i', 'v', 'f', 'F'], only: /^(-i)?inplace$/ }],
  ['sd', { from: 2 }],
  ['ed', EDITOR],
  ['ex', EDITOR],
  ['vi', EDITOR],
  ['vim', EDITOR],
  ['nvim', EDITOR],
  ['patch', { from: 0, values: ['p', 'i', 'd'], options: ['o', 'd', 'output', 'directory'] }],
  ['sort', { options: ['o', 'output'] }],
  ['uniq', { from: 1, values: ['f', 's', 'w'] }],
  ['split', { from: 1, values: ['b', 'l', 'n', 'a'] }],
  ['unzip', { options: ['d'] }],
  ['zip', { from: 0 }],
  ['curl', { options: ['o', 'output', 'output-dir', 'D', 'dump-header', 'c', 'cookie-jar'] }],
  ['wget', { options: ['O', 'output-document', 'P', 'directory-prefix', 'o', 'output-file', 'a', 'append-output'] }],
  ['openssl', { options: ['-out'] }],
  ['gpg', { options: ['o', 'output'] }],
  ['iconv', { options: ['o', 'output'] }],
  ['ssh-keygen', { options: ['f'], unless: /^-[a-zA-Z]*[lyeFBLH]|^-[EFr]$/ }],
  ['cpio', { options: ['D', 'directory'] }],
  ['xxd', { from: 1, values: ['l', 's', 'c', 'g'] }],
  ['script', { from: 0, values: ['c', 'command'] }],
]);

function wordsAt(command: SimpleCommand, { from, values = [], options = [], only, unless }: Places): readonly Word[] {
  if (unless !== undefined && command.args.some(({ text }) => unless.test(text))) return [];
  if (only !== undefined && !command.args.some(({ text }) => only.test(text))) return [];
  const listed = from === undefined ? [] : operands(command, [...values, ...options]).slice(from);
  return [...listed, ...optionValues(command, ...options)];
}

/** Programs whose files can't be told by position alone. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['cp', copied],
  ['mv', copied],
  ['ln', copied],
  ['link', copied],
  ['rsync', copied],
  ['install', installed],
  ['dd', outputOfDd],
  ['sed', editedBySed],
  ['gsed', editedBySed],
  ['tar', writtenByTar],
  ['git', writtenByGit],
]);

const COPY_VALUES: readonly string[] = ['t', 'S', 'target-directory', 'suffix', 'e', 'rsh', 'exclude', 'include'];

/** Destinations of `cp`, `mv`, `ln` and `rsync`; a file in a folder under its own name too. */
function copied(command: SimpleCommand): readonly Word[] {
  const words = operands(command, COPY_VALUES);
  const destination = optionValue(command, 't', 'target-directory') ?? (words.length > 1 ? words.at(-1) : undefined);
  if (destination === undefined) return [];
  return [destination, ...sourcesOf(command).map((source) => inFolder(destination, source))];
}

function sourcesOf(command: SimpleCommand): readonly Word[] {
  const words = operands(command, COPY_VALUES);
  return optionValue(command, 't', 'target-directory') === null ? words.slice(0, -1) : words;
}

/** `cp config.json .ralph` writes `.ralph/config.json`, if `.ralph` is a folder. */
function inFolder(folder: Word, source: Word): Word {
  const name = source.text.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return { text: `${folder.text}/${name}`, known: folder.known && source.known, glob: folder.glob || source.glob };
}

function installed(command: SimpleCommand): readonly Word[] {
  const words = operands(command, ['m', 'o', 'g', 't', 'mode', 'owner', 'group', 'target-directory']);
  if (hasFlag(command, 'd', 'directory')) return words;
  const destination = optionValue(command, 't', 'target-directory') ?? words.at(-1);
  return destination === undefined ? [] : [destination];
}

function outputOfDd(command: SimpleCommand): readonly Word[] {
  return command.args
    .filter(({ text }) => text.startsWith('of='))
    .map((word) => ({ ...word, text: word.text.slice('of='.length) }));
}

/** `sed -i SCRIPT FILE…`, and what its `w` command names is left to chance. */
function editedBySed(command: SimpleCommand): readonly Word[] {
  if (!command.args.some(({ text }) => /^(-[nEsruz]*i|--in-place)/.test(text))) return [];
  const words = operands(command, ['e', 'f', 'expression', 'file']);
  return hasFlag(command, 'e', 'f', 'expression', 'file') ? words : words.slice(1);
}

function writtenByTar(command: SimpleCommand): readonly Word[] {
  const creates = hasFlag(command, 'c', 'create') || /^[a-zA-Z]*c/.test(command.args[0]?.text ?? '');
  return creates ? optionValues(command, 'f', 'file') : optionValues(command, 'C', 'directory');
}

/** Subcommands of git that change the files named to them. */
const GIT_REWRITES: readonly string[] = ['checkout', 'restore', 'mv', 'rm'];

function writtenByGit(command: SimpleCommand): readonly Word[] {
  return GIT_REWRITES.flatMap((verb) => operands(gitCall(command, verb) ?? { args: [] }, ['s', 'source', 'b', 'B']));
}
