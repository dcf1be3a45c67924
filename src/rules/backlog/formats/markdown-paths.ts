const LABEL = /^(?:files?|paths?)(?: (?:to (?:change|modify|create|edit|touch)|touched|changed|affected))?$/i;
const LINE = /^([a-z ]{4,16}?)\s*:\s*(\S.*)$/i;
/**
 * The paths that a line names, `Files: src/a.ts, src/b.ts` or an item under such a label; null unless it is all paths.
 *
 * @param said the words of the line
 * @param label what it stands under
 */
export function pathsIn(said: string, label: string): readonly string[] | null {
  const own = LINE.exec(said);
  const text = own && LABEL.test(own[1] ?? '') ? (own[2] ?? '') : LABEL.test(label) ? said : null;
  if (text === null) return null;
  const paths = text.split(/[,;]|\s+and\s+/).map((part) => part.trim().replace(/^`|`$/g, ''));
  return paths.every(isPath) ? paths : null;
}

/** Inside the project, without blanks, with a folder or an ending: `src/a.ts`, `docs/`, `a.md`. */
function isPath(text: string): boolean {
  return /^[\w.@*{}[\]/-]+$/.test(text) && /\/|\.\w+$/.test(text) && !/^\/|\.\./.test(text);
}
