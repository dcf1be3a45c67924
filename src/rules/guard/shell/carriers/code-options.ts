import type { SimpleCommand } from '../../api.ts';
import { behindOptions, optionValues } from '../../flags.ts';
import type { Carrier, Nested } from '../nested.ts';
import { entryOf } from '../table.ts';
import { joined, originOf } from '../text.ts';

/** Options whose value a program hands to a shell, or starts as a program. Names as in flags.ts. */
const CODE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  su: ['c', 'command', 'session-command'],
  runuser: ['c', 'command', 'session-command'],
  sg: ['c'],
  newgrp: ['c'],
  script: ['c', 'command'],
  flock: ['c', 'command'],
  npx: ['c', 'call'],
  npm: ['c', 'call'],
  'nix-shell': ['run', 'command'],
  nodemon: ['exec', 'x'],
  tar: ['to-command', 'use-compress-program', 'I', 'rsh-command', 'info-script', 'F'],
  bsdtar: ['use-compress-program'],
  rsync: ['e', 'rsh', 'rsync-path'],
  zip: ['TT', 'unzip-command'],
  man: ['P', 'pager'],
  vagrant: ['c', 'command'],
  gcloud: ['command'],
  fly: ['C', 'command'],
  flyctl: ['C', 'command'],
  chokidar: ['c', 'command'],
  xterm: ['e'],
  konsole: ['e'],
  capsh: ['c'],
  mapfile: ['C'],
  readarray: ['C'],
  sort: ['compress-program'],
  split: ['filter'],
  wget: ['use-askpass'],
  ncat: ['c', 'sh-exec', 'e', 'exec'],
  nc: ['c', 'e'],
};

/** Programs whose operands, joined, are shell text. */
const JOINED: Readonly<Record<string, readonly string[]>> = {
  watch: ['n', 'interval'],
  sg: ['c'],
  viddy: ['n'],
};

/** Programs each of whose operands is shell text of its own. */
const EACH: Readonly<Record<string, readonly string[]>> = {
  hyperfine: ['w', 'warmup', 'r', 'runs', 'm', 'M', 'p', 'prepare', 'n', 'L', 'P', 'export-json', 'export-markdown'],
  concurrently: ['n', 'names', 'c', 'prefix-colors', 'p', 'prefix'],
  watchexec: ['w', 'e', 'i', 'f'],
};

/** What a program runs because an option or its operands are shell text. */
export const runCodeOptions: Carrier = (command) => [
  ...shells(command, optionValues(ownOptions(command), ...(entryOf(CODE_OPTIONS, command.name) ?? []))),
  ...checkpointActions(command),
  ...joinedOperands(command),
  ...shells(command, operandsOfEach(command)),
];

export const CODE_CARRIERS: readonly string[] = [
  ...new Set([...Object.keys(CODE_OPTIONS), ...Object.keys(JOINED), ...Object.keys(EACH)]),
];

/** `npx` passes on what follows the program's name. */
function ownOptions(command: SimpleCommand): Pick<SimpleCommand, 'args'> {
  if (command.name !== 'npx') return command;
  const rest = behindOptions(command.args, ['c', 'call', 'p', 'package']);
  return { args: command.args.slice(0, command.args.length - rest.length) };
}

function shells(command: SimpleCommand, words: SimpleCommand['args']): readonly Nested[] {
  return words.map((word) => ({
    kind: 'shell',
    via: `${command.name} -c`,
    code: { text: word.text, from: originOf(word) },
    where: 'child',
  }));
}

/** `tar --checkpoint-action=exec=CMD`. */
function checkpointActions(command: SimpleCommand): readonly Nested[] {
  if (!/^g?tar$/.test(command.name)) return [];
  return optionValues(command, 'checkpoint-action').flatMap((word): readonly Nested[] => {
    if (!word.text.startsWith('exec=')) return [];
    return [{ kind: 'shell', via: 'tar', code: { text: word.text.slice('exec='.length), from: null }, where: 'child' }];
  });
}

function joinedOperands(command: SimpleCommand): readonly Nested[] {
  const values = entryOf(JOINED, command.name);
  if (values === undefined) return [];
  const words = behindOptions(command.args, values);
  if (words.length === 0) return [];
  return [{ kind: 'shell', via: command.name, code: joined(words), where: 'child' }];
}

function operandsOfEach(command: SimpleCommand): SimpleCommand['args'] {
  const values = entryOf(EACH, command.name);
  return values === undefined ? [] : behindOptions(command.args, values);
}
