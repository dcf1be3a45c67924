import type { SimpleCommand, Word } from '../../api.ts';
import { behindOptions, operands, optionValues } from '../../flags.ts';
import { awkPrints } from '../generated.ts';
import type { Carrier, Nested, Surroundings } from '../nested.ts';
import { constant, joined, originOf, wordOf } from '../text.ts';

function shell(via: string, code: string): Nested {
  return { kind: 'shell', via, code: constant(code), where: 'child' };
}

function writes(via: string, file: string): Nested {
  return { kind: 'argv', via, words: [wordOf('printf')], redirects: [{ operator: '>', target: wordOf(file) }] };
}

/** GNU sed's `e` command and the `e` and `w` flags of `s`. */
export const runSed: Carrier = (command) => {
  const given = optionValues(command, 'e', 'expression');
  const scripts = given.length > 0 ? given : operands(command, ['f', 'file', 'l', 'line-length']).slice(0, 1);
  return scripts.flatMap((word) =>
    word.text.split(/[\n;]/).flatMap((text) => fromSedCommand(text.replace(/[ \t]+/g, ' ').trim())),
  );
};

const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\]|\\.)*/)`;

const SED_EXECUTE = new RegExp(String.raw`^\s*(?:${ADDRESS}(?:,${ADDRESS})?)?\s*!?\s*\{?\s*e\s+(\S.*)$`);

const SED_WRITE = new RegExp(String.raw`^\s*(?:${ADDRESS}(?:,${ADDRESS})?)?\s*!?\s*\{?\s*w\s+(\S+)\s*\}?$`);

const SED_SUBSTITUTE =
  /^\s*(?:\d+|\$)?\s*s([/|#,@!])((?:(?!\1)[^\\]|\\.)*)\1((?:(?!\1)[^\\]|\\.)*)\1([a-zA-Z0-9]*)(?:\s+(\S+))?/;

function fromSedCommand(text: string): readonly Nested[] {
  const execute = SED_EXECUTE.exec(text)?.[1];
  if (execute !== undefined) return [shell('sed e', execute)];
  const write = SED_WRITE.exec(text)?.[1];
  if (write !== undefined) return [writes('sed w', write)];
  const substitute = SED_SUBSTITUTE.exec(text);
  const flags = substitute?.[4] ?? '';
  const file = substitute?.[5];
  if (flags.includes('e')) return [shell('sed s///e', (substitute?.[3] ?? '').replaceAll('\\', ''))];
  return flags.endsWith('w') && file !== undefined ? [writes('sed w', file)] : [];
}

/** awk's `system("…")`, `"…" | getline`, `print | "…"` and `print > "file"`. */
export const runAwk: Carrier = (command) => {
  const programs = operands(command, ['F', 'v', 'f', 'field-separator', 'assign', 'file']).slice(0, 1);
  return programs.flatMap((word) => fromAwk(word.text, command));
};

const AWK_STRING = String.raw`"((?:[^"\\]|\\.)*)"`;

const AWK_RUNS: readonly RegExp[] = [
  new RegExp(String.raw`\bsystem\s*\(\s*${AWK_STRING}`, 'g'),
  new RegExp(String.raw`${AWK_STRING}\s*\|&?\s*getline`, 'g'),
  new RegExp(String.raw`\|&?\s*${AWK_STRING}`, 'g'),
];

const AWK_WRITES = new RegExp(String.raw`\bprintf?\b[^;}\n]{0,300}>>?\s*${AWK_STRING}`, 'g');

function fromAwk(program: string, command: SimpleCommand): readonly Nested[] {
  const runs = AWK_RUNS.flatMap((pattern) => [...program.matchAll(pattern)].map((match) => unescaped(match[1] ?? '')));
  const files = [...program.matchAll(AWK_WRITES)].map((match) => unescaped(match[1] ?? ''));
  const piped = awkPrints(program).filter(({ reader }) => reader !== null && /\bsh\b|sh$/.test(reader));
  return [
    ...runs.map((code) => shell('awk', code)),
    ...piped.map(
      ({ line }): Nested => ({ kind: 'shell', via: 'awk', code: { text: line, from: command }, where: 'child' }),
    ),
    ...files.map((file) => writes('awk', file)),
  ];
}

