/** Fields that name or place an event and say nothing. */
const NAMES: ReadonlySet<string> = new Set(['ts', 'run', 'type']);

/** Whether a text, in lower case, occurs in what an event says. */
export function says(event: unknown, wanted: string): boolean {
  if (typeof event === 'string') return event.toLowerCase().includes(wanted);
  if (typeof event !== 'object' || event === null) return false;
  return Object.entries(event).some(([name, value]) => !NAMES.has(name) && says(value, wanted));
}
