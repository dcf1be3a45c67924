import { table } from '../../tables.ts';
import { UNKNOWN } from '../../words.ts';
import { decodeBase64, decodeHex } from '../encodings.ts';
import { type Token, tokenize } from './tokens.ts';

/** Brackets nested deeper than this are not read. */
const DEEPEST = 60;

/** Of a longer chain of calls the last names count, and the first words of its command. */
const MOST_NAMES = 12;

/** Every call in a program, with its constant arguments evaluated; strings in backticks are calls of `` ` ``. */
export function findCalls(code: string, language: string, home: string): readonly Call[] {
  const variables = new Map([['getppid', PARENT]]);
  const program: Program = { language, home, calls: [], variables, functions: new Map(), turn: 0, turns: 1 };
  // A later reading knows what is bound further on: `[f(x) for x in y]`, a function called before its definition.
  new Reader(code, program, 0).readAll();
  program.calls.length = 0;
  // The element of `[f(x) for x in y]` is known one reading late.
  for (; program.turn < Math.min(program.turns, MOST_TURNS) + (program.turns > 1 ? 1 : 0); program.turn += 1)
    new Reader(code, program, 0).readAll();
  return program.calls;
}

/** Of a loop over a list so many elements are followed, each in a reading of its own. */
const MOST_TURNS = 6;

/** State shared by the readers of a program and of the code in its strings. */
interface Program {
  readonly language: string;
  readonly home: string;
  readonly calls: Call[];
  readonly variables: Map<string, Value>;
  /** Other names of functions: `import rmtree as r`, `const r = fs.rmSync`. */
  readonly functions: Map<string, readonly string[]>;
  /** The element that loops are at. */
  turn: number;
  /** How many elements the longest loop has. */
  turns: number;
}

/** Reads tokens as expressions, one after another. Statements, operators and keywords are skipped. */
class Reader {
  private at = 0;
  private readonly tokens: readonly Token[];
  private readonly program: Program;
  private depth: number;
  /** The names of the last term, unless it was a call: an assignment gives them another name. */
  private lastNames: readonly string[] = [];

  constructor(code: string, program: Program, depth: number) {
    this.tokens = tokenize(code, program.language);
    this.program = program;
    this.depth = depth;
  }

  /** The value of the last expression. */
  readAll(): Value {
    let last = NOT_KNOWN;
    while (this.at < this.tokens.length) {
      if (this.isSeparator()) this.at += 1;
      else last = this.readExpression();
    }
    return last;
  }

  private mark(offset = 0): string {
    const token = this.tokens[this.at + offset];
    return token?.kind === 'mark' ? token.text : '';
  }

