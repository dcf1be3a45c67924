import { endpoints } from '../endpoints.ts';
import { entriesWhere } from '../logins.ts';
import type { InsideNeeds } from '../port.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a provider is asked whose key is in the environment. One whose login was made inside is named in `allowHosts`. */
const PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  ANTHROPIC_API_KEY: ['api.anthropic.com'],
  OPENAI_API_KEY: ['api.openai.com'],
  GEMINI_API_KEY: ['generativelanguage.googleapis.com'],
  GOOGLE_GENERATIVE_AI_API_KEY: ['generativelanguage.googleapis.com'],
  GOOGLE_API_KEY: ['generativelanguage.googleapis.com'],
  OPENROUTER_API_KEY: ['openrouter.ai'],
  CEREBRAS_API_KEY: ['api.cerebras.ai'],
  DEEPSEEK_API_KEY: ['api.deepseek.com'],
  FIREWORKS_API_KEY: ['api.fireworks.ai'],
  GROQ_API_KEY: ['api.groq.com'],
  MISTRAL_API_KEY: ['api.mistral.ai'],
  MOONSHOT_API_KEY: ['api.moonshot.ai', 'api.moonshot.cn'],
  TOGETHER_API_KEY: ['api.together.xyz'],
  XAI_API_KEY: ['api.x.ai'],
  ZHIPU_API_KEY: ['open.bigmodel.cn', 'api.z.ai'],
};

/** What OpenCode needs inside. Its login lies in `~/.local/share/opencode`, and is made inside. */
export const opencodeNeeds: InsideNeeds = {
  hosts,
  config: {
    folder: '.config/opencode',
    // Others say so too (OPENCODE_CONFIG, OPENCODE_CONFIG_DIR), but name more settings, not other ones.
    variable: null,
    copied: [
      ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md'],
      ...['agent', 'agents', 'command', 'commands', 'skill', 'skills', 'mode', 'modes'],
    ],
  },
  // Not those of the type `wellknown`: for one, settings are fetched from where it says, and settings start programs.
  logins: [
    {
      path: '.local/share/opencode/auth.json',
      login: entriesWhere(({ type }) => type === 'api' || type === 'oauth'),
      renewed: true,
    },
  ],
  seeds: {},
};

function hosts(env: Env): readonly string[] {
  const { AWS_REGION: region, AZURE_RESOURCE_NAME: resource } = env;
  return [
    // Its list of models, its own service, and where it fetches the code for a provider from.
    ...['models.dev', 'opencode.ai', 'registry.npmjs.org'],
    ...Object.keys(PROVIDERS).flatMap((key) => (env[key] ? (PROVIDERS[key] ?? []) : [])),
    ...(region ? [`bedrock-runtime.${region}.amazonaws.com`] : []),
    ...(resource ? [`${resource}.openai.azure.com`, `${resource}.services.ai.azure.com`] : []),
    ...endpoints(env, 'OPENCODE_MODELS_URL', 'ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'OLLAMA_HOST'),
  ];
}
