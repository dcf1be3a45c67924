import { UNKNOWN } from './text.ts';

/** A format is used again while there are arguments left, at most so often. */
const MOST_ROUNDS = 256;

/** What the shell's `printf FORMAT args…` prints. Formats other than strings and integers come out as unknown. */
export function printf(words: readonly string[]): string {
  const [format = '', ...args] = words;
  let text = '';
  let used = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const before = used;
    text += withEscapes(
      format.replace(/%(%|[-+ 0#]*(?:\d+|\*)?(?:\.\d+)?[a-zA-Z]|\([^)]*\)T)/g, (_, conversion: string) => {
        if (conversion === '%') return '%';
        const argument = args[used] ?? '';
        used += 1;
        return converted(conversion, argument);
      }),
    );
    if (used >= args.length || used === before) break;
  }
  return text;
}

function converted(conversion: string, argument: string): string {
  const kind = conversion.slice(-1);
  if (kind === 's' || kind === 'q') return argument;
  if (kind === 'b') return withEscapes(argument);
  if (kind === 'c') return argument.slice(0, 1);
  if (/^[di]$/.test(kind)) return /^-?\d+$/.test(argument) ? argument : UNKNOWN;
  if (kind === 'x' && /^\d+$/.test(argument)) return Number(argument).toString(16);
  if (kind === 'o' && /^\d+$/.test(argument)) return Number(argument).toString(8);
  return UNKNOWN;
}

const SIMPLE: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  f: '\f',
  v: '\v',
  '\\': '\\',
};

/** Backslash escapes as `echo -e` and `printf` read them. */
export function withEscapes(text: string): string {
  return text.replace(
    /\\(x[\da-fA-F]{1,2}|u[\da-fA-F]{1,4}|U[\da-fA-F]{1,6}|0?[0-7]{1,3}|[\s\S])/g,
    (whole, sequence: string) => {
      if (/^[xuU]./.test(sequence)) return character(Number.parseInt(sequence.slice(1), 16));
      if (/^[0-7]+$/.test(sequence)) return character(Number.parseInt(sequence, 8));
      return SIMPLE[sequence] ?? whole;
    },
  );
}

function character(code: number): string {
  return code < 0x110000 ? String.fromCodePoint(code) : UNKNOWN;
}
