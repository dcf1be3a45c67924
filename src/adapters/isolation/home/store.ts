import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { exists, remove } from '../../../platform/index.ts';
import type { Env } from '../port.ts';

/** The store of logins made inside: `${XDG_STATE_HOME:-~/.local/state}/ralph/isolation/logins`. */
export function loginStore(env: Env): string {
  return join(isolationState(env), 'logins');
}

/** Removes every login made inside. @returns was there any? */
export async function removeLogins(env: Env): Promise<boolean> {
  const found = await exists(loginStore(env));
  await remove(loginStore(env));
  return found;
}

export function isolationState(env: Env): string {
  const asked = env['XDG_STATE_HOME'];
  const state = asked && isAbsolute(asked) ? asked : join(usersHome(env), '.local', 'state');
  return join(state, 'ralph', 'isolation');
}

export function usersHome(env: Env): string {
  return env['HOME'] || homedir();
}
