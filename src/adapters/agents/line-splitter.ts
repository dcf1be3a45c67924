/** Longest line kept, in bytes. A client's own lines can contain whole files; one longer than this is a flood. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;

const NEWLINE = 0x0a;

/**
 * Cuts a byte stream into lines of UTF-8 text without their newline (and without a `\r` before it). Empty lines are
 * skipped. A line over `maxBytes` is dropped as a whole and reported once with its size, so that memory stays bounded
 * for any output.
 */
export function lineSplitter(options: {
  readonly onLine: (line: string) => void;
  readonly onDropped: (bytes: number) => void;
  readonly maxBytes?: number;
}) {
  const maxBytes = options.maxBytes ?? MAX_LINE_BYTES;
  let pieces: Buffer[] = [];
  let bytes = 0;

  const keep = (piece: Buffer): void => {
    bytes += piece.length;
    if (bytes > maxBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  };

  const finish = (): void => {
    if (bytes > maxBytes) options.onDropped(bytes);
    else if (bytes > 0) emit(Buffer.concat(pieces));
    pieces = [];
    bytes = 0;
  };

  const emit = (line: Buffer): void => {
    const text = line.toString('utf8');
    const trimmed = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (trimmed !== '') options.onLine(trimmed);
  };

  return {
    push(chunk: Buffer): void {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        keep(chunk.subarray(start, at));
        finish();
        start = at + 1;
      }
      keep(chunk.subarray(start));
    },
    /** Emits the text after the last newline. */
    end: finish,
  };
}
