import { createHash } from 'node:crypto';
import { exists, stat } from '../../platform/index.ts';
import type { IsolationName } from '../isolation/index.ts';
import type { Env } from './port.ts';

interface Login {
  /** Each holds a login, or says where to go without one. */
  readonly variables: readonly string[];
  /** Below the home folder; each holds a login. */
  readonly files: readonly string[];
  /** Logs in. */
  readonly command: string;
}

/** Where agents keep their logins. An agent not listed may have one that cannot be seen from here. */
const LOGINS: Readonly<Record<string, Login>> = {
  claude: {
    variables: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'CLAUDE_CODE_OAUTH_TOKEN',
      'CLAUDE_CODE_USE_BEDROCK',
      'CLAUDE_CODE_USE_VERTEX',
      'CLAUDE_CODE_USE_FOUNDRY',
    ],
    files: ['.claude/.credentials.json'],
    command: 'claude',
  },
  // Not OPENAI_API_KEY, which the client has its own provider take from `codex login` only.
  codex: { variables: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'], files: ['.codex/auth.json'], command: 'codex login' },
  gemini: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    command: 'gemini',
  },
};

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
  const login = Object.hasOwn(LOGINS, name) ? LOGINS[name] : undefined;
  // macOS keeps the login of a person's own session in the keychain.
  if (login === undefined || (isolation === 'none' && process.platform === 'darwin')) return null;
  const again = isolation === 'none' ? login.command : `ralph sandbox shell -- ${login.command}`;
  const variable = login.variables.find((one) => env[one]);
  if (variable !== undefined) {
    const mark = async (salt: string) => hashOf(salt, env[variable] ?? '');
    return {
      credential: variable,
      fix: [`export ${variable}=…`, `or without it: unset ${variable}, then ${again}`],
      mark,
    };
  }
  const folder =
    name === 'claude' && isolation === 'none' && env['CLAUDE_CONFIG_DIR'] ? env['CLAUDE_CONFIG_DIR'] : null;
  for (const file of login.files) {
    const path = folder === null ? `${home}/${file}` : `${folder}/${file.split('/').slice(1).join('/')}`;
    if (!(await exists(path))) continue;
    const mark = async (salt: string) => hashOf(salt, String((await stat(path))?.mtimeMs));
    return { credential: path, fix: [again], mark };
  }
  return { credential: null, fix: [again, `export ${login.variables[0]}=…`], mark: async (salt) => hashOf(salt, '') };
}

/** Too short to tell a key by. */
const hashOf = (salt: string, text: string): string =>
  createHash('sha256').update(`${salt} ${text}`).digest('hex').slice(0, 8);
