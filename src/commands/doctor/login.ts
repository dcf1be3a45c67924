import type { IsolationName } from '../../adapters/isolation/port.ts';
import { exists } from '../../platform/files/files.ts';
import type { Finding } from './finding.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface Login {
  /** Each of these is one, or says where to go without. */
  readonly variables: readonly string[];
  /** Below the home folder; each is one. */
  readonly files: readonly string[];
  /** What asks for one. */
  readonly command: string;
}

/** Where agents keep their logins. Others may have one that cannot be seen from here. */
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
  codex: { variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'], files: ['.codex/auth.json'], command: 'codex login' },
  gemini: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    command: 'gemini',
  },
};

/**
 * Has the agent a login where a run would start it? Names only: no file is opened, no value is shown.
 * @param home the home folder that it would see
 * @returns null where that cannot be told from here
 */
export async function examineLogin(
  name: string,
  { env, home, isolation }: { readonly env: Env; readonly home: string; readonly isolation: IsolationName },
): Promise<Finding | null> {
  const login = Object.hasOwn(LOGINS, name) ? LOGINS[name] : undefined;
  // macOS keeps the login of a person's own session in the keychain.
  if (login === undefined || (isolation === 'none' && process.platform === 'darwin')) return null;
  const common = { name: `login ${name}`, concerns: 'agent' } as const;
  const variable = login.variables.find((one) => env[one]);
  if (variable !== undefined) return { ...common, state: 'ok', detail: variable, mend: [] };
  const folder =
    name === 'claude' && isolation === 'none' && env['CLAUDE_CONFIG_DIR'] ? env['CLAUDE_CONFIG_DIR'] : null;
  for (const file of login.files) {
    const path = folder === null ? `${home}/${file}` : `${folder}/${file.split('/').slice(1).join('/')}`;
    if (await exists(path)) return { ...common, state: 'ok', detail: path, mend: [] };
  }
  const inside = isolation !== 'none';
  return {
    ...common,
    state: 'warning',
    detail: inside ? `none seen inside ${isolation}, where yours is not available` : 'none seen',
    mend: [inside ? `ralph sandbox shell -- ${login.command}` : login.command, `export ${login.variables[0]}=…`],
  };
}
