import { UsageError } from '../../contracts/index.ts';
import { nearest } from '../../rules/text/index.ts';
import type { AgentAdapter } from './port.ts';

/** Every agent. The imports are lazy: a run loads only the one it uses. */
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

/** The names that `--agent` takes, in display order. */
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

/** Where the rules of the loop apply to an agent: while it works, or only when its work is settled. */
export type Enforcement = 'hooks' | 'settle';

/** How each adapter was tested, and with which version: clients change their output. */
const TESTED: Readonly<Record<string, string>> = {
  claude: 'real client 2.1.330, in CI',
  codex: 'real client 0.169.0, `npm run test:agents`; recorded streams',
  opencode: 'real client 1.18.33, `npm run test:agents`; recorded streams',
  gemini: 'real client 0.61.0, by hand; recorded streams',
  copilot: 'real client 1.0.102, by hand; recorded streams',
  droid: 'real client 0.225.2, by hand; recorded streams',
  command: 'real shell commands',
  scripted: 'our own program',
};

/** Hooks enforce the rules while an agent works; without hooks, only the state it leaves behind is judged. */
export function enforcement({ capabilities }: Pick<AgentAdapter, 'capabilities'>): Enforcement {
  return capabilities.hooks ? 'hooks' : 'settle';
}

/** The version of the client that an adapter was tested with; null where there is no client. */
export function testedVersion(name: string): string | null {
  return /^real client (\d+\.\d+\.\d+)/.exec(testedWith(name))?.[1] ?? null;
}

/** How the adapter of that name was tested, and with which version of its client. */
export function testedWith(name: string): string {
  return TESTED[name] ?? 'nothing';
}

/** How an agent's program is started on a person's terminal with a first prompt. */
interface InteractiveStart {
  /** Has our plugin loaded, so that a skill can be called by its name; other agents get the text of the skill. */
  readonly loadsPlugin: boolean;
  readonly args: (prompt: string, pluginFolder: string) => readonly string[];
}

/** As the programs themselves document it. An agent missing here is not known to take a first prompt. */
const STARTS: Readonly<Record<string, InteractiveStart>> = {
  claude: { loadsPlugin: true, args: (prompt, plugin) => ['--plugin-dir', plugin, prompt] },
  codex: { loadsPlugin: false, args: (prompt) => [prompt] },
  droid: { loadsPlugin: false, args: (prompt) => [prompt] },
  gemini: { loadsPlugin: false, args: (prompt) => ['--prompt-interactive', prompt] },
  // Puts the prompt into its input line; the user presses Enter.
  opencode: { loadsPlugin: false, args: (prompt) => ['--prompt', prompt] },
  copilot: { loadsPlugin: false, args: (prompt) => ['--interactive', prompt] },
};

/** The agents that can be started interactively. */
export const INTERACTIVE_AGENTS: readonly string[] = Object.keys(STARTS);

/** How that agent is started interactively; null when it cannot be. */
export function interactiveStart(agent: string): InteractiveStart | null {
  return (Object.hasOwn(STARTS, agent) ? STARTS[agent] : null) ?? null;
}
