/** Number of the line (1-based) that holds `offset`. `\n` ends a line, so CRLF counts once; a lone `\r` does not. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

/** Numbers of the lines that hold `offsets`, which must ascend; one pass over the text however many there are. */
export function linesAt(text: string, offsets: readonly number[]): number[] {
  const lines: number[] = [];
  let line = 1;
  let at = text.indexOf('\n');
  for (const offset of offsets) {
    while (at !== -1 && at < offset) {
      line += 1;
      at = text.indexOf('\n', at + 1);
    }
    lines.push(line);
  }
  return lines;
}

/** How the text ends its lines; what the first line does decides. */
export function lineEnding(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  return first > 0 && text[first - 1] === '\r' ? '\r\n' : '\n';
}
