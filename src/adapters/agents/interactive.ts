/** How an agent's program is started on a person's terminal with a first prompt. */
export interface InteractiveStart {
  /** Has our plugin loaded, so that a skill can be called by its name; others are given the text of the skill. */
  readonly loadsPlugin: boolean;
  readonly args: (prompt: string, pluginFolder: string) => readonly string[];
}

/** As the programs document it themselves. Whoever is missing here is not known to take a first prompt. */
const STARTS: Readonly<Record<string, InteractiveStart>> = {
  claude: { loadsPlugin: true, args: (prompt, plugin) => ['--plugin-dir', plugin, prompt] },
  codex: { loadsPlugin: false, args: (prompt) => [prompt] },
  droid: { loadsPlugin: false, args: (prompt) => [prompt] },
  gemini: { loadsPlugin: false, args: (prompt) => ['--prompt-interactive', prompt] },
  // Puts the prompt into its input line; the person presses Enter.
  opencode: { loadsPlugin: false, args: (prompt) => ['--prompt', prompt] },
  copilot: { loadsPlugin: false, args: (prompt) => ['--interactive', prompt] },
};

/** The agents that can be talked to. */
export const INTERACTIVE_AGENTS: readonly string[] = Object.keys(STARTS);

/** How that agent is talked to; null when it cannot be. */
export function interactiveStart(agent: string): InteractiveStart | null {
  return (Object.hasOwn(STARTS, agent) ? STARTS[agent] : null) ?? null;
}
