import { REDACTED, secretStream } from '../../../../platform/secrets.ts';
import { BLOCK_BEGIN, BLOCK_BODY, BLOCK_END } from './redact-contexts.ts';

/** How much may follow the first line of a private key before it is no key: the longest ones are a few kilobytes. */
const LONGEST_BLOCK = 32 * 1024;

/** A text in which a block begins and does not end; what programs put around a line may follow. */
const OPEN = new RegExp(String.raw`${BLOCK_BEGIN}${BLOCK_BODY}[\s\w"'\x60\\,:.{}()[\]/+=-]{0,512}$`);
const END = new RegExp(BLOCK_END);
/** A header that takes its value from the next line. */
const DANGLING = /(?:authorization|bearer)[\s"'\\:=]{0,20}$/i;
const VALUE = /^([\s"'\\]{0,40}(?:(?:bearer|basic)\s{1,20})?)[\w.~+/=-]{16,}/i;

/** A line of nothing but base64; numbers and marks of programs that show files or differences may stand before it. */
const BODY_LINE = /^(\s{0,20}(?:\d{1,6}[\t:|→ ]\s{0,4}|[>|+]\s{0,4})?)[A-Za-z0-9+/=]+\s*$/;
const BODY_RUN = /[A-Za-z0-9+/=]{20,}/g;

/**
 * Redacts what an agent says piece by piece, where a secret may begin in one and go on in the next: from the first line
 * of a private key to its last one, at most 32 KiB, whatever looks like a part of it is replaced, and so are the parts
 * of a known secret. The rest of the redaction is done by whoever writes the pieces.
 */
export function redactPieces(): (piece: string) => string {
  let left = 0;
  let dangling = false;
  const redactKnown = secretStream();
  return (said) => {
    const piece = redactKnown(said);
    const first = dangling ? piece.replace(VALUE, `$1${REDACTED}`) : piece;
    dangling = DANGLING.test(piece.slice(-64));
    if (left === 0) {
      left = isOpen(piece) ? LONGEST_BLOCK : 0;
      return first;
    }
    const end = END.exec(first);
    if (end === null) {
      left = Math.max(0, left - piece.length);
      return withoutBody(first);
    }
    const behind = first.slice(end.index + end[0].length);
    left = isOpen(behind) ? LONGEST_BLOCK : 0;
    return `${withoutBody(`${first.slice(0, end.index)}${REDACTED}`)}${behind}`;
  };
}

/** The body of a key whose beginning was cut off, as from the tail of an output. */
export function redactEndOfBlock(text: string): string {
  if (!END.test(text)) return text;
  // Line breaks as they are and as JSON writes them; they stand at the odd places.
  const lines = text.split(/(\n|\\n)/);
  for (const [at, line] of lines.entries()) {
    if (!END.test(line)) continue;
    lines[at] = line.replace(END, REDACTED);
    for (let i = at - 2; i >= 0 && BODY_LINE.test(lines[i] ?? ''); i -= 2) lines[i] = REDACTED;
  }
  return lines.join('');
}

function isOpen(text: string): boolean {
  return text.includes('BEGIN ') && OPEN.test(text.slice(-LONGEST_BLOCK));
}

function withoutBody(text: string): string {
  return text
    .split('\n')
    .map((line) =>
      line.replace(BODY_LINE, `$1${REDACTED}`).replace(BODY_RUN, (run) => (isKeyLike(run) ? REDACTED : run)),
    )
    .filter((line, at, all) => line !== REDACTED || all[at - 1] !== REDACTED)
    .join('\n');
}

/** Paths and words are base64, too, but seldom with all of it. */
function isKeyLike(run: string): boolean {
  return /[A-Z]/.test(run) && /\d/.test(run);
}
