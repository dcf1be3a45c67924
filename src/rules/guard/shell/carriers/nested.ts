import type { SimpleCommand, Text } from '../../api.ts';
import { hasFlag, hasWord, textsOf } from '../../options.ts';
import { namesIn, table } from '../../tables.ts';
import { concat, constant, joined, wordOf } from '../../words.ts';
import { decodeBase64 } from '../encodings.ts';
import { type Carrier, type Nested, nestedArgv, nestedShell, nestedShellIf, type Surroundings } from '../frame.ts';
import { runFd, runFind, runParallel, runXargs } from './find.ts';
import { PROGRAM_CARRIERS } from './programs.ts';
import { runWritten } from './runners.ts';
import { runBehindDashes, runContainer, runRemoteShell, runSsh, runWrapped } from './wrappers.ts';

/** Everything that a command runs because of its arguments, its input, or its files. */
export function nestedIn(command: SimpleCommand, around: Surroundings): readonly Nested[] {
  const own = CARRIERS.get(command.name);
  const carriers = [runWrapped, ...(own === undefined ? [] : [own]), runInterpreter, runWritten];
  // `/usr/lib/git-core/git-push` is `git push`.
  const verb = /^git-(?=\w)/.test(command.name) ? command.name.slice('git-'.length) : null;
  if (verb !== null) return [nestedArgv('git-core', [wordOf('git'), wordOf(verb), ...command.args])];
  return carriers.flatMap((carrier) => carrier(command, around));
}

export const SHELLS: readonly string[] = namesIn(
  'sh bash dash zsh ksh mksh ash fish rbash yash csh tcsh lksh pdksh nu xonsh elvish',
);

/** Options of shells that take a value: `-o pipefail`, `--rcfile F`. */
const VALUE_OPTIONS = /^([-+][a-zA-Z]*[oO]|--(rcfile|init-file))$/;

const STANDARD_INPUT = /^(-|\/dev\/(stdin|fd\/0)|\/proc\/self\/fd\/0)$/;

const CODE_OPTION = /^(-[a-zA-Z]*c[a-zA-Z]*|--commands?)$/;

/** fish's `set -g NAME VALUE`. */
const FISH_SET = /(^|[;\n]\s*)set (?:-\w+ )*(\w+) ([^\s;]+)(?=\s*(?:[;\n]|$))/g;

/** `bash -lc CODE name args`, `bash -s args < text`, `bash FILE` for a file that the text wrote; `-n` runs nothing. */
const runShell: Carrier = (command, { stdin, fileText }) => {
  const { name, args } = command;
  const via = hasWord(command, CODE_OPTION) ? `${name} -c` : name;
  let reads: 'file' | 'code' | 'input' = 'file';
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? wordOf('');
    const { text } = word;
    const rest = args.slice(at + 1);
    if (text.startsWith('--command=')) return [nestedShell(via, text.slice('--command='.length))];
    if (VALUE_OPTIONS.test(text)) {
      const startup = text.startsWith('--') && rest[0] !== undefined ? fileText(rest[0]) : null;
      if (startup !== null) return [nestedShell(via, startup)];
      at += 1;
    } else if (CODE_OPTION.test(text)) reads = 'code';
    else if (/^-[a-zA-Z]*n[a-zA-Z]*$/.test(text)) return [];
    else if (/^-[a-zA-Z]*s[a-zA-Z]*$/.test(text)) reads = 'input';
    else if (/^([-+][a-zA-Z]+|--.*)$/.test(text)) continue;
    else if (reads === 'code') {
      const [zero, ...others] = rest;
      const code = name === 'fish' ? { ...word, text: text.replace(FISH_SET, '$1$2=$3') } : word;
      return [nestedShell(via, code, zero === undefined ? {} : { zero, args: others })];
    } else if (reads === 'input') return nestedShellIf(via, stdin, { args: args.slice(at), fromInput: true });
    else if (STANDARD_INPUT.test(text)) return nestedShellIf(via, stdin, { args: rest, fromInput: true });
    else return nestedShellIf(via, fileText(word), { args: rest });
  }
  return nestedShellIf(via, reads === 'code' ? null : stdin, { fromInput: true });
};

