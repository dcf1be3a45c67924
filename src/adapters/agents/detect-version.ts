import { runCommand, SpawnFailed } from '../../platform/process/run-command.ts';

/** Clients of several hundred megabytes take seconds from a cold disk. */
const TIMEOUT_MS = 20_000;
/** Bytes: a program that prints digits for ever says no version. */
const LONGEST_ANSWER = 4096;

/**
 * The version that `command --version` prints, or in one line why there is none: it was not found, failed, said
 * nothing that looks like a version, or gave no answer in 20 s.
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
