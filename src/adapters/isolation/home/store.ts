import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { exists, remove } from '../../../platform/index.ts';
import type { Env } from '../port.ts';

/** Earlier versions had one lasting home folder for each of these. */
export const EARLIER: readonly string[] = ['bwrap', 'srt', 'container'];

/** The store of logins made inside: `${XDG_STATE_HOME:-~/.local/state}/ralph/isolation/logins`. */
export function loginStore(env: Env): string {
  return join(isolationState(env), 'logins');
}

/** Removes every login made inside, and those that earlier versions kept. @returns was there any? */
export async function removeLogins(env: Env): Promise<boolean> {
  const places = [loginStore(env), ...EARLIER.map((name) => join(isolationState(env), name))];
  const found = await Promise.all(places.map(exists));
  for (const place of places) await remove(place);
  return found.includes(true);
}

export function isolationState(env: Env): string {
  const asked = env['XDG_STATE_HOME'];
  const state = asked && isAbsolute(asked) ? asked : join(usersHome(env), '.local', 'state');
  return join(state, 'ralph', 'isolation');
}

export function usersHome(env: Env): string {
  return env['HOME'] || homedir();
}
