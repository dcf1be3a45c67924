import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `${XDG_STATE_HOME:-~/.local/state}/ralph`: what this person's runs leave outside every work tree. A relative
 * XDG_STATE_HOME is ignored, as the XDG Base Directory Specification asks.
 */
export function stateHome(env: Env): string {
  const asked = env['XDG_STATE_HOME'];
  const state = asked && isAbsolute(asked) ? asked : join(env['HOME'] || homedir(), '.local', 'state');
  return join(state, 'ralph');
}
