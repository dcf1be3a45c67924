import type { SimpleCommand, Word } from '../../api.ts';
import { optionValues } from '../../flags.ts';
import type { Carrier, Nested } from '../nested.ts';
import { constant, isKnown, joined, type Text, wordOf } from '../text.ts';

/** Configuration whose value git runs. */
const COMMAND_KEYS =
  /^(core\.(sshcommand|pager|editor|fsmonitor|askpass)|sequence\.editor|diff\.external|pager\..+|credential(\..+)?\.helper|(diff|merge)(tool)?\..+\.(textconv|command|driver|cmd)|filter\..+\.(clean|smudge|process)|gpg(\..+)?\.program|remote\..+\.(uploadpack|receivepack)|uploadpack\.packobjectshook)$/i;

const GLOBAL_VALUES = /^(-[Cc]|--(git-dir|work-tree|namespace|exec-path|super-prefix|config-env|attr-source))$/;

/** What git runs: aliases, programs named in its configuration, `rebase --exec`, `bisect run`, filters, … */
export const runGit: Carrier = (command) => {
  const { settings, rest, folder } = globalOptions(command);
  const [subcommand, ...args] = rest;
  const nested: Nested[] = settings.flatMap((setting) => fromSetting(setting, subcommand, args));
  if (subcommand === undefined) return nested;
  if (rest.length < command.args.length) {
    const words = [wordOf('git'), ...rest];
    nested.push({ kind: 'argv', via: 'git -c', words, ...(folder === null ? {} : { cwd: cwdIn(folder, command) }) });
    return nested;
  }
  return [...nested, ...fromSubcommand(subcommand.text, args)];
};

function globalOptions(command: SimpleCommand): {
  readonly settings: readonly Word[];
  readonly rest: readonly Word[];
  readonly folder: Word | null;
} {
  const settings: Word[] = [];
  let folder: Word | null = null;
  let at = 0;
  for (; at < command.args.length; at += 1) {
    const text = command.args[at]?.text ?? '';
    if (!text.startsWith('-')) break;
    if (!GLOBAL_VALUES.test(text)) continue;
    at += 1;
    const value = command.args[at];
    if (value === undefined) break;
    if (text === '-c') settings.push(value);
    if (text === '-C') folder = value;
  }
  return { settings, rest: command.args.slice(at), folder };
}

function cwdIn(folder: Word, command: SimpleCommand): string | null {
  if (!isKnown(folder)) return null;
  if (folder.text.startsWith('/')) return folder.text;
  return command.cwd === null ? null : `${command.cwd}/${folder.text}`;
}

function fromSetting(setting: Word, subcommand: Word | undefined, args: readonly Word[]): readonly Nested[] {
  const equals = setting.text.indexOf('=');
  if (equals < 0) return [];
  const key = setting.text.slice(0, equals);
  const value = setting.text.slice(equals + 1);
  if (key.toLowerCase() === `alias.${subcommand?.text.toLowerCase() ?? ''}`) return fromAlias(value, args);
  return fromConfiguration(key, value);
}

function fromAlias(value: string, args: readonly Word[]): readonly Nested[] {
  if (!value.startsWith('!')) return [shell('git alias', `git ${joined([wordOf(value), ...args]).text}`)];
  return [shell('git alias', joined([wordOf(value.slice(1)), ...args]).text)];
}

function fromConfiguration(key: string, value: string): readonly Nested[] {
  if (/^alias\./i.test(key)) return fromAlias(value, []);
  if (!COMMAND_KEYS.test(key)) return [];
  return [shell('git config', value.replace(/^!/, ''))];
}

function shell(via: string, code: string): Nested {
  return { kind: 'shell', via, code: constant(code), where: 'child' };
}

function fromSubcommand(name: string, args: readonly Word[]): readonly Nested[] {
  const options = (...names: string[]): readonly Text[] =>
    optionValues({ args }, ...names).map((word) => ({ text: word.text, from: null }));
  const codes = (values: readonly Text[]): readonly Nested[] =>
    values.map((code) => ({ kind: 'shell', via: `git ${name}`, code, where: 'child' }));
  switch (name) {
    case 'rebase':
      return codes(options('x', 'exec'));
    case 'bisect':
      return args[0]?.text === 'run' ? [{ kind: 'argv', via: 'git bisect run', words: args.slice(1) }] : [];
    case 'submodule': {
      const at = args.findIndex((word) => word.text === 'foreach');
      const words = args.slice(at + 1).filter((word) => word.text !== '--recursive' && word.text !== '--quiet');
      return at < 0 ? [] : codes([joined(words)]);
    }
    case 'filter-branch':
      return codes(
        options(...['tree', 'index', 'msg', 'env', 'parent', 'commit', 'tag-name'].map((kind) => `${kind}-filter`)),
      );
    case 'difftool':
      return codes(options('x', 'extcmd'));
    case 'grep':
      return codes(options('open-files-in-pager'));
    case 'clone':
    case 'fetch':
    case 'pull':
    case 'ls-remote':
      return [
        ...codes(options('upload-pack', ...(name === 'clone' ? ['u'] : []))),
        ...codes(args.flatMap(externalTransport)),
      ];
    case 'config': {
      const [key, value] = args.filter((word) => !word.text.startsWith('-') && word.text !== 'set');
      return key === undefined || value === undefined ? [] : fromConfiguration(key.text, value.text);
    }
    default:
      return [];
  }
}

/** `ext::sh -c x% y`: a URL that is a command, with blanks written as `% `. */
function externalTransport(word: Word): readonly Text[] {
  return word.text.startsWith('ext::') ? [constant(word.text.slice('ext::'.length).replaceAll('% ', '\\ '))] : [];
}
