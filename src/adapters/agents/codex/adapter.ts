import type { AgentErrorKind, AgentEvent, Usage } from '../../../contracts/index.ts';
import { addUsage } from '../../../rules/text/index.ts';
import { clientAgent, endpoints, membersOf } from '../client.ts';
import { type Ended, type Exit, endWithoutResult, errorOfEnd, failure, failureOfStatus, limitNamed } from '../ends.ts';
import type { AgentControl, AgentTask, McpServer } from '../port.ts';
import { byKind, opened, type Session, said, toolCall, toolResult, translatorOf, used } from '../translate.ts';
import { asArray, asNumber, asObject, asText, count, type Wire } from '../wire.ts';

/** Names the address of the provider where its key stays outside; no variable of the client's does. */
const ADDRESS = 'RALPH_CODEX_BASE_URL';

/** Codex CLI in its non-interactive mode: one `codex exec --json` per task, whose events are read. */
export const codex = clientAgent({
  name: 'codex',
  install: 'npm install -g @openai/codex, then run `codex login` once or export CODEX_API_KEY',
  capabilities: { hooks: false, tools: true, cost: false, tokens: true, limits: true, budget: false },
  // Named one by one: the client sets many CODEX_* variables for its own children, which must not reach an agent when
  // ralph itself was started from a Codex session.
  environment: ['CODEX_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'CODEX_CA_CERTIFICATE', 'OPENAI_*'],
  inside: {
    // The API, the service behind a login with an account, and where that login is fetched and renewed.
    hosts: (env) => ['api.openai.com', 'chatgpt.com', 'auth.openai.com', ...endpoints(env, 'OPENAI_BASE_URL')],
    // The client takes no other key for its own provider. Where the arguments name another provider, it is theirs.
    provider: (env, args) =>
      !env['CODEX_API_KEY'] || args.some((text) => /model_provider|openai_base_url/.test(text))
        ? null
        : {
            address: ADDRESS,
            base: 'https://api.openai.com/v1',
            secrets: { CODEX_API_KEY: 'sk-', OPENAI_API_KEY: 'sk-' },
          },
    // Neither `config.toml`, which a run ignores anyway, nor `auth.json`, which is the login.
    config: {
      folder: '.codex',
      variable: 'CODEX_HOME',
      copied: ['AGENTS.md', 'AGENTS.override.md', 'prompts', 'skills'],
    },
    logins: [
      {
        path: '.codex/auth.json',
        login: membersOf('auth_mode', 'OPENAI_API_KEY', 'tokens', 'last_refresh'),
        renewed: true,
      },
    ],
    seeds: {},
  },
  // Not OPENAI_API_KEY, which the client has its own provider take from `codex login` only.
  login: { variables: ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'], files: ['.codex/auth.json'], command: 'codex login' },
  args: codexArguments,
  variables: ({ servers = [] }) => Object.assign({}, ...servers.map(moreServer).map(([, env]) => env)),
  effort: (effort) => ['-c', `model_reasoning_effort=${JSON.stringify(effort)}`],
  last: '-',
  translator: ({ model }) => translatorOf(beginning(model), translate, conclude),
});

/**
 * The command line of one task; the prompt comes on standard input.
 *
 * Kept out: the user's `config.toml` (its other MCP servers, profiles, hooks and providers), the project's (the client reads
 * it only in trusted projects, and trust is recorded in the user's), `.rules` files; no session file is left behind.
 * Kept: the login in CODEX_HOME, skills, and the AGENTS.md files of the user and the project. A user who needs another
 * provider names it with `-c` in `agents.codex.args`.
 */
function codexArguments({ control, config, env, servers = [] }: AgentTask): readonly string[] {
  return [
    ...['exec', '--json', '--color', 'never'],
    ...['--ignore-user-config', '--ignore-rules', '--ephemeral'],
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    ...redirected(env[ADDRESS]),
    ...(control ? ['-c', toolServer(control, config.timeoutMs)] : []),
    ...servers.map(moreServer).flatMap(([setting]) => ['-c', setting]),
  ];
}

/** The client's own provider at another address, which takes no WebSockets; under another name, as its own is fixed. */
function redirected(address: string | undefined): readonly string[] {
  if (address === undefined) return [];
  const settings = [
    'name="OpenAI"',
    `base_url=${JSON.stringify(address)}`,
    'env_key="CODEX_API_KEY"',
    'wire_api="responses"',
    'supports_websockets=false',
  ];
  return ['-c', 'model_provider="openai-outside"', '-c', `model_providers.openai-outside={${settings.join(',')}}`];
}

/**
 * Another MCP server, in TOML, and the variables that it names: values would be seen in process listings. Two servers
 * cannot have different values of one variable.
 */
function moreServer(server: McpServer, at: number): readonly [setting: string, env: Readonly<Record<string, string>>] {
  const isProgram = server.type === 'stdio';
  const values = Object.entries(isProgram ? server.env : server.headers);
  const variables = values.map(([name, value], k) => [name, isProgram ? name : `RALPH_MCP_${at}_${k}`, value] as const);
  const settings = isProgram
    ? [
        `command=${JSON.stringify(server.command)}`,
        `args=${JSON.stringify(server.args)}`,
        `env_vars=${JSON.stringify(Object.keys(server.env))}`,
      ]
    : [
        `url=${JSON.stringify(server.url)}`,
        `env_http_headers={${variables.map(([name, variable]) => `${JSON.stringify(name)}="${variable}"`).join(',')}}`,
      ];
  const env = Object.fromEntries(variables.map(([, variable, value]) => [variable, value]));
  return [`mcp_servers.${server.name}={${settings.join(',')}}`, env];
}

/** The run's tools as an MCP server, in TOML; the token stays in the environment: process listings do not show it. */
function toolServer({ url }: AgentControl, timeoutMs: number): string {
  const settings = [
    `url=${JSON.stringify(`${url}/mcp`)}`,
    'bearer_token_env_var="RALPH_CONTROL_TOKEN"',
    // `complete_story` runs the checks before it answers.
    `tool_timeout_sec=${Math.ceil(timeoutMs / 1000)}`,
  ];
  return `mcp_servers.ralph={${settings.join(',')}}`;
}

type Stream = Session & ReturnType<typeof beginning>;

const beginning = (model: string | null) => ({
  model,
  /** How the last turn ended; null while it runs. */
  ending: null as 'completed' | { readonly failure: string } | null,
  /** Items whose start event arrived. */
  started: new Set<unknown>(),
});

const itemIn = (wire: Wire): Wire => asObject(wire['item']) ?? {};

const translate = byKind<Stream>({
  'thread.started': (session, wire) => opened(session, wire['thread_id'], session.model),
  'turn.started': (session) => {
    session.ending = null;
  },
  'item.started': ({ started }, wire) => {
    const item = itemIn(wire);
    if (toolOf(item)) started.add(item['id']);
    return callOf(item);
  },
  'item.completed': (session, wire) => itemCompleted(session, itemIn(wire)),
  error: (_, wire) => complaint(asText(wire['message']) ?? ''),
  'turn.completed': (session, wire) => {
    session.ending = 'completed';
    session.usage = addUsage(session.usage, turnUsage(asObject(wire['usage']) ?? {}));
    return [used(session)];
  },
  'turn.failed': (session, wire) => {
    session.ending = { failure: asText(asObject(wire['error'])?.['message']) ?? 'the turn failed' };
  },
});

function itemCompleted(session: Stream, item: Wire): readonly AgentEvent[] {
  if (item['type'] === 'agent_message') return said(session, item['text']);
  if (item['type'] === 'error') return [{ type: 'notice', text: asText(item['message']) ?? 'an unnamed error' }];
  const tool = toolOf(item);
  if (!tool) return [];
  const isOk = (item['status'] ?? 'completed') === 'completed' && (asNumber(item['exit_code']) ?? 0) === 0;
  // Some items are announced only when they are done.
  const call = session.started.has(item['id']) ? [] : callOf(item);
  return [...call, toolResult(item['id'], isOk, tool.result?.(item) ?? '')];
}

/** `Reconnecting... 2/5 (unexpected status 500 …)`; the failed turn repeats the last such message. */
const RECONNECTING = /^Reconnecting\.\.\. (\d+)\/\d+(?: \((.*)\))?$/s;

function complaint(message: string): readonly AgentEvent[] {
  const retry = RECONNECTING.exec(message);
  if (!retry) return message === '' ? [] : [{ type: 'notice', text: message }];
  return [{ type: 'retry', attempt: Number(retry[1]), delayMs: null, reason: retry[2] ?? 'unknown' }];
}

/** Judges by exit code, the end of the turn and a non-empty answer together. */
function conclude({ ending, lastText }: Stream, exit: Exit): Ended {
  if (exit.signal !== null || ending === null) return { error: endWithoutResult(exit) };
  return ending === 'completed' ? { error: errorOfEnd(exit, lastText) } : failureOf(ending.failure);
}

/** How an item of the stream is shown as a tool call. */
interface ToolItem {
  readonly name: (item: Wire) => unknown;
  readonly input: (item: Wire) => object;
  readonly result?: (item: Wire) => unknown;
}

const TOOL_ITEMS: ReadonlyMap<unknown, ToolItem> = new Map<unknown, ToolItem>([
  [
    'command_execution',
    {
      name: () => 'shell',
      input: (item) => ({ command: unwrapped(asText(item['command']) ?? '') }),
      result: (item) => item['aggregated_output'],
    },
  ],
  ['file_change', { name: () => 'apply_patch', input: (item) => ({ path: paths(item) }) }],
  [
    'mcp_tool_call',
    {
      name: (item) => `${asText(item['server']) ?? 'unknown'}.${asText(item['tool']) ?? 'unknown'}`,
      input: (item) => asObject(item['arguments']) ?? {},
      result: (item) => asObject(item['error'])?.['message'] ?? asObject(item['result'])?.['content'],
    },
  ],
  ['web_search', { name: () => 'web_search', input: ({ query }) => ({ query }) }],
  ['collab_tool_call', { name: ({ tool }) => tool ?? 'agent', input: ({ prompt }) => ({ prompt }) }],
]);

/** null for items that use no tool. */
function toolOf(item: Wire): ToolItem | null {
  return TOOL_ITEMS.get(item['type']) ?? null;
}

function callOf(item: Wire): readonly AgentEvent[] {
  const tool = toolOf(item);
  return tool ? [toolCall(item['id'], tool.name(item), tool.input(item))] : [];
}

/** `/bin/bash -lc 'make test'` → `make test`: the client adds the wrapper, and it tells the reader nothing. */
function unwrapped(command: string): string {
  const [, single, double] = /^\S*sh -l?c (?:'(.*)'|"(.*)")$/s.exec(command) ?? [];
  if (single !== undefined) return single.replaceAll(`'\\''`, "'");
  return double?.replace(/\\(["\\$`])/g, '$1') ?? command;
}

function paths(item: Wire): string {
  return asArray(item['changes'])
    .map((change) => asText(asObject(change)?.['path']))
    .filter((path) => path !== null)
    .join(' ');
}

/** The `usage` of a turn: input tokens include cache reads and writes, output tokens include the reasoning. */
function turnUsage(wire: Wire): Usage {
  const input = count(wire['input_tokens']);
  const read = Math.min(count(wire['cached_input_tokens']), input);
  const written = Math.min(count(wire['cache_write_input_tokens']), input - read);
  return {
    inputTokens: input - read - written,
    outputTokens: count(wire['output_tokens']),
    cacheReadTokens: read,
    cacheWriteTokens: written,
  };
}

/*
 * A failed turn has a message and no code (`{"type":"turn.failed","error":{"message":…}}`), so the message is matched
 * against the templates of the client's own error type. They are matched from their first word on, in that one field,
 * where neither the model nor a tool can write.
 */

interface Template {
  readonly starts: RegExp;
  readonly kind: AgentErrorKind;
  /** Names the limit, for templates of kind `limit`. */
  readonly limit?: string;
}

/** `unexpected status 401 Unauthorized: …`, `exceeded retry limit, last status: 429 Too Many Requests`. */
const STATUS = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/;

const TEMPLATES: readonly Template[] = [
  { starts: /^You['’]ve hit your usage limit\b/, kind: 'limit', limit: 'usage_limit' },
  { starts: /^Selected model is at capacity\./, kind: 'limit', limit: 'overloaded' },
  { starts: /^Quota exceeded\. Check your plan and billing/, kind: 'auth' },
  { starts: /^Your workspace is out of credits\./, kind: 'auth' },
  { starts: /^You hit your spend cap\b/, kind: 'auth' },
  { starts: /^To use Codex with your ChatGPT plan, upgrade\b/, kind: 'auth' },
  { starts: /^Your (?:access token|authentication session) could not be refreshed\b/, kind: 'auth' },
  { starts: /^Missing environment variable: `/, kind: 'auth' },
  // Text of the provider, which the client passes on unchanged.
  { starts: /^The (?:requested )?model [`'][^`']+[`'] does not exist\b/, kind: 'model' },
  { starts: /^The [`'][^`']+[`'] model is not supported\b/, kind: 'model' },
  { starts: /^stream disconnected before completion\b/, kind: 'network' },
  { starts: /^(?:Connection failed|Error while reading the server response):/, kind: 'network' },
  { starts: /^request timed out$/, kind: 'network' },
  { starts: /^We['’]re currently experiencing high demand\b/, kind: 'network' },
];

/**
 * What a failed turn means to the loop. The client gives the end of a limit only as a time of day in its own time zone,
 * so no limit has a reset time.
 */
function failureOf(message: string): Ended {
  const status = STATUS.exec(message)?.[1];
  if (status !== undefined) return failureOfStatus(Number(status), message);
  const { kind = 'api', limit } = TEMPLATES.find(({ starts }) => starts.test(message)) ?? {};
  return { error: failure(kind, message), limit: limit === undefined ? null : limitNamed(limit) };
}
