const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** Partner of every bracket in masked code, by offset, both ways. A bracket without one is missing from the map. */
export function pairBrackets(code: string): ReadonlyMap<number, number> {
  const partners = new Map<number, number>();
  const open: { readonly at: number; readonly close: string }[] = [];
  const bracket = /[()[\]{}]/g;
  for (let match = bracket.exec(code); match !== null; match = bracket.exec(code)) {
    const close = closers[match[0]];
    if (close !== undefined) {
      open.push({ at: match.index, close });
      continue;
    }
    // A stray closer must not shift every pair after it: look for its opener a little way down the stack.
    const depth = open.slice(-3).findLastIndex((entry) => entry.close === match?.[0]);
    if (depth === -1) continue;
    const opener = open.splice(open.length - Math.min(3, open.length) + depth)[0];
    if (opener === undefined) continue;
    partners.set(opener.at, match.index);
    partners.set(match.index, opener.at);
  }
  return partners;
}

/**
 * End (exclusive) of the statement that starts at `start`: a semicolon, or a newline outside of brackets that no
 * chained call follows, or the bracket that closes around it.
 */
export function endOfStatement(code: string, partners: ReadonlyMap<number, number>, start: number): number {
  const stop = /[;\n()[\]{}]/g;
  stop.lastIndex = start;
  for (let match = stop.exec(code); match !== null; match = stop.exec(code)) {
    if (match[0] in closers) {
      const partner = partners.get(match.index);
      if (partner === undefined) return match.index;
      stop.lastIndex = partner + 1;
    } else if (match[0] !== '\n' || !continues(code, match.index)) return match.index;
  }
  return code.length;
}

function continues(code: string, newline: number): boolean {
  const next = /\s*(?:\??\.\w|->|\|>)/y;
  next.lastIndex = newline;
  return (
    next.test(code) || /(?:[,=.\\]|&&|\|\||\b(?:and|or))[ \t]*$/.test(code.slice(Math.max(0, newline - 8), newline))
  );
}
