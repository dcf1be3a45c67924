import { tells } from './meaning.ts';
import type { Echo } from './recognition.ts';
import type { Scope } from './scope.ts';

const CODE = /\$\?|\$\{\?\}|\$\{?PIPESTATUS(?:\[(\d)\])?\}?|\$\{?([A-Za-z_]\w*)\}?/g;

/**
 * What `echo "exit: $?"` will print, as a pattern that reads the code back; or, in `a && echo yes || echo no`, the
 * line that tells which way it went. Null when the line would tell nothing of a test run.
 */
export function echoOf(words: readonly string[], scope: Scope): Echo | null {
  const text = printed(words);
  let about = null;
  let pattern = '';
  let from = 0;
  for (const match of text.matchAll(CODE)) {
    const [whole, pipe, variable] = match;
    const meaning = whole.includes('PIPESTATUS')
      ? scope.shell.pipe[Number(pipe ?? 0)]
      : variable === undefined
        ? scope.shell.last
        : scope.shell.codes.get(variable);
    const isCode = about === null && meaning !== undefined && tells(meaning);
    pattern += `${literal(text.slice(from, match.index))}${isCode ? '(\\d{1,3})' : '.*'}`;
    if (isCode) about = meaning;
    from = match.index + whole.length;
  }
  pattern += literal(text.slice(from));
  if (text.length > 200) return null;
  const line = new RegExp(`^\\s*${pattern}\\s*$`);
  if (about !== null && about !== undefined) return { line, says: 'code', about };
  const { when } = scope;
  return when !== null && tells(when.about) && from === 0 && text.trim().length > 1 ? { line, ...when } : null;
}

function printed(words: readonly string[]): string {
  const [name, ...args] = words;
  if (name === 'echo') return args.filter((arg, index) => !(index === 0 && /^-[neE]+$/.test(arg))).join(' ');
  const [format = '', ...values] = args;
  let next = 0;
  return format.replace(/\\n/g, '').replace(/%[sd]/g, () => values[next++] ?? '');
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
