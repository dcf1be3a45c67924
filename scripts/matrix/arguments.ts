/** What `npm run matrix` was asked for. */
export interface MatrixRequest {
  /** Release lines of Node, in the order in which they run. */
  readonly lines: readonly string[];
  /** Suites and parts of file names, passed on to scripts/test.ts; nothing means everything, with the packed demo. */
  readonly tests: readonly string[];
}

/** Numbers are lines of Node, all other words are passed on. */
export function readMatrixArguments(words: readonly string[], known: readonly string[]): MatrixRequest {
  const isLine = (word: string): boolean => /^\d+$/.test(word);
  const lines = words.filter(isLine);
  const unknown = lines.filter((line) => !known.includes(line));
  if (unknown.length > 0) {
    throw new Error(`Node ${unknown.join(', ')} is no line that ralph supports. There are: ${known.join(', ')}`);
  }
  return { lines: lines.length > 0 ? lines : known, tests: words.filter((word) => !isLine(word)) };
}
