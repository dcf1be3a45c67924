import { UsageError } from '../../contracts/errors.ts';
import type { AgentAdapter } from './port.ts';

/** Every agent there is. The imports are lazy: a run loads the one it uses. */
const AGENTS: Readonly<Record<string, () => Promise<AgentAdapter>>> = {
  claude: async () => (await import('./claude/adapter.ts')).claude,
  scripted: async () => (await import('./scripted/adapter.ts')).scripted,
};

/** The names that `--agent` takes, in the order they are shown. */
export const AGENT_NAMES: readonly string[] = Object.keys(AGENTS);

/** The adapter of that name; UsageError with the nearest name when there is none. */
export async function agentByName(name: string): Promise<AgentAdapter> {
  const load = Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined;
  if (load) return load();
  const nearest = nearestAgent(name);
  throw new UsageError({
    what: `Unknown agent '${name}'`,
    mend: [...(nearest ? [`Did you mean '${nearest}'?`] : []), `Agents: ${AGENT_NAMES.join(', ')}`],
  });
}

/** The known name within two typing mistakes, null when none is that near. */
function nearestAgent(name: string): string | null {
  const near = AGENT_NAMES.map((known) => ({ known, distance: editDistance(name.toLowerCase(), known) }));
  const best = near.reduce((a, b) => (b.distance < a.distance ? b : a));
  return best.distance <= 2 ? best.known : null;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
