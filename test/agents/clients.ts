import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where scripts/agents.ts installs the real clients. */
const MODULES = fileURLToPath(new URL('./clients/node_modules/', import.meta.url));
const PLATFORM = `${process.platform}-${process.arch}`;

/** Programs by agent. Install scripts do not run, so that a program lies where its package for this platform has it. */
const PROGRAMS = {
  codex: `${MODULES}.bin/codex`,
  opencode: `${MODULES}opencode-${PLATFORM}/bin/opencode`,
} as const;

/** The real client of an agent; null where it is not installed, or there is none for this platform. */
export function clientOf(agent: keyof typeof PROGRAMS): string | null {
  const program = PROGRAMS[agent];
  return existsSync(program) ? program : null;
}
