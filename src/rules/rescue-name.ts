/** `refs/ralph/rescue/<run>/3-1` → the name people type. */
export function rescueName(ref: string): string {
  return ref.replace(/^refs\/ralph\/rescue\//, '');
}
