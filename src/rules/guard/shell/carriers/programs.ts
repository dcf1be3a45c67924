import type { SimpleCommand, Word } from '../../api.ts';
import { operands, optionValues, textsOf, wordsBehind } from '../../options.ts';
import { pathOf } from '../../paths.ts';
import { namesIn, table } from '../../tables.ts';
import { joined, UNKNOWN, wordOf } from '../../words.ts';
import { type Carrier, type Nested, nestedArgv, nestedShell, nestedWrite, type Surroundings } from '../frame.ts';
import { awkPrints, SED_SUBSTITUTE, sedScripts } from '../output.ts';

/** Configuration keys whose value git runs. */
const COMMAND_KEYS =
  /^(core\.(sshcommand|pager|editor|fsmonitor|askpass)|sequence\.editor|diff\.external|pager\..+|credential(\..+)?\.helper|(diff|merge)(tool)?\..+\.(textconv|command|driver|cmd)|filter\..+\.(clean|smudge|process)|gpg(\..+)?\.program|remote\..+\.(uploadpack|receivepack)|uploadpack\.packobjectshook)$/i;

/** What git runs: aliases, programs named in its configuration, `rebase --exec`, `bisect run`, filters, … */
const runGit: Carrier = (command, { context }) => {
  const rest = wordsBehind(command);
  const [subcommand, ...args] = rest;
  const passed = command.via.includes(FROM_ENVIRONMENT) ? [] : settingsIn(command.assignments);
  if (passed.length > 0) return [nestedArgv(FROM_ENVIRONMENT, [wordOf('git'), ...passed, ...command.args])];
  const own = { args: command.args.slice(0, command.args.length - rest.length) };
  const fromSettings = optionValues(own, 'c').flatMap((setting) => fromSetting(setting, subcommand, args));
  if (subcommand === undefined) return fromSettings;
  if (own.args.length === 0) return fromSubcommand(subcommand.text, args);
  const folder = optionValues(own, 'C').at(-1);
  const cwd = folder === undefined ? {} : { cwd: pathOf(folder, command, context) };
  return [...fromSettings, nestedArgv('git -c', [wordOf('git'), ...rest], cwd)];
};

const FROM_ENVIRONMENT = 'GIT_CONFIG_…';

/** Settings in the environment, as `-c` passes them: `GIT_CONFIG_KEY_0=k GIT_CONFIG_VALUE_0=v`, `GIT_CONFIG_PARAMETERS`. */
function settingsIn(assignments: SimpleCommand['assignments']): readonly Word[] {
  const values = new Map(assignments.map(({ name, value }) => [name, value.text]));
  const settings = [...values].flatMap(([name, text]) => {
    if (name === 'GIT_CONFIG_PARAMETERS')
      return [...text.replaceAll("'='", '=').matchAll(/'([^']+)'/g)].map((match) => match[1]);
    return name.startsWith('GIT_CONFIG_KEY_') ? [`${text}=${values.get(name.replace('KEY', 'VALUE')) ?? ''}`] : [];
  });
  return settings.flatMap((setting) => [wordOf('-c'), wordOf(setting ?? '')]);
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
  if (!value.startsWith('!')) return [nestedShell('git alias', `git ${joined([wordOf(value), ...args]).text}`)];
  return [nestedShell('git alias', joined([wordOf(value.slice(1)), ...args]).text)];
}

function fromConfiguration(key: string, value: string): readonly Nested[] {
  if (/^alias\./i.test(key)) return fromAlias(value, []);
  if (!COMMAND_KEYS.test(key)) return [];
  return [nestedShell('git config', value.replace(/^!/, ''))];
}

/** Options of git subcommands that hold commands. */
const GIT_CODE = table([
  ['rebase', 'x exec'],
  ['filter-branch', 'tree-filter index-filter msg-filter env-filter parent-filter commit-filter tag-name-filter'],
  ['difftool', 'x extcmd'],
  ['grep', 'O open-files-in-pager'],
  ['archive', 'exec'],
  ['clone', 'u upload-pack'],
  ['fetch pull ls-remote', 'upload-pack'],
]);