  private isSeparator(): boolean {
    return /^[;,\n)\]}]$/.test(this.mark());
  }

  /** Up to a separator. `+` and `.` concatenate terms; `/` joins paths; anything else makes the value unknown. */
  private readExpression(): Value {
    let value: Value | null = null;
    let operator = '';
    while (this.at < this.tokens.length && !this.isSeparator()) {
      const sign = this.mark();
      if (sign !== '' && !/^[([{]$/.test(sign) && !(sign === '-' && value === null)) {
        operator = sign;
        this.at += 1;
        continue;
      }
      const term = this.readTerm();
      value = value === null ? term : combine(value, operator, term);
      operator = '';
    }
    return value ?? NOT_KNOWN;
  }

  private readTerm(): Value {
    const token = this.tokens[this.at];
    if (token === undefined) return NOT_KNOWN;
    if (token.kind === 'mark' && token.text === '-') {
      this.at += 1;
      return this.mark() === '-' ? NOT_KNOWN : text(`-${textOf(this.readTerm())}`);
    }
    if (token.kind === 'number') {
      this.at += 1;
      return text(token.text);
    }
    if (token.kind === 'name') return this.readName(token.text);
    if (token.kind === 'string') {
      this.at += 1;
      let whole = this.textOfString(token);
      // Adjacent strings are one.
      for (
        let next = this.tokens[this.at];
        next?.kind === 'string' && !next.runs && !token.runs;
        next = this.tokens[this.at]
      ) {
        this.at += 1;
        whole += this.textOfString(next);
      }
      const value = text(whole);
      if (token.runs) this.program.calls.push({ names: ['`'], args: [value], receiver: null });
      return this.readChain([], value);
    }
    return this.readChain([], this.readBrackets(token.text));
  }

  private readName(name: string): Value {
    this.at += 1;
    if (this.mark() === '=' && this.depth <= DEEPEST) {
      this.at += 1;
      this.depth += 1;
      this.lastNames = [];
      const value = this.readExpression();
      this.depth -= 1;
      this.program.variables.set(name, value);
      if (this.lastNames.length > 0) this.program.functions.set(name, this.lastNames);
      return value;
    }
    const next = this.tokens[this.at + 1];
    if (this.isName('as') && next?.kind === 'name') this.program.functions.set(next.text, [name]);
    if ((this.isName('in') || this.isName('of')) && this.depth <= DEEPEST) {
      this.at += 1;
      this.depth += 1;
      this.program.variables.set(name, this.elementOf(this.readTerm()));
      this.depth -= 1;
      return NOT_KNOWN;
    }
    return this.readChain(this.program.functions.get(name) ?? [name], this.program.variables.get(name) ?? NOT_KNOWN);
  }

  private isName(text: string): boolean {
    const token = this.tokens[this.at];
    return token?.kind === 'name' && token.text === text;
  }

  /** What follows a term: `.name`, `['name']`, `(args)`, and arguments without brackets. */
  private readChain(names: readonly string[], start: Value): Value {
    let chain = names;
    let value = start;
    let receiver: Value | null = null;
    for (;;) {
      const sign = this.mark();
      const next = this.tokens[this.at + 1];
      if (/^(\.|::|->|\?\.)$/.test(sign) && next?.kind === 'name') {
        this.at += 2;
        receiver = value;
        chain = [...chain.slice(-MOST_NAMES), next.text];
        if (next.text !== 'path' || textOf(value) === UNKNOWN)
          value =
            next.text === 'HOME'
              ? text(this.program.home)
              : next.text === 'ppid'
                ? PARENT
                : next.text === 'parent' && textOf(value) !== UNKNOWN
                  ? text(`${textOf(value)}/..`)
                  : this.valueWithoutArguments(chain, receiver);
      } else if (sign === '[' || (sign === '{' && /^\$?ENV$/.test(chain.at(-1) ?? ''))) {
        const name = this.tokens[this.at + 1];
        const key = this.readBrackets(sign);
        const index = listOf(key)?.[0] ?? (name?.kind === 'name' ? name.text : UNKNOWN);
        receiver = value;
        chain = [...chain.slice(-MOST_NAMES), index];
        const element = receiver.kind === 'list' ? receiver.items[Number(index)] : undefined;
        value =
          element ??
          (index === 'HOME'
            ? text(this.program.home)
            : receiver === NOT_KNOWN && names[0] === 'Dir'
              ? text(index)
              : NOT_KNOWN);
      } else if (ITERATES.test(chain.at(-1) ?? '') && /^[({]$/.test(sign)) {
        this.bindParameter(this.elementOf(receiver ?? NOT_KNOWN));
        this.readBrackets(sign);
      } else if (sign === '(') {
        const args = this.readArguments('(');
        const call: Call = { names: chain, args, receiver };
        this.program.calls.push(call);
        value = valueOfCall(call, this.program.home);
        receiver = null;
        this.lastNames = [];
        if (IMPORTS.test(chain.at(-1) ?? '')) chain = [textOf(args[0]).replace(/^node:/, '')];
        if (chain.at(-1) === 'getattr') chain = [...chain, textOf(args[1])];
      } else if (chain.length > 0 && this.startsBareArgument(chain.at(-1) ?? '')) {
        const call: Call = { names: chain, args: this.readBareArguments(), receiver };
        this.program.calls.push(call);
        return valueOfCall(call, this.program.home);
      } else {
        this.lastNames = sign === '' || this.isSeparator() ? chain : [];
        return value;
      }
    }
  }

  /** What a loop over a value gets: something in the folder that a listing names, one element of a list. */
  private elementOf(value: Value): Value {
    if (value.kind !== 'list') return value;
    this.program.turns = Math.max(this.program.turns, value.items.length);
    return value.items[this.program.turn % value.items.length] ?? NOT_KNOWN;
  }

  /** The parameter of the block that follows: `d => …`, `(d) => …`, `function (d)`, `{ |d| … }`. */
  private bindParameter(value: Value): void {
    const ahead = this.tokens.slice(this.at + 1, this.at + 5);
    const name = ahead.find((token) => token.kind === 'name' && token.text !== 'function' && token.text !== 'async');
    if (name?.kind === 'name') this.program.variables.set(name.text, value);
  }

  /** Ruby calls without brackets: `Dir.home`, `User.delete_all`. */
  private valueWithoutArguments(names: readonly string[], receiver: Value): Value {
    if (this.program.language !== 'ruby') return NOT_KNOWN;
    const call: Call = { names, args: [], receiver };
    if (this.mark() !== '(' && !this.startsBareArgument(names.at(-1) ?? '')) this.program.calls.push(call);
    return valueOfCall(call, this.program.home);
  }

  /** `system "rm x"`, `` $`rm x` ``: a string right after a name is its argument, `rm_rf x` in Ruby. */
  private startsBareArgument(called: string): boolean {
    const next = this.tokens[this.at];
    if (next?.kind === 'string') return this.program.language !== 'python';
    return (
      /^(ruby|perl)$/.test(this.program.language) && BARE.test(called) && next !== undefined && next.kind !== 'mark'
    );
  }

  private readBareArguments(): readonly Value[] {
    const args = [this.readExpression()];
    while (this.mark() === ',') {
      this.at += 1;
      args.push(this.readExpression());
    }
    return args;
  }

  private readArguments(open: string): readonly Value[] {
    const value = this.readBrackets(open);
    if (value.kind === 'list') return value.items;
    return [value];
  }

  /** A list in `(…)` or `[…]`, a record in `{…}`. `(x)` is also a list of one, see `textOf`. */
  private readBrackets(open: string): Value {
    const close = open === '(' ? ')' : open === '[' ? ']' : '}';
    this.at += 1;
    this.depth += 1;
    const items: Value[] = [];
    const fields = new Map<string, Value>();
    const renamed: (readonly [string, string])[] = [];
    while (this.at < this.tokens.length && this.mark() !== close) {
      if (this.isSeparator()) this.at += 1;
      else if (this.depth > DEEPEST) this.at += 1;
      else {
        const key = this.tokens[this.at];
        const keyed = /^(:|=>)$/.test(this.mark(1)) && open !== '[';
        if (keyed && key !== undefined) {
          this.at += 2;
          const other = this.tokens[this.at];
          if (other?.kind === 'name') renamed.push([other.text, nameOfKey(key)]);
          fields.set(nameOfKey(key), this.readExpression());
        } else items.push(this.readExpression());
      }
    }
    this.at += 1;
    this.depth -= 1;
    // `const { rmSync: r } = require('fs')`
    const isPattern = this.mark() === '=' || (this.mark() === ')' && this.mark(1) === '=>');
    if (open === '{' && isPattern) for (const [name, of] of renamed) this.program.functions.set(name, [of]);
    if (open === '{') return { kind: 'record', fields };
    return { kind: 'list', items: fields.size === 0 ? items : [...items, { kind: 'record', fields }] };
  }

  private textOfString(token: Extract<Token, { kind: 'string' }>): string {
    const pieces = token.pieces.map((piece) => {
      if ('literal' in piece) return piece.literal;
      return this.depth > DEEPEST ? UNKNOWN : textOf(new Reader(piece.code, this.program, this.depth + 10).readAll());
    });
    return pieces.join('');
  }
}

/** Functions that Ruby and Perl call without brackets, to an effect. */
const BARE = /^(rm\w*|remove\w*|unlink|rmtree|rmdir|system|exec|kill|chmod|rename)$/;

/** Calls whose block gets the elements of what they are called on, one after another. */
const ITERATES = /^(forEach|each|map|filter|each_child|flatMap|for_each)$/;

/** `__import__('os').remove` is `os.remove`. */
const IMPORTS = /^(__import__|import_module|require|import)$/;

function nameOfKey(token: Token): string {
  if (token.kind !== 'string') return token.text;
  return token.pieces.map((piece) => ('literal' in piece ? piece.literal : UNKNOWN)).join('');
}

function combine(left: Value, operator: string, right: Value): Value {
  const [a, b] = [textOf(left), textOf(right)];
  if (operator === '/') return text(b.startsWith('/') ? b : `${a}/${b}`);
  if (operator === '+' || operator === '.' || operator === '..') {
    if (left.kind === 'list' && right.kind === 'list') return { kind: 'list', items: [...left.items, ...right.items] };
    return text(a + b);
  }
  if (operator === '%') return filled(a, /%[sd]/g, right);
  if (operator === '||' || operator === '') return right;
  return NOT_KNOWN;
}

/** `'%s %s' % (a, b)`, `'{} {}'.format(a, b)`. */
function filled(template: string, mark: RegExp, values: Value): Value {
  const words = listOf(values) ?? [textOf(values)];
  let used = 0;
  return text(
    template.replace(mark, () => {
      used += 1;
      return words[used - 1] ?? UNKNOWN;
    }),
  );
}

const formats: Evaluate = ({ args, receiver }) =>
  filled(textOf(receiver ?? undefined), /\{\d*\}/g, { kind: 'list', items: args });

/** The value of an expression, as far as it is constant. */
export type Value =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> };

/** The process that started this one. */
const PARENT: Value = { kind: 'text', text: '$PPID' };

const NOT_KNOWN: Value = { kind: 'text', text: UNKNOWN };

export function text(value: string): Value {
  return { kind: 'text', text: value };
}

/** A value as text; a list of one, from brackets around a term, becomes its element. */
export function textOf(value: Value | undefined): string {
  if (value?.kind === 'list' && value.items.length === 1) return textOf(value.items[0]);
  return value?.kind === 'text' ? value.text : UNKNOWN;
}

export function listOf(value: Value | undefined): readonly string[] | null {
  return value?.kind === 'list' ? value.items.map(textOf) : null;
}

/** A call in the code: `os.path.join(a, b)` has the names `os`, `path`, `join`. */
export interface Call {
  readonly names: readonly string[];
  readonly args: readonly Value[];
  /** What the last name was called on: `Path('x')` in `Path('x').unlink()`. */
  readonly receiver: Value | null;
}

type Evaluate = (call: Call, home: string) => Value | null;

const joinPath: Evaluate = ({ args, receiver, names }) => {
  const list = listOf(args[0]);
  if (list !== null && args.length === 1) return text(list.join(receiver?.kind === 'text' ? receiver.text : ''));
  if (receiver?.kind === 'list')
    return text((listOf(receiver) ?? []).join(args[0] === undefined ? ',' : textOf(args[0])));
  const parts = [...(names.at(-1) === 'joinpath' && receiver !== null ? [receiver] : []), ...args].map(textOf);
  const lastAbsolute = parts.findLastIndex((part) => part.startsWith('/'));
  return text(parts.slice(Math.max(0, lastAbsolute)).join('/'));
};

const ownHome: Evaluate = (_, home) => text(home);

const expandHome: Evaluate = ({ args, receiver }, home) => {
  const path = textOf(args[0] ?? receiver ?? undefined);
  return text(path.replace(/^~(?=\/|$)/, home));
};

const same: Evaluate = ({ args, receiver }) => (receiver?.kind === 'text' ? receiver : (args[0] ?? null));

/** `Command::new("rm").arg("-r").args(["x"])`: the words of the command so far. */
export function withArguments({ args, receiver }: Pick<Call, 'args' | 'receiver'>): Value {
  const before = receiver?.kind === 'list' ? receiver.items : [];
  if (before.length > 3 * MOST_NAMES) return NOT_KNOWN;
  return { kind: 'list', items: [...before, ...args.flatMap((arg) => (arg.kind === 'list' ? arg.items : [arg]))] };
}

const split: Evaluate = ({ args, receiver }) => {
  const value = textOf(receiver?.kind === 'text' && receiver.text !== UNKNOWN ? receiver : args[0]);
  return {
    kind: 'list',
    items: value
      .split(/\s+/)
      .filter((part) => part !== '')
      .map(text),
  };
};

/** `words.slice(1)`; a longer list is no command. */
const rest: Evaluate = ({ args, receiver }) => {
  if (receiver?.kind !== 'list') return null;
  const from = Number(textOf(args[0])) || 0;
  return { kind: 'list', items: receiver.items.slice(from, from + 3 * MOST_NAMES) };
};

const fromBase64: Evaluate = ({ args, receiver }) =>
  text(decodeBase64(textOf(args[0] ?? receiver ?? undefined)) ?? UNKNOWN);

const fromHex: Evaluate = ({ args, receiver }) => text(decodeHex(textOf(args[0] ?? receiver ?? undefined)) ?? UNKNOWN);

const fromBuffer: Evaluate = ({ args }) => {
  const [value, encoding] = args.map(textOf);
  if (encoding === 'base64') return text(decodeBase64(value ?? '') ?? UNKNOWN);
  if (encoding === 'hex') return text(decodeHex(value ?? '') ?? UNKNOWN);
  return args[0] ?? null;
};

const fromCodes: Evaluate = ({ args }) => {
  const codes = args.map((value) => Number(textOf(value)));
  const valid = codes.every((code) => Number.isInteger(code) && code >= 0 && code < 0x110000);
  return valid ? text(String.fromCodePoint(...codes)) : null;
};

/** The paths in a folder; where only their names are listed, one unknown name. */
const listing: Evaluate = ({ args, receiver }) => {
  const folder = receiver?.kind === 'text' && receiver.text !== UNKNOWN ? receiver : args[0];
  return text(`${folder === undefined ? '.' : textOf(folder)}/${UNKNOWN}`);
};

const globbed: Evaluate = ({ args, receiver }) => {
  const folder = receiver?.kind === 'text' && receiver.text !== UNKNOWN ? `${receiver.text}/` : '';
  return text(folder + textOf(args[0]));
};

const environment: Evaluate = ({ args }, home) => {
  if (textOf(args[0]) === 'HOME') return text(home);
  return args[1] ?? null;
};

/** Functions whose value can be computed, by their last name. */
const FUNCTIONS = table<Evaluate>([
  ['join joinpath Path PurePath Pathname resolve', joinPath],
  ['homedir home UserHomeDir home_dir', ownHome],
  ['expanduser expand_path', expandHome],
  ['format', formats],
  ['str String strip trim decode encode toString realpath abspath quote', same],
  ['split', split],
  ['b64decode standard_b64decode atob decode64 strict_decode64 base64_decode decode_base64', fromBase64],
  ['fromhex unhexlify hex2bin', fromHex],
  ['from', fromBuffer],
  ['fromCharCode fromCodePoint chr', fromCodes],
  ['getenv Getenv get fetch var', environment],
  ['iterdir scandir each_child children listdir readdirSync readdir', listing],
  ['glob iglob rglob globSync', globbed],
  ['new', (call) => (call.names.at(-2) === 'Command' ? withArguments(call) : null)],
  ['arg args', withArguments],
  ['unwrap expect to_string as_str sorted list reversed Array sort reverse', same],
  ['cwd getcwd pwd', () => text('.')],
  ['getppid', () => PARENT],
  ['slice', rest],
]);

function valueOfCall(call: Call, home: string): Value {
  return FUNCTIONS.get(call.names.at(-1) ?? '')?.(call, home) ?? NOT_KNOWN;
}