/** `pwsh -Command CODE`, `cmd /c CODE`. */
const runWindowsShell: Carrier = (command, { stdin }) => {
  const at = command.args.findIndex(({ text }) => /^(-c(ommand)?|\/[ck])$/i.test(text));
  const encoded = command.args.findIndex(({ text }) => /^-e(c|nc\w*)?$/i.test(text));
  const hidden = encoded < 0 ? null : decodeBase64(command.args[encoded + 1]?.text ?? '');
  if (hidden !== null) return [nestedShell(command.name, asShell(hidden.replaceAll('\0', '')))];
  const bare = command.name === 'powershell' && at < 0 && /^[^-]/.test(command.args[0]?.text ?? '');
  const code = at < 0 && !bare ? stdin : joined(command.args.slice(at + 1));
  return code === null ? [] : [nestedShell(command.name, { ...code, text: asShell(code.text) }, { fromInput: at < 0 })];
};

/** What PowerShell and cmd.exe call `rm -rf`, with the switches of the latter. */
const WINDOWS_REMOVAL = /(^|[;|&({]\s*)(Remove-Item|rmdir|rd|ri|del|erase)\b((?:\s+\/[a-z]\b)*)/gi;

/** Their code as shell text, as far as programs, paths and deletions need it. */
function asShell(code: string): string {
  return code
    .replace(/(^|[;|]\s*)&\s*(?=\S)/g, '$1')
    .replace(/%USERPROFILE%|\$env:(USERPROFILE|HOME)\b/gi, '$HOME')
    .replace(/\b[a-z]:[\\/]?(?=[\w*]|$)/gi, '/')
    .replaceAll('\\', '/')
    .replace(/\b(Get-ChildItem|gci|dir)\b/gi, 'ls')
    .replace(/\b(Clear|Set|Add)-Content\b|\bOut-File\b/gi, 'tee')
    .replace(/\b(Get-Process|gps)\s+(-Name\s+)?(\w+)\s*\|\s*(Stop-Process|kill)\b/gi, 'pkill $3')
    .replace(/\bStop-Process\s+-Name\b/gi, 'pkill')
    .replace(/\b(Stop|Restart)-Computer\b[^;|]*/gi, 'reboot')
    .replace(/\b(Move|Copy)-Item\b/gi, (_, verb: string) => (/^m/i.test(verb) ? 'mv' : 'cp'))
    .replace(WINDOWS_REMOVAL, (_, before) => `${before}${before.startsWith('|') ? 'xargs ' : ''}rm -rf`);
}

/** `eval a b`: its words, joined, in the current shell. */
const runEval: Carrier = (command) => {
  const words = command.args[0]?.text === '--' ? command.args.slice(1) : command.args;
  return words.length === 0 ? [] : [nestedShell('eval', joined(words), { where: 'here' })];
};

/** `source FILE args`, for a file that the text wrote or a substitution prints. */
const runSource: Carrier = (command, around) => {
  const [file, ...args] = command.args;
  if (file === undefined) return [];
  const fromInput = STANDARD_INPUT.test(file.text);
  const code = fromInput ? around.stdin : around.fileText(file);
  return nestedShellIf(command.name, code, { args, where: 'here', fromInput });
};

/** `trap 'CODE' EXIT`. */
const runTrap: Carrier = (command) => {
  const words = command.args.filter((word) => !/^-[lp-]?$/.test(word.text));
  const [code] = words;
  if (code === undefined || words.length < 2 || hasFlag(command, 'l', 'p')) return [];
  return [nestedShell('trap', code)];
};

/** `su user` and `sudo -s` without a command start a shell that reads its standard input. */
const runLoginShell: Carrier = (command, { stdin }) => {
  const other =
    command.name === 'su'
      ? hasFlag(command, 'c', 'command')
      : !/^-[a-zA-Z]*[si]|^--(shell|login)$/.test(command.args.at(-1)?.text ?? '');
  return other ? [] : nestedShellIf(command.name, stdin, { fromInput: true });
};

interface Interpreter {
  readonly language: string;
  /** Options whose value is code, alone or at the end of a cluster: `-c`, `-lane`. */
  readonly code: RegExp;
  /** Options whose value is something else. */
  readonly values?: RegExp;
  /** With this option it runs code that is not in the text: `python -m pytest`. */
  readonly module?: RegExp;
  /** A subcommand before the code: `deno eval CODE`. */
  readonly evaluates?: RegExp;
}

const PYTHON: Interpreter = { language: 'python', code: /^-[bBdEiIOqsSuvxP]*c$/, values: /^-[WX]$/, module: /^-m/ };
const NODE: Interpreter = {
  language: 'javascript',
  code: /^(-[ipe]*[ep]|--(eval|print))$/,
  values: /^(-r|-C|--(require|import|loader|input-type|env-file|conditions))$/,
};
const PERL: Interpreter = { language: 'perl', code: /^-[a-zA-Z0-9]*[eE]$/, values: /^-[I]$/ };
const RUBY: Interpreter = { language: 'ruby', code: /^-[a-zA-Z0-9]*e$/, values: /^-[rIC]$/ };
const PHP: Interpreter = { language: 'php', code: /^(-[rRBE]|--run|--execute)$/, values: /^-[dcz]$/ };
const LUA: Interpreter = { language: 'lua', code: /^-e$/, values: /^-l$/ };
const R: Interpreter = { language: 'r', code: /^-e$/ };

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [/^((python|pypy|ipython)[\d.]*|uv)$/, PYTHON],
  [/^(node|nodejs|tsx|ts-node|esno|jiti|swc-node)$/, NODE],
  [/^bun$/, NODE],
  [/^zx$/, { ...NODE, code: /^(-e|--eval)$/ }],
  [/^deno$/, { ...NODE, evaluates: /^eval$/ }],
  [/^rails$/, { ...RUBY, evaluates: /^(runner|r|console|c)$/ }],
  [/^perl[\d.]*$/, PERL],
  [/^(ruby|jruby)[\d.]*$/, RUBY],
  [/^php[\d.]*$/, PHP],
  [/^(lua|luajit|texlua)[\d.]*$/, LUA],
  [/^(Rscript|R|julia|groovy)$/, R],
];

/** Scripts that interpret code themselves: `python manage.py shell -c CODE`. */
const OWN_SHELL = /(^|\/)(manage\.py shell(_plus)?|artisan tinker)$/;

/** `python -c CODE`, `node < text`, `perl FILE` for a file that the text wrote. */
const runInterpreter: Carrier = ({ name, args }, around) => {
  const ownShell = OWN_SHELL.test(textsOf(args.slice(0, 2)).join(' '));
  const skipped = ownShell ? 2 : /^(deno|bun|uv)$/.test(name) && args[0]?.text === 'run' ? 1 : 0;
  const command = { name, args: args.slice(skipped) };
  const interpreter = INTERPRETERS.find(([pattern]) => pattern.test(command.name))?.[1];
  if (interpreter === undefined || command.args.some((word) => interpreter.module?.test(word.text))) return [];
  const { code, option } = codeOf(command, interpreter, around.stdin);
  const via = option === undefined ? command.name : `${command.name} ${option}`;
  if (code === null) return [];
  // `exec(sys.stdin.read())`: the input is code, too.
  const input = around.stdin !== null && code !== around.stdin && RUNS_INPUT.test(code.text) ? [around.stdin] : [];
  return [code, ...input].map((text) => ({ kind: 'language', via, language: interpreter.language, code: text }));
};

const RUNS_INPUT = /\b(exec|eval)\b[^\n]{0,60}\b(stdin|STDIN|readFileSync\(0)/;

interface Code {
  readonly code: Text | null;
  /** The option that holds it; absent for a file or standard input. */
  readonly option?: string;
}

function codeOf(command: Pick<SimpleCommand, 'args'>, interpreter: Interpreter, stdin: Text | null): Code {
  const codes: Text[] = [];
  let option = '';
  const { args } = command;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { text } = word;
    const attached = /^(--(?:eval|print|run|execute))=([\s\S]*)$/.exec(text);
    if (attached !== null) codes.push(constant(attached[2] ?? ''));
    else if (interpreter.code.test(text) || (at === 0 && interpreter.evaluates?.test(text))) {
      const code = args[at + 1];
      option = text;
      if (code !== undefined) codes.push(code, constant('\n'));
      at += 1;
    } else if (interpreter.values?.test(text)) at += 1;
    else if (codes.length === 0 && !text.startsWith('-') && !/^\/dev\/(stdin|fd\/0)$/.test(text)) return { code: null };
    else if (codes.length > 0 || !text.startsWith('-') || text === '-') break;
  }
  return codes.length > 0 ? { code: concat(codes), option } : { code: stdin };
}

/** Programs by name, with the carrier that finds the commands they run, besides those that any program may run. */
const CARRIERS = table<Carrier>([
  [SHELLS.join(' '), runShell],
  ['pwsh powershell cmd', runWindowsShell],
  ['eval', runEval],
  ['source .', runSource],
  ['trap', runTrap],
  ['su sudo doas', runLoginShell],
  ['find gfind', runFind],
  ['fd fdfind', runFd],
  ['xargs gxargs', runXargs],
  ['parallel rush sem', runParallel],
  ['ssh', runSsh],
  ['docker podman nerdctl docker-compose podman-compose', runContainer],
  ['kubectl oc lxc incus microk8s fly flyctl heroku nomad kubecolor', runBehindDashes],
  ['adb', runRemoteShell],
  ...PROGRAM_CARRIERS,
]);
