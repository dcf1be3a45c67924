/** A line of a diff, with its numbers in the old and the new text. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'deleted' | 'hunk' | 'note';
  readonly old: number | null;
  readonly new: number | null;
  readonly text: string;
}

export interface FilePatch {
  /** As the patch names it; quoted by git where it has unusual characters. */
  readonly path: string;
  readonly lines: readonly DiffLine[];
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Splits a unified diff into its files and numbers its lines. A truncated patch gives what is there. */
export function parsePatch(patch: string): readonly FilePatch[] {
  return patch
    .split(/^(?=diff --git )/m)
    .filter((part) => part.startsWith('diff --git '))
    .map(parseFile);
}

function parseFile(part: string): FilePatch {
  const all = part.split('\n');
  if (all.at(-1) === '') all.pop();
  const first = all.findIndex((line) => line.startsWith('@@ '));
  const head = first === -1 ? all : all.slice(0, first);
  const notes = head
    .filter((line) => NOTED.test(line))
    .map((text) => ({ kind: 'note', old: null, new: null, text }) as const);
  return { path: pathOf(head), lines: [...notes, ...(first === -1 ? [] : numbered(all.slice(first)))] };
}

/** Head lines of a file with information that its lines lack. */
const NOTED = /^(new file|deleted file|rename |copy |old mode|new mode|Binary files|similarity)/;

/** From the first hunk on everything is text: a deleted line may look like `--- a/file`. */
function numbered(lines: readonly string[]): readonly DiffLine[] {
  const out: DiffLine[] = [];
  let [old, fresh] = [0, 0];
  for (const line of lines) {
    const hunk = HUNK.exec(line);
    const text = line.slice(1);
    if (hunk !== null) {
      [old, fresh] = [Number(hunk[1]), Number(hunk[2])];
      out.push({ kind: 'hunk', old: null, new: null, text: line });
    } else if (line.startsWith('+')) out.push({ kind: 'added', old: null, new: fresh++, text });
    else if (line.startsWith('-')) out.push({ kind: 'deleted', old: old++, new: null, text });
    else if (line.startsWith('\\')) out.push({ kind: 'note', old: null, new: null, text: text.trim() });
    else out.push({ kind: 'same', old: old++, new: fresh++, text });
  }
  return out;
}

function pathOf(head: readonly string[]): string {
  const named = (start: string) => head.find((line) => line.startsWith(start))?.slice(start.length);
  const fresh = named('+++ ');
  const path = fresh === undefined || fresh === '/dev/null' ? named('--- ') : fresh;
  const found = path ?? named('rename to ') ?? / ("?b\/.*)$/.exec(head[0] ?? '')?.[1] ?? '';
  return found.replace(/\t$/, '').replace(/^("?)[ab]\//, '$1');
}
