const HOUR = 3_600_000;

/** Starts of agent processes within an hour before `at`, sorted; a new one may come with it. All epoch ms. */
export function callsAfter(calls: readonly number[], at: number, added: readonly number[]): readonly number[] {
  const oldest = calls[0];
  if (added.length === 0 && (oldest === undefined || oldest > at - HOUR)) return calls;
  const all = [...new Set([...calls, ...added])].sort((one, other) => one - other);
  return all.filter((call) => call > at - HOUR);
}
