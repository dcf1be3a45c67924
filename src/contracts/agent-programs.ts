/** The agents that are clients of their own, in display order, and the program of each unless a setting names one. */
export const AGENT_PROGRAMS = {
  claude: 'claude',
  codex: 'codex',
  opencode: 'opencode',
  gemini: 'gemini',
  copilot: 'copilot',
  droid: 'droid',
  cursor: 'cursor-agent',
  amp: 'amp',
  qwen: 'qwen',
  kimi: 'kimi',
  kiro: 'kiro-cli',
} as const;
