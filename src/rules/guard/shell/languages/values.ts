import { decodeBase64, decodeHex } from '../decode.ts';
import { entryOf } from '../table.ts';
import { UNKNOWN } from '../text.ts';

/** The value of an expression, as far as it is constant. */
export type Value =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> };

export const NOT_KNOWN: Value = { kind: 'text', text: UNKNOWN };

export function text(value: string): Value {
  return { kind: 'text', text: value };
}

/** A value as text; a list of one, which brackets around a term make, is its element. */
export function textOf(value: Value | undefined): string {
  if (value?.kind === 'list' && value.items.length === 1) return textOf(value.items[0]);
  return value?.kind === 'text' ? value.text : UNKNOWN;
}

export function listOf(value: Value | undefined): readonly string[] | null {
  return value?.kind === 'list' ? value.items.map(textOf) : null;
}

/** A call as it was found: `os.path.join(a, b)` has the names `os`, `path`, `join`. */
export interface Call {
  readonly names: readonly string[];
  readonly args: readonly Value[];
  /** What the last name was called on: `Path('x')` in `Path('x').unlink()`. */
  readonly receiver: Value | null;
}

type Evaluate = (call: Call, home: string) => Value | null;

const joinPath: Evaluate = ({ args, receiver }) => {
  const list = listOf(args[0]);
  if (list !== null && args.length === 1) return text(list.join(receiver?.kind === 'text' ? receiver.text : ''));
  if (receiver?.kind === 'list')
    return text((listOf(receiver) ?? []).join(args[0] === undefined ? ',' : textOf(args[0])));
  const parts = args.map(textOf);
  const lastAbsolute = parts.findLastIndex((part) => part.startsWith('/'));
  return text(parts.slice(Math.max(0, lastAbsolute)).join('/'));
};

const ownHome: Evaluate = (_, home) => text(home);

const expandHome: Evaluate = ({ args, receiver }, home) => {
  const path = textOf(args[0] ?? receiver ?? undefined);
  return text(path.replace(/^~(?=\/|$)/, home));
};

const same: Evaluate = ({ args, receiver }) => (receiver?.kind === 'text' ? receiver : (args[0] ?? null));

const split: Evaluate = ({ args, receiver }) => {
  const value = textOf(receiver?.kind === 'text' ? receiver : args[0]);
  return {
    kind: 'list',
    items: value
      .split(/\s+/)
      .filter((part) => part !== '')
      .map(text),
  };
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

const environment: Evaluate = ({ args }, home) => {
  if (textOf(args[0]) === 'HOME') return text(home);
  return args[1] ?? null;
};

/** Functions whose value can be told, by their last name. */
const FUNCTIONS: Readonly<Record<string, Evaluate>> = {
  join: joinPath,
  joinpath: joinPath,
  Path: joinPath,
  PurePath: joinPath,
  resolve: joinPath,
  homedir: ownHome,
  home: ownHome,
  expanduser: expandHome,
  expand_path: expandHome,
  str: same,
  String: same,
  format: same,
  strip: same,
  trim: same,
  decode: same,
  encode: same,
  toString: same,
  realpath: same,
  abspath: same,
  quote: same,
  split,
  b64decode: fromBase64,
  standard_b64decode: fromBase64,
  atob: fromBase64,
  decode64: fromBase64,
  strict_decode64: fromBase64,
  base64_decode: fromBase64,
  decode_base64: fromBase64,
  fromhex: fromHex,
  unhexlify: fromHex,
  hex2bin: fromHex,
  from: fromBuffer,
  fromCharCode: fromCodes,
  fromCodePoint: fromCodes,
  chr: fromCodes,
  getenv: environment,
  get: environment,
  fetch: environment,
  cwd: () => text('.'),
  getcwd: () => text('.'),
  pwd: () => text('.'),
};

/** The value of a call, unknown when it cannot be told. */
export function valueOfCall(call: Call, home: string): Value {
  return entryOf(FUNCTIONS, call.names.at(-1) ?? '')?.(call, home) ?? NOT_KNOWN;
}
