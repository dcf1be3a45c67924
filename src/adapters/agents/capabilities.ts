import type { AgentAdapter, AgentCapabilities } from './port.ts';
import { AGENT_NAMES, agentByName } from './registry.ts';

/** Where the rules of the loop reach an agent: while it works, or only when its work is settled. */
export type Enforcement = 'hooks' | 'settle';

/** One agent as `ralph doctor` and docs/agents.md show it. */
export interface AgentFacts {
  readonly name: string;
  readonly capabilities: AgentCapabilities;
  readonly enforcement: Enforcement;
  /** How its adapter was tested. */
  readonly tested: string;
}

/** How each adapter was tested, and with which version: clients change their output. */
const TESTED: Readonly<Record<string, string>> = {
  claude: 'real client 2.1.330, in CI',
  codex: 'real client 0.169.0, by hand; recorded streams',
  opencode: 'real client 1.18.33, by hand; recorded streams',
  gemini: 'real client 0.61.0, by hand; recorded streams',
  copilot: 'real client 1.0.102, by hand; recorded streams',
  droid: 'real client 0.225.2, by hand; recorded streams',
  command: 'real shell commands',
  scripted: 'our own program',
};

/** Hooks hold the rules while an agent works; without them only what it leaves behind is judged. */
export function enforcement({ capabilities }: Pick<AgentAdapter, 'capabilities'>): Enforcement {
  return capabilities.hooks ? 'hooks' : 'settle';
}

/** One row for every agent there is, in the order of their names in `--agent`. Loads them all. */
export async function agentFacts(): Promise<readonly AgentFacts[]> {
  const adapters = await Promise.all(AGENT_NAMES.map(agentByName));
  return adapters.map((adapter) => ({
    name: adapter.name,
    capabilities: adapter.capabilities,
    enforcement: enforcement(adapter),
    tested: TESTED[adapter.name] ?? 'not at all',
  }));
}
