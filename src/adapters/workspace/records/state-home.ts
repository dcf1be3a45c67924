import { createHash, randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { type Env, jsonObject, messageOf, StateError } from '../../../contracts/index.ts';
import { makePrivateDir, readText, writePrivate } from '../../../platform/index.ts';

/**
 * `${XDG_STATE_HOME:-~/.local/state}/ralph`: what the user's runs leave outside every work tree. A relative
 * XDG_STATE_HOME is ignored, as the XDG Base Directory Specification requires.
 */
export function stateHome(env: Env): string {
  const asked = env['XDG_STATE_HOME'];
  const state = asked && isAbsolute(asked) ? asked : join(env['HOME'] || homedir(), '.local', 'state');
  return join(state, 'ralph');
}

/** `${XDG_CACHE_HOME:-~/.cache}/ralph`: clean rooms, which can be made again. */
export function cacheHome(env: Env): string {
  return `${env['XDG_CACHE_HOME'] || `${env['HOME'] || homedir()}/.cache`}/ralph`;
}

async function orRefuse(what: string, where: string, write: () => Promise<void>): Promise<void> {
  await write().catch((error: unknown) => {
    throw new StateError({
      what,
      where,
      why: messageOf(error),
      fix: ['set XDG_STATE_HOME to a folder you may write'],
    });
  });
}

/** 256 bits: cannot be guessed. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** In the user's state folder: outside every work tree, so that no agent's mount contains it. */
function dashboardFilePath(env: Env): string {
  return join(stateHome(env), 'dashboard', 'token.json');
}

/** The token of this user's dashboards; null when there is none yet, or the file does not contain one. */
export async function readDashboardToken(env: Env): Promise<string | null> {
  const { token } = jsonObject((await readText(dashboardFilePath(env)).catch(() => null)) ?? '') ?? {};
  return typeof token === 'string' && TOKEN.test(token) ? token : null;
}

/**
 * Makes a token and stores it, so that browsers stay logged in after a restart. Running dashboards switch to it within
 * a second and forget the old one.
 * @throws StateError when it cannot be written
 */
export async function renewDashboardToken(env: Env): Promise<string> {
  const path = dashboardFilePath(env);
  const folder = join(path, '..');
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  await orRefuse("the dashboard's token cannot be kept", folder, async () => {
    await makePrivateDir(folder);
    await writePrivate(path, `${JSON.stringify({ version: 1, token })}\n`);
  });
  // Another dashboard may have done this at the same time: the file decides.
  return (await readDashboardToken(env)) ?? token;
}

/**
 * The hosts that a run may reach and the last one in this work tree could not; empty for the first run. The current
 * hosts are stored for comparison with the next run, outside the work tree; if that fails, no host counts as new.
 */
export async function newHosts(env: Env, root: string, hosts: readonly string[]): Promise<readonly string[]> {
  const folder = `${stateHome(env)}/hosts`;
  const path = `${folder}/${createHash('sha256').update(root).digest('hex').slice(0, 16)}.json`;
  const last = hostsIn(await readText(path).catch(() => null));
  try {
    await makePrivateDir(folder);
    await writePrivate(path, `${JSON.stringify(hosts)}\n`, { fsync: false });
  } catch {
    return [];
  }
  return last === null ? [] : hosts.filter((host) => !last.includes(host));
}

function hostsIn(text: string | null): readonly unknown[] | null {
  try {
    const hosts: unknown = JSON.parse(text ?? '');
    return Array.isArray(hosts) ? hosts : null;
  } catch {
    return null;
  }
}
