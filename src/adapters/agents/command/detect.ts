import { runCommand } from '../../../platform/process/run-command.ts';
import type { AgentAvailability } from '../port.ts';

export const SET_IT = 'set command.run in the configuration, e.g. "my-agent --yes < \\"$RALPH_PROMPT_FILE\\""';

const LOOK_UP_TIMEOUT_MS = 5_000;
/** A word that means the same to the shell as it does to us. */
const PLAIN_WORD = /^[\w./+@%:,-]+$/;
const ASSIGNMENT = /^\w+=\S*$/;

/** Is a command configured, and does the shell know its first word? The command itself is not run. */
export async function detectCommand(run: string | null): Promise<AgentAvailability> {
  if (run === null) return unavailable('command.run is not set', SET_IT);
  const word = programOf(run);
  if (word === null) return { ok: true, version: null, detail: `sh -c '${run}'`, mend: '' };
  const { exitCode, stdout } = await runCommand('/bin/sh', ['-c', 'command -v -- "$1"', 'sh', word], {
    cwd: process.cwd(),
    timeoutMs: LOOK_UP_TIMEOUT_MS,
  });
  if (exitCode !== 0) {
    return unavailable(
      `the shell does not know '${word}'`,
      `install '${word}', or name another program in command.run`,
    );
  }
  return { ok: true, version: null, detail: stdout.toString('utf8').trim(), mend: '' };
}

/** The program that a shell command starts; null where only the shell itself could tell. */
export function programOf(run: string): string | null {
  const word = run
    .trim()
    .split(/\s+/)
    .find((candidate) => !ASSIGNMENT.test(candidate));
  return word !== undefined && PLAIN_WORD.test(word) ? word : null;
}

function unavailable(detail: string, mend: string): AgentAvailability {
  return { ok: false, version: null, detail, mend };
}
