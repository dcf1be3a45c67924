/** Gives the 1-based line of an offset; asked often, so it looks at the text once. */
export function linesOf(text: string): (offset: number) => number {
  const newlines: number[] = [];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) newlines.push(at);
  return (offset) => {
    let [low, high] = [0, newlines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((newlines[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

/** Offset of the first character of the line that holds `offset`. */
export function startOfLine(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset of the newline that ends the line of `offset`, or the end of the text. */
export function endOfLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? text.length : newline;
}

/** Columns of white space before the first character of the line; a tab counts as four. */
export function indentationAt(text: string, offset: number): number {
  const white = /[ \t]*/y;
  white.lastIndex = startOfLine(text, offset);
  return (white.exec(text)?.[0] ?? '').replaceAll('\t', '    ').length;
}
