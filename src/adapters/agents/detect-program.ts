import { askVersion } from './detect-version.ts';
import type { AgentAvailability } from './port.ts';

/** Is the program there, and does it start? Runs `command --version`. `install` says how to get it. */
export async function detectProgram(command: string, install: string): Promise<AgentAvailability> {
  const answer = await askVersion(command);
  if ('failure' in answer) return { ok: false, version: null, detail: answer.failure, mend: install };
  return { ok: true, version: answer.version, detail: `${command} ${answer.version}`, mend: '' };
}
