import type { Config } from '../../../contracts/config.ts';
import { runCommand, SpawnFailed } from '../../../platform/run-command.ts';
import type { AgentAvailability } from '../port.ts';
import { rootRefusal } from './permissions.ts';

const VERSION_TIMEOUT_MS = 20_000;
const INSTALL =
  'npm install -g @anthropic-ai/claude-code, then run `claude` once to log in; or name the program in claude.command';

/** Is the client there, does it start, and would it run under this configuration? Runs `claude --version`. */
export async function detectClaude(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<AgentAvailability> {
  const { command } = config.claude;
  const answer = await askVersion(command);
  if ('failure' in answer) return { ok: false, version: null, detail: answer.failure, mend: INSTALL };
  const refusal = rootRefusal(config, env);
  if (refusal)
    return { ok: false, version: answer.version, detail: refusal.what, mend: (refusal.mend ?? []).join('; or ') };
  return { ok: true, version: answer.version, detail: `${command} ${answer.version}`, mend: '' };
}

async function askVersion(command: string): Promise<{ version: string } | { failure: string }> {
  try {
    const { exitCode, stdout, stderr, timedOut } = await runCommand(command, ['--version'], {
      cwd: process.cwd(),
      timeoutMs: VERSION_TIMEOUT_MS,
    });
    if (timedOut) return { failure: `${command} --version gave no answer in ${VERSION_TIMEOUT_MS / 1000} s` };
    // Prints e.g. `2.1.330 (Claude Code)`.
    const version = /\d+\.\d+\.\d+\S*/.exec(stdout.toString('utf8'))?.[0];
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
