import { createHash } from 'node:crypto';
import { exists, stat } from '../../platform/index.ts';
import type { IsolationName } from '../isolation/index.ts';
import type { Env } from './port.ts';
import { AGENT_NAMES, agentByName } from './registry.ts';

interface FoundLogin {
  /** The variable or the file that holds it; null where none is seen. */
  readonly credential: string | null;
  /** How to get another one. */
  readonly fix: readonly string[];
  /** Differs when the credential has changed; says nothing about it. */
  mark(salt: string): Promise<string>;
}

/**
 * The login of an agent where a run would start it. Looks at names only: no file is opened, no value is shown.
 * @param home the home folder that it would see
 * @returns null where that cannot be determined from here
 */
export async function findLogin(
  name: string,
  { env, home, isolation }: { readonly env: Env; readonly home: string; readonly isolation: IsolationName },
): Promise<FoundLogin | null> {
  const login = AGENT_NAMES.includes(name) ? (await agentByName(name)).login : undefined;
  // macOS keeps the login of a person's own session in the keychain.
  if (login === undefined || (isolation === 'none' && process.platform === 'darwin')) return null;
  const inside = login.files.length === 0 ? [] : [`ralph sandbox shell -- ${login.command}`];
  const again = isolation === 'none' ? [login.command] : inside;
  const variable = login.variables.find((one) => env[one]);
  if (variable !== undefined) {
    const mark = async (salt: string) => hashOf(salt, env[variable] ?? '');
    return {
      credential: variable,
      fix: [`export ${variable}=…`, ...again.map((way) => `or without it: unset ${variable}, then ${way}`)],
      mark,
    };
  }
  const folder =
    name === 'claude' && isolation === 'none' && env['CLAUDE_CONFIG_DIR'] ? env['CLAUDE_CONFIG_DIR'] : null;
  for (const file of login.files) {
    const path = folder === null ? `${home}/${file}` : `${folder}/${file.split('/').slice(1).join('/')}`;
    if (!(await exists(path))) continue;
    const mark = async (salt: string) => hashOf(salt, String((await stat(path))?.mtimeMs));
    return { credential: path, fix: again, mark };
  }
  return {
    credential: null,
    fix: [...again, `export ${login.variables[0]}=…`],
    mark: async (salt) => hashOf(salt, ''),
  };
}

/** Too short to tell a key by. */
const hashOf = (salt: string, text: string): string =>
  createHash('sha256').update(`${salt} ${text}`).digest('hex').slice(0, 8);
