import type { AgentAdapter } from './port.ts';

/** Where the rules of the loop reach an agent: while it works, or only when its work is settled. */
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

/** Hooks hold the rules while an agent works; without them only what it leaves behind is judged. */
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
