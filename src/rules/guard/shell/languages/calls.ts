import { UNKNOWN } from '../text.ts';
import { type Token, tokenize } from './tokens.ts';
import { type Call, listOf, NOT_KNOWN, text, textOf, type Value, valueOfCall } from './values.ts';

/** Brackets deeper than this are not looked into. */
const DEEPEST = 60;

/** Every call in a program, with constant arguments worked out; strings in backticks are calls of `` ` ``. */
export function findCalls(code: string, language: string, home: string): readonly Call[] {
  const calls: Call[] = [];
  const variables = new Map<string, Value>();
  const functions = new Map<string, readonly string[]>();
  const run = (source: string, depth: number): Value => {
    const reader = new Reader(tokenize(source, language), language, home, calls, variables, functions, run, depth);
    return reader.readAll();
  };
  run(code, 0);
  return calls;
}

type StringToken = Extract<Token, { kind: 'string' }>;

type Run = (source: string, depth: number) => Value;

/** Reads tokens as expressions, one after the other. Statements, operators and keywords are stepped over. */
class Reader {
  private at = 0;
  private readonly tokens: readonly Token[];
  private readonly language: string;
  private readonly home: string;
  private readonly calls: Call[];
  private readonly variables: Map<string, Value>;
  /** Other names of functions: `import rmtree as r`, `const r = fs.rmSync`. */
  private readonly functions: Map<string, readonly string[]>;
  private readonly run: Run;
  private depth: number;
  /** The names of the last term, if it was no call: what an assignment gives another name to. */
  private lastNames: readonly string[] = [];

  constructor(
    tokens: readonly Token[],
    language: string,
    home: string,
    calls: Call[],
    variables: Map<string, Value>,
    functions: Map<string, readonly string[]>,
    run: Run,
    depth: number,
  ) {
    this.tokens = tokens;
    this.language = language;
    this.home = home;
    this.calls = calls;
    this.variables = variables;
    this.functions = functions;
    this.run = run;
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

  /** Up to a separator. Terms joined by `+` or `.` are put together; `/` joins paths; anything else makes it unknown. */
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
      // Strings side by side are one.
      for (
        let next = this.tokens[this.at];
        next?.kind === 'string' && !next.runs && !token.runs;
        next = this.tokens[this.at]
      ) {
        this.at += 1;
        whole += this.textOfString(next);
      }
      const value = text(whole);
      if (token.runs) this.calls.push({ names: ['`'], args: [value], receiver: null });
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
      this.variables.set(name, value);
      if (this.lastNames.length > 0) this.functions.set(name, this.lastNames);
      return value;
    }
    const next = this.tokens[this.at + 1];
    if (this.isName('as') && next?.kind === 'name') this.functions.set(next.text, [name]);
    return this.readChain(this.functions.get(name) ?? [name], this.variables.get(name) ?? NOT_KNOWN);
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
        chain = [...chain, next.text];
        value = next.text === 'HOME' ? text(this.home) : this.valueWithoutArguments(chain, receiver);
      } else if (sign === '[' || (sign === '{' && /^\$?ENV$/.test(chain.at(-1) ?? ''))) {
        const key = this.readBrackets(sign);
        const index = listOf(key)?.[0] ?? UNKNOWN;
        receiver = value;
        chain = [...chain, index];
        value = index === 'HOME' ? text(this.home) : NOT_KNOWN;
      } else if (sign === '(') {
        const args = this.readArguments('(');
        const call: Call = { names: chain, args, receiver };
        this.calls.push(call);
        value = valueOfCall(call, this.home);
        receiver = null;
        this.lastNames = [];
        if (chain.at(-1) === 'getattr') chain = [...chain, textOf(args[1])];
      } else if (chain.length > 0 && this.startsBareArgument()) {
        const call: Call = { names: chain, args: this.readBareArguments(), receiver };
        this.calls.push(call);
        return valueOfCall(call, this.home);
      } else {
        this.lastNames = sign === '' || this.isSeparator() ? chain : [];
        return value;
      }
    }
  }

  /** Ruby calls without brackets: `Dir.home`. */
  private valueWithoutArguments(names: readonly string[], receiver: Value): Value {
    return this.language === 'ruby' ? valueOfCall({ names, args: [], receiver }, this.home) : NOT_KNOWN;
  }

  /** `system "rm x"`, `` $`rm x` ``: a string right behind a name is its argument. */
  private startsBareArgument(): boolean {
    return this.tokens[this.at]?.kind === 'string' && this.language !== 'python';
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

  /** A list in `(…)` or `[…]`, a record in `{…}`. `(x)` is a list of one as well, see `textOf`. */
  private readBrackets(open: string): Value {
    const close = open === '(' ? ')' : open === '[' ? ']' : '}';
    this.at += 1;
    this.depth += 1;
    const items: Value[] = [];
    const fields = new Map<string, Value>();
    while (this.at < this.tokens.length && this.mark() !== close) {
      if (this.isSeparator()) this.at += 1;
      else if (this.depth > DEEPEST) this.at += 1;
      else {
        const key = this.tokens[this.at];
        const keyed = /^(:|=>)$/.test(this.mark(1)) && open !== '[';
        if (keyed && key !== undefined) {
          this.at += 2;
          fields.set(nameOfKey(key), this.readExpression());
        } else items.push(this.readExpression());
      }
    }
    this.at += 1;
    this.depth -= 1;
    if (open === '{') return { kind: 'record', fields };
    return { kind: 'list', items: fields.size === 0 ? items : [...items, { kind: 'record', fields }] };
  }

  private textOfString(token: StringToken): string {
    const pieces = token.pieces.map((piece) => {
      if ('literal' in piece) return piece.literal;
      return this.depth > DEEPEST ? UNKNOWN : textOf(this.run(piece.code, this.depth + 10));
    });
    return pieces.join('');
  }
}

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
  if (operator === '||' || operator === '') return right;
  return NOT_KNOWN;
}