function unescaped(text: string): string {
  return text
    .replace(/\\(["\\/])/g, '$1')
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t');
}

/** Editors: `vim -c ':!cmd'`, `+!cmd`, `:call system('cmd')`, and the same on the input of `ex` and `ed`. */
export const runEditor: Carrier = (command, around) => {
  const options = [...optionValues(command, 'c', '-cmd', 'cmd', 'S'), ...plusCommands(command)];
  const lines = [...options.map((word) => word.text), ...(around.stdin?.text.split('\n') ?? [])];
  return lines.flatMap(fromExCommand);
};

function plusCommands(command: SimpleCommand): readonly Word[] {
  return command.args
    .filter((word) => word.text.startsWith('+'))
    .map((word) => wordOf(word.text.slice(1), false, originOf(word)));
}

function fromExCommand(line: string): readonly Nested[] {
  const shellCommand = /^[\w\s:,%$.'<>]{0,40}!+\s*(\S.*)$/.exec(line)?.[1];
  if (shellCommand !== undefined) return [shell('vim !', shellCommand)];
  const called = /\b(?:system(?:list)?|os\.execute|jobstart|termopen)\s*\(\s*(['"])(.*?)\1/.exec(line)?.[2];
  if (called !== undefined) return [shell('vim system()', called)];
  const written = /^[\s:]*w(?:rite)?!?\s+([^!\s]\S*)/.exec(line)?.[1];
  return written === undefined ? [] : [writes('vim :w', written)];
}

/** `\! cmd` of psql and mysql, `.shell cmd` and `.system cmd` of sqlite3, in arguments and on the input. */
export const runDatabaseShell: Carrier = (command, around) => {
  const texts = [...command.args.map((word) => word.text), around.stdin?.text ?? ''];
  const escapes = /^[ \t]*(?:\\!|\.(?:shell|system)|system\b)[ \t]*(\S.*)$/gm;
  const run = texts.flatMap((text) =>
    [...text.matchAll(escapes)].map((match) => shell(`${command.name} !`, match[1] ?? '')),
  );
  return [...run, ...fromStatementFile(command, around)];
};

/** `psql -f FILE`, where the text wrote the file or a substitution prints it: as if its statements were typed. */
function fromStatementFile(command: SimpleCommand, around: Surroundings): readonly Nested[] {
  if (command.name !== 'psql') return [];
  return optionValues(command, 'f', 'file').flatMap((file): readonly Nested[] => {
    const statements = around.fileText(file);
    if (statements === null) return [];
    return [{ kind: 'argv', via: 'psql -f', words: [wordOf('psql'), wordOf('-c'), wordOf(statements.text)] }];
  });
}

/** `osascript -e 'do shell script "…"'`, `expect -c 'spawn …'`, `emacs --eval '(shell-command "…")'`, `gdb -ex 'shell …'`. */
export const runScripted: Carrier = (command) => {
  const pattern =
    /(?:do shell script|\(\s*(?:shell-command(?:-to-string)?|call-process|start-process)|\bsystem\s*\()\s*"((?:[^"\\]|\\.)*)"|(?:^|[\n;])[ \t]*(?:spawn|exec|shell|!)\s+([^\n;]+)/g;
  return command.args.flatMap((word) =>
    [...word.text.matchAll(pattern)].map((match) => shell(command.name, unescaped(match[1] ?? match[2] ?? ''))),
  );
};

const TMUX_RUNS =
  /^(new(-session|-window)?|neww|split(-window|w)|respawn-(pane|window)|run(-shell)?|pipe-pane|if-shell)$/;

const TMUX_VALUES = 'L S f s n t c x y e F l p'.split(' ');

/** Commands that tmux and screen start, or type into a terminal: `tmux send-keys 'make' Enter`, `screen -X stuff '…'`. */
export const runTerminal: Carrier = (command) => {
  const at = command.args.findIndex((word) => TMUX_RUNS.test(word.text) || /^(send-keys|send|stuff)$/.test(word.text));
  const words = behindOptions(command.args.slice(at + 1), TMUX_VALUES).filter(
    (word) => !/^(Enter|C-m|KPEnter)$/.test(word.text),
  );
  if (at < 0 || words.length === 0) return [];
  return [{ kind: 'shell', via: command.name, code: joined(words), where: 'child' }];
};

/** `crontab -` and `at` take commands on their input. */
export const runScheduled: Carrier = (command, around) => {
  const { stdin } = around;
  if (stdin === null) return [];
  const lines = stdin.text.split('\n').map((line) => line.replace(/^\s*(@\w+|(\S+\s+){5})\s*/, ''));
  const code = command.name === 'crontab' ? lines.join('\n') : stdin.text;
  return [{ kind: 'shell', via: command.name, code: { ...stdin, text: code }, where: 'child', fromInput: true }];
};
