import type { AgentErrorKind } from '../../../contracts/index.ts';
import { clientAgent, endpoints, membersOf } from '../client.ts';
import { type Ended, type Exit, failure, failureOfStatus } from '../ends.ts';
import { OWN_CODES } from '../gemini/adapter.ts';
import { messageTranslator } from '../messages.ts';

/** Qwen Code in headless mode: a fork of Gemini CLI that writes the stream of Claude Code. */
export const qwen = clientAgent({
  name: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code, then run `qwen` once to log in or export OPENAI_API_KEY',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Not all of QWEN_*: the client sets many of them for its children.
  environment: ['OPENAI_*', 'ANTHROPIC_*', 'DASHSCOPE_*', 'BAILIAN_*', 'GEMINI_API_KEY', 'QWEN_HOME'],
  inside: {
    hosts: (env) => [
      ...['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', '*.dashscope.aliyuncs.com', '*.maas.aliyuncs.com'],
      ...(env['OPENAI_API_KEY'] && !env['OPENAI_BASE_URL'] ? ['api.openai.com'] : []),
      ...(env['ANTHROPIC_API_KEY'] && !env['ANTHROPIC_BASE_URL'] ? ['api.anthropic.com'] : []),
      ...endpoints(env, 'OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'DASHSCOPE_BASE_URL'),
    ],
    provider: (env) => [
      {
        address: 'OPENAI_BASE_URL',
        base: 'https://api.openai.com/v1',
        secrets: { OPENAI_API_KEY: 'sk-' },
        hosts: ['api.openai.com', ...endpoints(env, 'OPENAI_BASE_URL')],
      },
      {
        address: 'ANTHROPIC_BASE_URL',
        base: 'https://api.anthropic.com',
        secrets: { ANTHROPIC_API_KEY: 'sk-ant-api03-' },
        hosts: ['api.anthropic.com', ...endpoints(env, 'ANTHROPIC_BASE_URL')],
      },
    ],
    // Its settings may hold keys.
    config: { folder: '.qwen', variable: 'QWEN_HOME', copied: ['QWEN.md', 'commands', 'skills', 'agents'] },
    logins: [{ path: '.qwen/settings.json', login: membersOf('security.auth', 'model.name') }],
    seeds: { '.qwen/settings.json': '{}' },
  },
  // Its own settings (hooks, the context file's name) apply, as with gemini. It takes a server for tools only with the
  // token on the command line.
  args: () => [
    ...['--output-format', 'stream-json', '--approval-mode', 'yolo'],
    ...['--extensions', 'none', '--allowed-mcp-server-names', 'none'],
  ],
  translator: () => messageTranslator({ failureOf }),
});

/** The provider's whole answer, inside the client's message: `[API Error: 429 {"type":"error",…}]`. */
const PROVIDER_ERROR = /^\[API Error: (\d{3}) /;

/** The beginnings of the client's messages in cases where there is no status. */
const BEGINNINGS: readonly (readonly [RegExp, AgentErrorKind])[] = [
  [/^\[API Error: Connection error\./, 'network'],
  [/^\[API Error: Model stream ended with empty response text\./, 'empty'],
  [/^(?:[A-Z_]+ environment variable not found|Missing API key for |No auth type is selected\b)/, 'auth'],
];

/** The client writes its errors into a field of its own, where neither the model nor a tool can write. */
function failureOf(message: string, { exitCode }: Exit): Ended {
  const status = PROVIDER_ERROR.exec(message)?.[1];
  if (status !== undefined) return failureOfStatus(Number(status), message);
  const kind = BEGINNINGS.find(([beginning]) => beginning.test(message))?.[1];
  return { error: failure(kind ?? OWN_CODES[exitCode ?? 0] ?? 'api', message) };
}
