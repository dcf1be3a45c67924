import { UsageError } from '../../contracts/errors.ts';
import { nearest } from '../../rules/nearest.ts';
import type { AgentAdapter } from './port.ts';

/** Every agent there is. The imports are lazy: a run loads the one it uses. */
const AGENTS: Readonly<Record<string, () => Promise<AgentAdapter>>> = {
  claude: async () => (await import('./claude/adapter.ts')).claude,
  codex: async () => (await import('./codex/adapter.ts')).codex,
  opencode: async () => (await import('./opencode/adapter.ts')).opencode,
  gemini: async () => (await import('./gemini/adapter.ts')).gemini,
  copilot: async () => (await import('./copilot/adapter.ts')).copilot,
  droid: async () => (await import('./droid/adapter.ts')).droid,
  command: async () => (await import('./command/adapter.ts')).command,
  scripted: async () => (await import('./scripted/adapter.ts')).scripted,
};

/** The names that `--agent` takes, in the order they are shown. */
export const AGENT_NAMES: readonly string[] = Object.keys(AGENTS);

/** The adapter of that name; UsageError with the nearest name when there is none. */
export async function agentByName(name: string): Promise<AgentAdapter> {
  const load = Object.hasOwn(AGENTS, name) ? AGENTS[name] : undefined;
  if (load) return load();
  const near = nearest(name, AGENT_NAMES);
  throw new UsageError({
    what: `Unknown agent '${name}'`,
    mend: [...(near ? [`Did you mean '${near}'?`] : []), `Agents: ${AGENT_NAMES.join(', ')}`],
  });
}
