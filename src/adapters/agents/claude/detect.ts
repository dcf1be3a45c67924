import type { Config } from '../../../contracts/config.ts';
import type { IsolationName } from '../../isolation/port.ts';
import { askVersion } from '../detect-version.ts';
import type { AgentAvailability } from '../port.ts';
import { rootRefusal } from './permissions.ts';

const INSTALL =
  'npm install -g @anthropic-ai/claude-code, then run `claude` once to log in; or name the program in claude.command';

/** Is the client there, does it start, and would it run under this configuration? Runs `claude --version`. */
export async function detectClaude(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  isolation: IsolationName = 'none',
): Promise<AgentAvailability> {
  const { command } = config.claude;
  const answer = await askVersion(command);
  if ('failure' in answer) return { ok: false, version: null, detail: answer.failure, mend: INSTALL };
  const refusal = rootRefusal(config, env, isolation);
  if (refusal)
    return { ok: false, version: answer.version, detail: refusal.what, mend: (refusal.mend ?? []).join('; or ') };
  return { ok: true, version: answer.version, detail: `${command} ${answer.version}`, mend: '' };
}
