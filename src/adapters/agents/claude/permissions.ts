import type { Config } from '../../../contracts/config.ts';
import type { ErrorFacts } from '../../../contracts/errors.ts';
import type { IsolationName } from '../../isolation/port.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The permission mode for a run. Nobody is there to answer questions, so the default is the one that asks none. */
export function permissionMode(config: Config): 'bypassPermissions' | 'acceptEdits' {
  return config.claude.permissionMode ?? 'bypassPermissions';
}

/**
 * Why the client would refuse to start, null when it would not: as root it accepts bypass only when told that it is
 * in a sandbox (IS_SANDBOX=1 or CLAUDE_CODE_BUBBLEWRAP=1). Where an isolation has been proven we say so
 * ({@link sandboxVariable}); elsewhere that is the user's call, never ours.
 */
export function rootRefusal(config: Config, env: Environment, isolation: IsolationName): ErrorFacts | null {
  const isRoot = process.getuid?.() === 0;
  const saidSandbox = isTrue(env['IS_SANDBOX']) || isTrue(env['CLAUDE_CODE_BUBBLEWRAP']);
  if (!isRoot || saidSandbox || isolation !== 'none' || permissionMode(config) !== 'bypassPermissions') return null;
  return {
    what: 'Claude Code does not run as root with permissions bypassed',
    where: 'permission mode bypassPermissions, user root, no isolation, no IS_SANDBOX in the environment',
    why: 'nothing would stand between the agent and the whole machine',
    mend: [
      'take an isolation (`ralph sandbox status` says which one works here)',
      'run ralph as an ordinary user',
      'set claude.permissionMode to "acceptEdits" and list what the agent may run in claude.allowedTools, e.g. ["Bash(npm test:*)", "Bash(git:*)"]',
      'if this machine is a container or VM made for the agent: export IS_SANDBOX=1',
    ],
  };
}

/** What tells the client that it is in a sandbox, where it is. */
export function sandboxVariable(isolation: IsolationName): Record<string, string> {
  return isolation === 'none' ? {} : { IS_SANDBOX: '1' };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
