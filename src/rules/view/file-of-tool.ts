/** Tools that read or write one file, by the names that agents give them. */
const FILE_TOOL =
  /^(read|write|edit|create|patch|update|multi_?edit|notebook_?edit|apply_?patch|str_?replace|view|replace|insert)/i;

/**
 * The file that a tool call is about; null when it is about something else, or cannot be told.
 * @param what its summary: for such tools the path, which may be followed by more
 */
export function fileOfTool(name: string, what: string): string | null {
  if (!FILE_TOOL.test(name) || what === '' || what.startsWith('{') || what.startsWith('[')) return null;
  return what;
}
