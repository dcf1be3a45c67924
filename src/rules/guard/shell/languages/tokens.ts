/** A token of Python, JavaScript, Perl, Ruby, PHP or Lua: just enough to find calls and their arguments. */
export type Token =
  | { readonly kind: 'name'; readonly text: string }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: string }
  /** A string: literal pieces, and the source of the interpolations between them. `runs`: backticks, a command. */
  | { readonly kind: 'string'; readonly pieces: readonly Piece[]; readonly runs: boolean };

type Piece = { readonly literal: string } | { readonly code: string };

interface Syntax {
  /** Starts a comment that extends to the end of the line. */
  readonly comment: RegExp;
  /** Matches an interpolation in a double-quoted string; its groups are the code. */
  readonly interpolation: RegExp | null;
  /** Backticks run a command; otherwise they are a template string. */
  readonly backticksRun: boolean;
  /** `qx(…)`, `%x(…)`, `%w[…]`. */
  readonly quoteWords: RegExp | null;
}

const PERL: Syntax = {
  comment: /#/y,
  interpolation: /(\$ENV\{['"]?\w+['"]?\}|\$\w+)|@\{\[(.{0,200}?)\]\}/,
  backticksRun: true,
  quoteWords: /\b(qx|qq|qw|q)\s*([([{</|!~])/y,
};

const SYNTAX: Readonly<Record<string, Syntax>> = {
  python: { comment: /#/y, interpolation: /\{([^{}]*)\}/, backticksRun: false, quoteWords: null },
  javascript: { comment: /\/\//y, interpolation: /\$\{([^{}]*)\}/, backticksRun: false, quoteWords: null },
  perl: PERL,
  ruby: {
    comment: /#(?!\{)/y,
    interpolation: /#\{([^{}]*)\}/,
    backticksRun: true,
    quoteWords: /%([xqQwWiI])?([([{<|!])/y,
  },
  php: { comment: /#|\/\//y, interpolation: /\{?(\$\w+)\}?/, backticksRun: true, quoteWords: null },
  c: { comment: /\/\//y, interpolation: null, backticksRun: false, quoteWords: null },
  lua: { comment: /--/y, interpolation: null, backticksRun: false, quoteWords: null },
};

const NAME = /[$@%&]?[A-Za-z_$][\w$]*[!?]?/y;
const NUMBER = /0[xob]?[\da-fA-F_]+|\d[\d_.]*/y;
const MARK = /=>|==|!=|<=|>=|->|::|\.\.|\|\||&&|\?\.|[^\s\w]/y;
const STRING = /([rbfuRBFU]{0,2})("""|'''|"|'|`)/y;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** The tokens of a program, without comments. Line ends are marks. Never fails: odd characters become marks. */
export function tokenize(code: string, language: string): readonly Token[] {
  const syntax = SYNTAX[language] ?? PERL;
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(code);
  };
  while (at < code.length) {
    const char = code[at];
    if (char === '\n') tokens.push({ kind: 'mark', text: '\n' });
    if (char === undefined || /\s/.test(char)) {
      at += 1;
      continue;
    }
    if (match(syntax.comment) !== null) {
      at = endOfLine(code, at);
      continue;
    }
    if (code.startsWith('/*', at) && language !== 'python') {
      const end = code.indexOf('*/', at + 2);
      at = end < 0 ? code.length : end + 2;
      continue;
    }
    const words = syntax.quoteWords === null ? null : match(syntax.quoteWords);
    if (words !== null) {
      const open = words[2] ?? '';
      const end = closingOf(code, at + words[0].length, open, CLOSING[open] ?? open);
      const body = code.slice(at + words[0].length, end);
      tokens.push({ kind: 'string', pieces: [{ literal: body }], runs: /x$/.test(words[1] ?? '') });
      at = end + 1;
      continue;
    }
    const string = match(STRING);
    if (string !== null) {
      const read = readString(code, at, string, syntax, language);
      tokens.push(read.token);
      at = read.end;
      continue;
    }
    const [kind, found] = firstMatch(match);
    if (kind === 'mark' && found === '/' && language === 'javascript' && startsRegex(tokens)) {
      at = endOfRegex(code, at);
      tokens.push({ kind: 'name', text: 'RegExp' });
      continue;
    }
    tokens.push({ kind, text: found });
    at += Math.max(1, found.length);
  }
  return tokens;
}

function firstMatch(match: (pattern: RegExp) => RegExpExecArray | null): ['name' | 'number' | 'mark', string] {
  const name = match(NAME);
  if (name !== null) return ['name', name[0]];
  const number = match(NUMBER);
  if (number !== null) return ['number', number[0]];
  return ['mark', match(MARK)?.[0] ?? ' '];
}

function readString(
  code: string,
  at: number,
  start: RegExpExecArray,
  syntax: Syntax,
  language: string,
): { readonly token: Token; readonly end: number } {
  const [whole, prefix = '', quote = ''] = start;
  const from = at + whole.length;
  const end = closingOf(code, from, quote, quote);
  const body = code.slice(from, end);
  const interpolates =
    language === 'python' ? /f/i.test(prefix) : quote !== "'" && (language !== 'javascript' || quote === '`');
  const raw =
    /r/i.test(prefix) || (quote === "'" && language !== 'javascript' && language !== 'python' && language !== 'lua');
  const pieces =
    interpolates && syntax.interpolation !== null ? interpolated(body, syntax.interpolation) : [{ literal: body }];
  const token: Token = {
    kind: 'string',
    pieces: pieces.map((piece) => ('literal' in piece && !raw ? { literal: withoutEscapes(piece.literal) } : piece)),
    runs: quote === '`' && syntax.backticksRun,
  };
  return { token, end: end + quote.length };
}

function interpolated(body: string, pattern: RegExp): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of body.matchAll(new RegExp(pattern, 'g'))) {
    pieces.push({ literal: body.slice(from, match.index) }, { code: match[1] ?? match[2] ?? '' });
    from = match.index + match[0].length;
  }
  return [...pieces, { literal: body.slice(from) }];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', '\n': '' };

function withoutEscapes(text: string): string {
  return text.replace(
    /\\(x[\da-fA-F]{2}|u[\da-fA-F]{4}|u\{[\da-fA-F]{1,5}\}|[0-7]{3}|[\s\S])/g,
    (_, sequence: string) => {
      if (/^[xu]./.test(sequence)) return String.fromCodePoint(Number.parseInt(sequence.replace(/[xu{}]/g, ''), 16));
      if (/^[0-7]{3}$/.test(sequence)) return String.fromCodePoint(Number.parseInt(sequence, 8));
      return ESCAPES[sequence] ?? sequence;
    },
  );
}

/** The position of the closing mark; brackets nest, backslashes escape. The end of the code without one. */
function closingOf(code: string, from: number, open: string, close: string): number {
  let depth = 0;
  for (let at = from; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code.startsWith(close, at)) {
      if (depth === 0) return at;
      depth -= 1;
    } else if (open !== close && code[at] === open) depth += 1;
  }
  return code.length;
}

function endOfLine(code: string, from: number): number {
  const end = code.indexOf('\n', from);
  return end < 0 ? code.length : end;
}

/** A `/` where a value cannot end starts a regular expression. */
function startsRegex(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  return last === undefined || (last.kind === 'mark' && !/^[)\]}]$/.test(last.text));
}

function endOfRegex(code: string, from: number): number {
  let inSet = false;
  for (let at = from + 1; at < code.length; at += 1) {
    const char = code[at];
    if (char === '\n') return at;
    if (char === '\\') at += 1;
    else if (char === '[') inSet = true;
    else if (char === ']') inSet = false;
    else if (char === '/' && !inSet) return at + 1;
  }
  return code.length;
}
