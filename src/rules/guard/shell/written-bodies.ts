const WRITES_FILE = /^[^#|;&]*\b(?:cat|tee)\b[^|;&\n]*$/;

const HERE_DOCUMENT = /<<(-?)\s*(['"\\]?)([A-Za-z_][\w.-]*)\2/;

const TARGET = /(?:>>?\|?\s*|\btee\s+(?:-a\s+)?)["']?([^\s"'<>|;&]+)/;

/** Files that are compiled or read; what runs them is not judged by their text. */
const NEVER_RUN =
  /\.(md|json5?|jsonc|ya?ml|toml|xml|html?|s?css|svg|csv|c|cc|cpp|h|hpp|rs|go|java|kt|swift|cs|[jt]sx|ts|vue|svelte)$/;

const RUNS_FILES = /\b(?:\w*sh|source|eval|xargs|chmod)\b|(?:^|[\s;&|])\.\s/;

/** More of them in one text are left as they are: each is looked for from its line on. */
const MOST_BODIES = 50;

/**
 * A text without the bodies of here-documents that only go into files: `cat > notes.md <<'EOF'`. They are data, and make a
 * harmless text too long. A body stays where the text may run its file later, and where the shell
 * would expand substitutions in it.
 */
export function withoutWrittenBodies(text: string): string {
  const lines = text.split('\n');
  const kept: string[] = [];
  let bodies = 0;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    kept.push(line);
    const [, dash = '', quote = '', delimiter] = HERE_DOCUMENT.exec(line) ?? [];
    const file = TARGET.exec(line)?.[1];
    if (delimiter === undefined || file === undefined || !WRITES_FILE.test(line) || bodies >= MOST_BODIES) continue;
    bodies += 1;
    const end = lines.findIndex(
      (other, nth) => nth > at && (dash === '' ? other : other.replace(/^\t+/, '')) === delimiter,
    );
    if (end < 0) continue;
    const body = lines.slice(at + 1, end);
    const name = file.slice(file.lastIndexOf('/') + 1);
    const isData = quote !== '' || !body.some((bodyLine) => /\$\(|`/.test(bodyLine));
    const later = lines.slice(end).filter((other) => name === '' || other.includes(name));
    const mayRun = later.some((other) => !NEVER_RUN.test(name) || RUNS_FILES.test(other));
    if (isData && !mayRun) at = end - 1;
  }
  return kept.join('\n');
}
