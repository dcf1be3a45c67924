import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where scripts/agents.ts installs the real clients. */
export const MODULES = fileURLToPath(new URL('./clients/node_modules/', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

/** For clients that need a newer Node than ralph does. */
const NODE = `${MODULES}node-${PLATFORM}/bin/node`;

/** Programs by agent. Install scripts do not run, so that a program lies where its package for this platform has it. */
const PROGRAMS = {
  codex: [`${MODULES}.bin/codex`],
  opencode: [`${MODULES}opencode-${PLATFORM}/bin/opencode`],
  qwen: [NODE, `${MODULES}@qwen-code/qwen-code/cli-entry.js`],
  kimi: [NODE, `${MODULES}@moonshot-ai/kimi-code/dist/main.mjs`],
} as const;

/** The real client of an agent; null where it is not installed, or there is none for this platform. */
export function clientOf(agent: keyof typeof PROGRAMS): readonly string[] | null {
  const program = PROGRAMS[agent];
  return program.every((file) => existsSync(file)) ? program : null;
}
