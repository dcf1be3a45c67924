import type { SimpleCommand, Word } from '../../api.ts';
import type { Carrier } from '../nested.ts';
import { concat, constant, originOf, type Text } from '../text.ts';

interface Interpreter {
  readonly language: string;
  /** Options whose value is code, alone or at the end of a cluster: `-c`, `-lane`. */
  readonly code: RegExp;
  /** Options whose value is something else. */
  readonly values?: RegExp;
  /** With this option it runs something that is not in the text: `python -m pytest`. */
  readonly module?: RegExp;
  /** Subcommands in front: `deno eval CODE`, `deno run FILE`. */
  readonly evaluates?: string;
  readonly runs?: string;
}

const PYTHON: Interpreter = { language: 'python', code: /^-[bBdEiIOqsSuvxP]*c$/, values: /^-[WX]$/, module: /^-m/ };
const NODE: Interpreter = {
  language: 'javascript',
  code: /^(-[ipe]*[ep]|--(eval|print))$/,
  values: /^(-r|-C|--(require|import|loader|input-type|env-file|conditions))$/,
};
const PERL: Interpreter = { language: 'perl', code: /^-[a-zA-Z0-9]*[eE]$/, values: /^-[I]$/ };
const RUBY: Interpreter = { language: 'ruby', code: /^-[a-zA-Z0-9]*e$/, values: /^-[rIC]$/ };
const PHP: Interpreter = { language: 'php', code: /^(-[rRBE]|--run)$/, values: /^-[dcz]$/ };
const LUA: Interpreter = { language: 'lua', code: /^-e$/, values: /^-l$/ };
const R: Interpreter = { language: 'r', code: /^-e$/ };

const INTERPRETERS: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(python|pypy|ipython)[\d.]*$/, PYTHON],
  [/^(node|nodejs|tsx|ts-node|esno|jiti|swc-node)$/, NODE],
  [/^bun$/, { ...NODE, runs: 'run' }],
  [/^deno$/, { ...NODE, evaluates: 'eval', runs: 'run' }],
  [/^perl[\d.]*$/, PERL],
  [/^(ruby|jruby)[\d.]*$/, RUBY],
  [/^php[\d.]*$/, PHP],
  [/^(lua|luajit|texlua)[\d.]*$/, LUA],
  [/^(Rscript|R|julia|groovy)$/, R],
];

/** The interpreter that a program is; null when it is none. */
function interpreterOf(name: string): Interpreter | null {
  return INTERPRETERS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

export function isInterpreter(name: string): boolean {
  return interpreterOf(name) !== null;
}

/** `python -c CODE`, `node < text`, `perl FILE` where the text wrote the file. */
export const runInterpreter: Carrier = (command, around) => {
  const interpreter = interpreterOf(command.name);
  if (interpreter === null || command.args.some((word) => interpreter.module?.test(word.text))) return [];
  const found = codeOf(command, interpreter);
  const code = found.kind === 'code' ? found.code : found.kind === 'file' ? around.fileText(found.file) : around.stdin;
  if (code === null) return [];
  const via = found.kind === 'code' ? `${command.name} ${found.option}` : command.name;
  return [{ kind: 'language', via, language: interpreter.language, code }];
};

type Found =
  | { readonly kind: 'code'; readonly code: Text; readonly option: string }
  | { readonly kind: 'file'; readonly file: Word }
  | { readonly kind: 'input' };

function codeOf(command: SimpleCommand, interpreter: Interpreter): Found {
  const codes: Text[] = [];
  let option = '';
  const { args } = command;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const { text } = word;
    const attached = /^(--(?:eval|print|run))=([\s\S]*)$/.exec(text);
    if (attached !== null) codes.push(constant(attached[2] ?? ''));
    else if (interpreter.code.test(text) || (at === 0 && text === interpreter.evaluates)) {
      const code = args[at + 1];
      option = text;
      if (code !== undefined) codes.push({ text: code.text, from: originOf(code) }, constant('\n'));
      at += 1;
    } else if (interpreter.values?.test(text)) at += 1;
    else if (at === 0 && text === interpreter.runs) continue;
    else if (codes.length === 0 && !text.startsWith('-') && !/^\/dev\/(stdin|fd\/0)$/.test(text))
      return { kind: 'file', file: word };
    else if (codes.length > 0 || !text.startsWith('-') || text === '-') break;
  }
  return codes.length > 0 ? { kind: 'code', code: concat(codes), option } : { kind: 'input' };
}