function fromSubcommand(name: string, args: readonly Word[]): readonly Nested[] {
  const options = namesIn(GIT_CODE.get(name) ?? '');
  const codes = [...textsOf(optionValues({ args }, ...options))];
  if (/^(clone|fetch|pull|ls-remote)$/.test(name)) codes.push(...args.flatMap(externalTransport));
  if (name === 'submodule' && args.some(({ text }) => text === 'foreach')) {
    const words = args.slice(args.findIndex(({ text }) => text === 'foreach') + 1);
    codes.push(joined(words.filter(({ text }) => text !== '--recursive' && text !== '--quiet')).text);
  }
  if (name === 'bisect' && args[0]?.text === 'run') return [nestedArgv('git bisect run', args.slice(1))];
  if (name === 'for-each-repo') return [nestedArgv('git for-each-repo', [wordOf('git'), ...wordsBehind({ args })])];
  if (name === 'config') {
    const [key, value] = args.filter((word) => !word.text.startsWith('-') && word.text !== 'set');
    return key === undefined || value === undefined ? [] : fromConfiguration(key.text, value.text);
  }
  return codes.map((code) => nestedShell(`git ${name}`, code));
}

/** `ext::sh -c x% y`: a URL that is a command, with blanks written as `% `. */
function externalTransport({ text }: Word): readonly string[] {
  return text.startsWith('ext::') ? [text.slice('ext::'.length).replaceAll('% ', '\\ ')] : [];
}

/** GNU sed's `e` command and the `e` and `w` flags of `s`. */
const runSed: Carrier = (command) => {
  return sedScripts(command).flatMap((word) =>
    word.text.split(/[\n;]/).flatMap((text) => fromSedCommand(text.replace(/[ \t]+/g, ' ').trim())),
  );
};

const SED_ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\]|\\.)*/)`;

/** `e COMMAND` and `w FILE`. */
const SED_COMMAND = new RegExp(String.raw`^\s*(?:${SED_ADDRESS}(?:,${SED_ADDRESS})?)?\s*!?\s*\{?\s*([ew])\s+(\S.*)$`);

function fromSedCommand(text: string): readonly Nested[] {
  const [, verb, rest = ''] = SED_COMMAND.exec(text) ?? [];
  if (verb === 'e') return [nestedShell('sed e', rest)];
  if (verb === 'w') return [nestedWrite('sed w', wordOf(rest.replace(/\s*\}$/, '')))];
  const [, , , replacement = '', flags = '', file] = SED_SUBSTITUTE.exec(text) ?? [];
  if (flags.includes('e')) return [nestedShell('sed s///e', replacement.replaceAll('\\', ''))];
  return flags.endsWith('w') && file !== undefined ? [nestedWrite('sed w', wordOf(file))] : [];
}

/** awk's `system("…")`, `"…" | getline`, `print | "…"` and `print > "file"`. */
const runAwk: Carrier = (command, { fileText }) => {
  const files = optionValues(command, 'f', 'file').flatMap((file) => fileText(file) ?? []);
  const programs = files.length > 0 ? files : operands(command).slice(0, 1);
  return programs.flatMap((word) => fromAwk(word.text, command));
};

const AWK_STRING = String.raw`"((?:[^"\\]|\\.)*)"`;

const AWK_RUNS: readonly RegExp[] = [
  new RegExp(String.raw`\bsystem\s*\(\s*${AWK_STRING}(?!\s*[\w$])`, 'g'),
  new RegExp(String.raw`${AWK_STRING}\s*\|&?\s*getline`, 'g'),
  new RegExp(String.raw`\|&?\s*${AWK_STRING}`, 'g'),
];

/** `system("rm " $1)` */
const AWK_BUILDS = new RegExp(String.raw`\bsystem\s*\(\s*${AWK_STRING}\s*[\w$]`, 'g');

const AWK_ASSIGNS = new RegExp(String.raw`\b([A-Za-z_]\w{0,40})\s*=\s*${AWK_STRING}`, 'g');

const AWK_WRITES = new RegExp(String.raw`\bprintf?\b[^;}\n]{0,300}>>?\s*${AWK_STRING}`, 'g');

