import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { StateError } from '../../../contracts/errors.ts';
import { readText } from '../../../platform/files/files.ts';
import { makePrivateDir, writePrivate } from '../../../platform/files/private.ts';
import { stateHome } from './state-home.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** 256 bits: not to be guessed. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** Below the state folder of the person: outside every work tree, so that no agent's mount holds it. */
export function dashboardFilePath(env: Env): string {
  return join(stateHome(env), 'dashboard', 'token.json');
}

/** The token of this user's dashboards; null when there is none yet, or the file holds none. */
export async function readDashboardToken(env: Env): Promise<string | null> {
  try {
    const found = JSON.parse((await readText(dashboardFilePath(env))) ?? 'null') as { token?: unknown } | null;
    return typeof found?.token === 'string' && TOKEN.test(found.token) ? found.token : null;
  } catch {
    return null;
  }
}

/**
 * Makes a token and keeps it, so that browsers that were let in still are after a restart. Dashboards that run take it
 * over within a second and forget the one before.
 * @throws StateError when it cannot be written
 */
export async function renewDashboardToken(env: Env): Promise<string> {
  const path = dashboardFilePath(env);
  const folder = join(path, '..');
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  try {
    await makePrivateDir(folder);
    await writePrivate(path, `${JSON.stringify({ version: 1, token })}\n`);
  } catch (error) {
    throw new StateError({
      what: "the dashboard's token cannot be kept",
      where: folder,
      why: error instanceof Error ? error.message : String(error),
      mend: ['set XDG_STATE_HOME to a folder you may write'],
    });
  }
  // Another dashboard may have done the same at this moment: the file decides.
  return (await readDashboardToken(env)) ?? token;
}
