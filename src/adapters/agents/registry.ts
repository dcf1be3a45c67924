import { type Config, ownValue, UsageError } from '../../contracts/index.ts';
import { nearest } from '../../rules/text/index.ts';
import type { AgentAdapter } from './port.ts';

/** How an agent's program is started on a person's terminal with a first prompt, as it documents that itself. */
interface InteractiveStart {
  /** Has our plugin loaded, so that a skill can be called by its name; other agents get the text of the skill. */
  readonly loadsPlugin: boolean;
  readonly args: (prompt: string, pluginFolder: string) => readonly string[];
}

interface Entry {
  /** Lazy: a run loads only the agent it uses. */
  readonly load: () => Promise<AgentAdapter>;
  /** How the adapter was tested, and with which version: clients change their output. */
  readonly tested: string;
  /** Absent where it is not known to take a first prompt. */
  readonly interactive?: InteractiveStart;
}

const withPrompt = (...options: readonly string[]): InteractiveStart => ({
  loadsPlugin: false,
  args: (prompt) => [...options, prompt],
});

/** Every agent, in display order. */
const AGENTS: Readonly<Record<string, Entry>> = {
  claude: {
    load: async () => (await import('./claude/adapter.ts')).claude,
    tested: 'real client 2.1.330, in CI',
    interactive: { loadsPlugin: true, args: (prompt, plugin) => ['--plugin-dir', plugin, prompt] },
  },
  codex: {
    load: async () => (await import('./codex/adapter.ts')).codex,
    tested: 'real client 0.169.0, `npm run test:agents`; recorded streams',
    interactive: withPrompt(),
  },
  opencode: {
    load: async () => (await import('./opencode/adapter.ts')).opencode,
    tested: 'real client 1.18.33, `npm run test:agents`; recorded streams',
    // Puts the prompt into its input line; the user presses Enter.
    interactive: withPrompt('--prompt'),
  },
  gemini: {
    load: async () => (await import('./gemini/adapter.ts')).gemini,
    tested: 'real client 0.61.0, by hand; recorded streams',
    interactive: withPrompt('--prompt-interactive'),
  },
  copilot: {
    load: async () => (await import('./copilot/adapter.ts')).copilot,
    tested: 'real client 1.0.102, by hand; recorded streams',
    interactive: withPrompt('--interactive'),
  },
  droid: {
    load: async () => (await import('./droid/adapter.ts')).droid,
    tested: 'real client 0.225.2, by hand; recorded streams',
    interactive: withPrompt(),
  },
  cursor: {
    load: async () => (await import('./cursor/adapter.ts')).cursor,
    tested: 'a stand-in built from its documentation',
    interactive: withPrompt(),
  },
  amp: {
    load: async () => (await import('./amp/adapter.ts')).amp,
    tested: 'a stand-in built from its documentation; the real client only as far as its login',
  },
  qwen: {
    load: async () => (await import('./qwen/adapter.ts')).qwen,
    tested: 'real client 0.24.4, `npm run test:agents`; recorded streams',
    interactive: withPrompt('--prompt-interactive'),
  },
  kimi: {
    load: async () => (await import('./kimi/adapter.ts')).kimi,
    tested: 'real client 2.1.0, `npm run test:agents`; recorded streams',
  },
  kiro: {
    load: async () => (await import('./kiro/adapter.ts')).kiro,
    tested: 'a stand-in built from its documentation',
    interactive: withPrompt('chat'),
  },
  command: { load: async () => (await import('./command/adapter.ts')).command, tested: 'real shell commands' },
  scripted: { load: async () => (await import('./scripted/adapter.ts')).scripted, tested: 'our own program' },
};

export const AGENT_NAMES: readonly string[] = Object.keys(AGENTS);

/** The adapter of that name; UsageError with the nearest name when there is none. */
export async function agentByName(name: string): Promise<AgentAdapter> {
  const entry = ownValue(AGENTS, name);
  if (entry) return entry.load();
  const near = nearest(name, AGENT_NAMES);
  throw new UsageError({
    what: `unknown agent '${name}'`,
    fix: [...(near ? [`did you mean '${near}'?`] : []), `agents: ${AGENT_NAMES.join(', ')}`],
  });
}

/** Every agent of a run: those that do the work in their order, then those that only review. */
export async function agentsOf({
  agent,
  review,
  skipReview,
}: Pick<Config, 'agent' | 'review' | 'skipReview'>): Promise<readonly AgentAdapter[]> {
  const reviewers = skipReview ? [] : (review.agents ?? []);
  return Promise.all([...new Set([...agent, ...reviewers])].map(agentByName));
}

/** Where the rules of the loop apply to an agent: while it works, or only when its work is settled. */
export type Enforcement = 'hooks' | 'settle';

/** Hooks enforce the rules while an agent works; without hooks, only the state it leaves behind is judged. */
export function enforcement({ capabilities }: Pick<AgentAdapter, 'capabilities'>): Enforcement {
  return capabilities.hooks ? 'hooks' : 'settle';
}

/** The version of the client that its adapter was tested with, where that is newer than this one; else null. */
export function testedAfter(name: string, version: string): string | null {
  const tested = /^real client (\d+\.\d+\.\d+)/.exec(testedWith(name))?.[1] ?? null;
  if (tested === null) return null;
  const [before, after] = [version, tested].map((text) => text.split(/[^\d]+/).map(Number));
  const at = [0, 1, 2].find((part) => before?.[part] !== after?.[part]) ?? 0;
  return (before?.[at] ?? 0) < (after?.[at] ?? 0) ? tested : null;
}

export function testedWith(name: string): string {
  return ownValue(AGENTS, name)?.tested ?? 'nothing';
}

export const INTERACTIVE_AGENTS = AGENT_NAMES.filter((name) => interactiveStart(name) !== null);

export function interactiveStart(agent: string): InteractiveStart | null {
  return ownValue(AGENTS, agent)?.interactive ?? null;
}
