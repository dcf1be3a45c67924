import { runCommand, SpawnFailed } from '../../platform/index.ts';
import type { AgentAvailability } from './port.ts';

/** Clients of several hundred megabytes take seconds to start from a cold disk. */
const TIMEOUT_MS = 20_000;
/** Bytes, in case a program prints digits without end. */
const LONGEST_ANSWER = 4096;

/**
 * The version that `command --version` prints, or one line that says why there is none: it was not found, failed,
 * printed nothing that looks like a version, or gave no answer in 20 s.
 */
export async function askVersion(command: string): Promise<{ version: string } | { failure: string }> {
  try {
    const { exitCode, stdout, stderr, timedOut } = await runCommand(command, ['--version'], {
      cwd: process.cwd(),
      timeoutMs: TIMEOUT_MS,
    });
    if (timedOut) return { failure: `${command} --version gave no answer in ${TIMEOUT_MS / 1000} s` };
    // Programs print e.g. `2.1.330 (Claude Code)`, `codex-cli 0.169.0` or `GitHub Copilot CLI 1.0.102.`
    const version = /\d+\.\d+\.\d+(?:[-+.\w]*\w)?/.exec(stdout.toString('utf8', 0, LONGEST_ANSWER))?.[0];
    if (exitCode === 0 && version) return { version };
    return { failure: `${command} --version failed (exit ${exitCode}): ${firstLine(stderr.toString('utf8'))}` };
  } catch (error) {
    if (error instanceof SpawnFailed) return { failure: `${command} was not found or does not start (${error.code})` };
    throw error;
  }
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}

/** Checks that the program is installed and starts. Runs `command --version`. `install` says how to get it. */
export async function detectProgram(command: string, install: string): Promise<AgentAvailability> {
  const answer = await askVersion(command);
  if ('failure' in answer) return { ok: false, version: null, detail: answer.failure, mend: install };
  return { ok: true, version: answer.version, detail: `${command} ${answer.version}`, mend: '' };
}
