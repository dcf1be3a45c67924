/** The lines of a log, without their line ends; a final newline gives an empty last line. */
export function linesOf(text: string): string[] {
  return text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** The line end a text uses; LF when it has none yet. */
export function newlineOf(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** `---` alone: ends the section of patterns, and separates entries in older logs. */
export function isSeparator(line: string): boolean {
  return /^---+\s*$/.test(line);
}

export interface ProgressSections {
  /** Up to and with the first separator; empty when there is none. */
  readonly patterns: readonly string[];
  readonly entries: readonly string[];
}

/** Cuts a log into the patterns on top, which agents curate, and the entries below, which only ever grow. */
export function sectionsOf(text: string): ProgressSections {
  const lines = linesOf(text);
  const cut = lines.findIndex(isSeparator) + 1;
  return { patterns: lines.slice(0, cut), entries: lines.slice(cut) };
}