function fromAwk(program: string, command: SimpleCommand): readonly Nested[] {
  const runs = AWK_RUNS.flatMap((pattern) => [...program.matchAll(pattern)].map((match) => unescaped(match[1] ?? '')));
  const called = [...program.matchAll(AWK_ASSIGNS)]
    .slice(0, 20)
    .flatMap(([, name, code = '']) =>
      new RegExp(`\\bsystem\\(\\s*${name}\\s*\\)|\\b${name}\\s*\\|&?\\s*getline|\\|&?\\s*${name}\\b`).test(program)
        ? [unescaped(code)]
        : [],
    );
  const files = [...program.matchAll(AWK_WRITES)].map((match) => unescaped(match[1] ?? ''));
  const built = [...program.matchAll(AWK_BUILDS)].map((match) => unescaped(match[1] ?? '') + UNKNOWN);
  const piped = awkPrints(program).filter(({ reader }) => reader !== null && /\bsh\b|sh$/.test(reader));
  return [
    ...[...runs, ...called].map((code) => nestedShell('awk', code)),
    ...[...built, ...piped.map(({ line }) => line)].map((line) => nestedShell('awk', { text: line, from: command })),
    ...files.map((file) => nestedWrite('awk', wordOf(file))),
  ];
}

function unescaped(text: string): string {
  return text
    .replace(/\\(["\\/])/g, '$1')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t');
}

/** Editors: `vim -c ':!cmd'`, `+!cmd`, `:call system('cmd')`, also in the input of `ex` and `ed`. */
const runEditor: Carrier = (command, around) => {
  const options = [...optionValues(command, 'c', '-cmd', 'cmd', 'S'), ...plusCommands(command)];
  const lines = [...options.map((word) => word.text), ...(around.stdin?.text.split('\n') ?? [])];
  return lines.flatMap(fromExCommand);
};

function plusCommands(command: SimpleCommand): readonly Word[] {
  return command.args
    .filter((word) => word.text.startsWith('+'))
    .map((word) => ({ ...word, text: word.text.slice(1) }));
}

function fromExCommand(line: string): readonly Nested[] {
  const shellCommand = /^[\w\s:,%$.'<>]{0,40}!+\s*(\S.*)$/.exec(line)?.[1];
  if (shellCommand !== undefined) return [nestedShell('vim !', shellCommand)];
  const called = /\b(?:system(?:list)?|os\.execute|jobstart|termopen)\s*\(\s*(['"])(.*?)\1/.exec(line)?.[2];
  if (called !== undefined) return [nestedShell('vim system()', called)];
  const written = /^[\s:]*w(?:rite)?!?\s+([^!\s]\S*)/.exec(line)?.[1];
  return written === undefined ? [] : [nestedWrite('vim :w', wordOf(written))];
}

/** `\! cmd` of psql and mysql, `.shell cmd` and `.system cmd` of sqlite3, in arguments and input. */
const runDatabaseShell: Carrier = (command, around) => {
  const texts = [...command.args.map((word) => word.text), around.stdin?.text ?? ''];
  const escapes = /^[ \t]*(?:\\!|\.(?:shell|system)|system\b)[ \t]*(\S.*)$/gm;
  const run = texts.flatMap((text) =>
    [...text.matchAll(escapes)].map((match) => nestedShell(`${command.name} !`, match[1] ?? '')),
  );
  return [...run, ...fromStatementFile(command, around)];
};

/** The option of a database client for statements. */
const STATEMENT_OPTION = table([
  ['psql', '-c'],
  ['mysql mariadb', '-e'],
  ['mongosh mongo', '--eval'],
  ['sqlite3', '-cmd'],
]);

/** `psql -f FILE`, `mongosh db FILE`, for a file that the text wrote: as if its statements were typed. */
function fromStatementFile(command: SimpleCommand, around: Surroundings): readonly Nested[] {
  const option = STATEMENT_OPTION.get(command.name);
  return command.args.flatMap((file): readonly Nested[] => {
    const statements = around.fileText(file);
    if (statements === null || option === undefined) return [];
    return [nestedArgv(`${command.name} FILE`, [command.word, wordOf(option), wordOf(statements.text)])];
  });
}

/** `osascript -e 'do shell script "…"'`, `expect -c 'spawn …'`, `emacs --eval '(shell-command "…")'`, `gdb -ex 'shell …'`. */
const runScripted: Carrier = (command, { stdin }) => {
  const pattern =
    /(?:do shell script|\b(?:shell-command(?:-to-string)?|call-process|start-process|run-program|system|command|cmd)[\s(])\s*"((?:[^"\\]|\\.)*)"|(?:^|[\n;])[ \t]*(?:spawn|exec|shell|!)\s+([^\n;]+)/g;
  return [...command.args, ...(stdin === null ? [] : [stdin])].flatMap(({ text }) =>
    [...text.matchAll(pattern)].map((match) => nestedShell(command.name, unescaped(match[1] ?? match[2] ?? ''))),
  );
};

const TMUX_RUNS =
  /^(new(-session|-window)?|neww|split(-window|w)|respawn-(pane|window)|run(-shell)?|pipe-pane|if-shell)$/;

/** Commands that tmux and screen start, or type into a terminal: `tmux send-keys 'make' Enter`, `screen -X stuff '…'`. */
const runTerminal: Carrier = (command) => {
  const at = command.args.findIndex((word) => TMUX_RUNS.test(word.text) || /^(send-keys|send|stuff)$/.test(word.text));
  const words = wordsBehind({ name: 'tmux', args: command.args.slice(at + 1) }).filter(
    (word) => !/^(Enter|C-m|KPEnter)$/.test(word.text),
  );
  if (at < 0 || words.length === 0) return [];
  return [nestedShell(command.name, joined(words).text.replace(/\\[nr]$/, ''))];
};

/** `crontab -` and `at` read commands from their input. */
const runScheduled: Carrier = (command, around) => {
  const { stdin } = around;
  if (stdin === null) return [];
  const lines = stdin.text.split('\n').map((line) => line.replace(/^\s*(@\w+|(\S+\s+){5})\s*/, ''));
  const code = command.name === 'crontab' ? lines.join('\n') : stdin.text;
  return [nestedShell(command.name, { ...stdin, text: code }, { fromInput: true })];
};

/** Commands of `cmake -E` and `gio` that others have another name for. */
const FILE_TOOLS = table([
  ['remove_directory trash', 'rm -rf'],
  ['remove', 'rm'],
  ['make_directory', 'mkdir'],
  ['copy copy_if_different', 'cp'],
  ['copy_directory', 'cp -r'],
  ['rename move', 'mv'],
  ['create_symlink', 'ln -s'],
]);

const runFileTool: Carrier = (command) => {
  const words =
    command.name === 'gio' ? command.args : command.args.slice(command.args[0]?.text === '-E' ? 1 : Infinity);
  const [verb, ...rest] = words;
  if (verb === undefined) return [];
  const other = namesIn(FILE_TOOLS.get(verb.text) ?? '').map((word) => wordOf(word));
  return [nestedArgv(command.name, other.length > 0 ? [...other, ...rest] : words)];
};

const runTar: Carrier = (command) =>
  optionValues(command, 'checkpoint-action').flatMap(({ text }) =>
    text.startsWith('exec=') ? [nestedShell('tar', text.slice('exec='.length))] : [],
  );

export const PROGRAM_CARRIERS: readonly (readonly [names: string, carrier: Carrier])[] = [
  ['git', runGit],
  ['sed gsed', runSed],
  ['awk gawk mawk nawk', runAwk],
  ['vim vi nvim ex view vimdiff gvim ed', runEditor],
  ['psql mysql mariadb sqlite3 mongosh mongo', runDatabaseShell],
  ['osascript expect tclsh emacs emacsclient gdb lldb octave gnuplot guile sbcl ghc ocaml erl', runScripted],
  ['tar', runTar],
  ['cmake gio', runFileTool],
  ['tmux screen', runTerminal],
  ['crontab at batch', runScheduled],
];
