/** A new progress log: the curated patterns on top, then the entries. */
export function initialProgress(project: string): string {
  return `# Progress of ${project}

## Codebase Patterns

<!-- What every later iteration should know about this code base: conventions, commands, traps.
     Keep it short and correct it when it turns out wrong. Below the line, entries are only ever appended. -->

---
`;
}
