import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type AgentErrorKind,
  type AgentEvent,
  jsonObject,
  ownValue,
  type ProviderLimit,
  type Usage,
} from '../../../contracts/index.ts';
import { readText, writeAtomic } from '../../../platform/index.ts';
import { addUsage, allTokens } from '../../../rules/text/index.ts';
import type { Provider } from '../../isolation/index.ts';
import { clientAgent, endpoints, entriesWhere } from '../client.ts';
import {
  type Ended,
  type Exit,
  endWithoutResult,
  errorOfEnd,
  failure,
  kindOfStatus,
  limitNamed,
  limitOfStatus,
} from '../ends.ts';
import type { AgentTask, Env, InsideNeeds, McpServer } from '../port.ts';
import { byKind, opened, type Session, said, toolCall, toolResult, translatorOf, used } from '../translate.ts';
import { asNumber, asObject, asText, count, type Wire } from '../wire.ts';

/** What OpenCode needs inside. Its login is in `~/.local/share/opencode`, and is made inside. */
const opencodeNeeds: InsideNeeds = {
  hosts,
  provider: providers,
  config: {
    folder: '.config/opencode',
    // Other variables (OPENCODE_CONFIG, OPENCODE_CONFIG_DIR) add settings and do not replace these.
    variable: null,
    copied: [
      ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md'],
      ...['agent', 'agents', 'command', 'commands', 'skill', 'skills', 'mode', 'modes'],
    ],
  },
  // Not those of type `wellknown`: they name an address from which settings are fetched, and settings start programs.
  logins: [
    {
      path: '.local/share/opencode/auth.json',
      login: entriesWhere(({ type }) => type === 'api' || type === 'oauth'),
      renewed: true,
    },
  ],
  seeds: {},
};

/** OpenCode in its non-interactive mode: one `opencode run --format json` per task, whose events are read. */
export const opencode = clientAgent({
  name: 'opencode',
  install: 'npm install -g opencode-ai, then run `opencode auth login` once or export the key of a provider',
  capabilities: { hooks: false, tools: true, cost: true, tokens: true, limits: true, budget: false },
  // Its own settings one by one (it sets many OPENCODE_* variables for its children), and the keys of the providers
  // that it knows best; the key of any other provider is named in `env.pass`.
  environment: [
    ...['OPENCODE_API_KEY', 'OPENCODE_AUTH_CONTENT', 'OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR'],
    ...['OPENCODE_MODELS_URL', 'OPENCODE_DISABLE_MODELS_FETCH', 'OPENCODE_EXPERIMENTAL_BASH_DEFAULT_TIMEOUT_MS'],
    ...['ANTHROPIC_*', 'OPENAI_*', 'AZURE_*', 'GEMINI_*', 'GOOGLE_*', 'AWS_*', 'OPENROUTER_*', 'OLLAMA_*'],
    ...['CEREBRAS_API_KEY', 'DEEPSEEK_API_KEY', 'FIREWORKS_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY'],
    ...['MOONSHOT_API_KEY', 'TOGETHER_API_KEY', 'XAI_API_KEY', 'ZHIPU_API_KEY'],
  ],
  inside: opencodeNeeds,
  args: opencodeArguments,
  effort: (effort) => ['--variant', effort],
  variables: (task) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(task)),
    OPENCODE_DISABLE_PROJECT_CONFIG: '1',
    OPENCODE_DISABLE_TERMINAL_TITLE: '1',
    // A client that updates itself during an overnight run is not the version that was tested before it.
    OPENCODE_DISABLE_AUTOUPDATE: '1',
  }),
  translator: ({ model }) => translatorOf(beginning(model), translate, conclude),
});

/** The hosts of each provider whose key is in the environment. `allowHosts` names that of a login made inside. */
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

function hosts(env: Env): readonly string[] {
  const { AWS_REGION: region, AZURE_RESOURCE_NAME: resource } = env;
  return [
    // Its list of models, its own service, and the registry from which it fetches the code for a provider.
    ...['models.dev', 'opencode.ai', 'registry.npmjs.org'],
    ...Object.keys(PROVIDERS).flatMap((key) => (env[key] ? (PROVIDERS[key] ?? []) : [])),
    ...(region ? [`bedrock-runtime.${region}.amazonaws.com`] : []),
    ...(resource ? [`${resource}.openai.azure.com`, `${resource}.services.ai.azure.com`] : []),
    ...endpoints(env, 'OPENCODE_MODELS_URL', 'ANTHROPIC_BASE_URL', 'OPENAI_BASE_URL', 'OLLAMA_HOST'),
  ];
}

/**
 * Providers that the client was seen to reach at another address, with the address and the beginning of a key that it
 * expects. Those of `RALPH_` take it from the settings (`settings`), the others from the variable.
 */
const REDIRECTED = [
  {
    ...{ id: 'anthropic', key: 'ANTHROPIC_API_KEY', address: 'ANTHROPIC_BASE_URL' },
    ...{ base: 'https://api.anthropic.com/v1', beginning: 'sk-ant-api03-' },
  },
  {
    ...{ id: 'openai', key: 'OPENAI_API_KEY', address: 'OPENAI_BASE_URL' },
    ...{ base: 'https://api.openai.com/v1', beginning: 'sk-' },
  },
  {
    ...{ id: 'openrouter', key: 'OPENROUTER_API_KEY', address: 'RALPH_OPENROUTER_BASE_URL' },
    ...{ base: 'https://openrouter.ai/api/v1', beginning: 'sk-or-v1-' },
  },
  {
    ...{ id: 'google', key: 'GOOGLE_GENERATIVE_AI_API_KEY', address: 'RALPH_GOOGLE_BASE_URL' },
    ...{ base: 'https://generativelanguage.googleapis.com/v1beta', beginning: 'AIza' },
  },
] as const;

/** An address in the person's settings counts more than a variable, and may be that of another host. */
async function providers(env: Env): Promise<readonly Provider[]> {
  if ((await settingsOfPerson(env)).some((text) => /baseURL/i.test(text))) return [];
  return REDIRECTED.map(({ key, address, base, beginning }) => ({
    ...{ address, base, secrets: { [key]: beginning } },
    hosts: [...(PROVIDERS[key] ?? []), ...endpoints(env, address)],
  }));
}

async function settingsOfPerson(env: Env): Promise<readonly string[]> {
  const folder = join(env['XDG_CONFIG_HOME'] ?? join(env['HOME'] ?? '/', '.config'), 'opencode');
  const folders = [folder, ...(env['OPENCODE_CONFIG_DIR'] ? [env['OPENCODE_CONFIG_DIR']] : [])];
  const files = folders.flatMap((one) =>
    ['opencode.json', 'opencode.jsonc', 'config.json'].map((name) => join(one, name)),
  );
  if (env['OPENCODE_CONFIG']) files.push(env['OPENCODE_CONFIG']);
  const texts = await Promise.all(files.map((file) => readText(file).catch(() => null)));
  return texts.filter((text) => text !== null);
}

/** Memory of the project, which the client would otherwise leave out together with the project's settings. */
const MEMORY = ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md'];

/**
 * The command line of one task; the prompt comes on standard input.
 *
 * Kept out: the project's `opencode.json` and `.opencode/`. Kept: the login, and the user's own `opencode.json` with
 * its plugins and MCP servers, because it defines providers and logins and the client has no switch that separates them
 * from the rest. Ralph's settings are added through the environment and touch none of the user's files.
 */
async function opencodeArguments(task: AgentTask): Promise<readonly string[]> {
  await writeAtomic(reporterPath(task), reporterSource(), { fsync: false });
  return [
    ...['run', '--format', 'json'],
    '--auto',
    // Its log names the class of an error that the event stream calls unknown.
    ...['--print-logs', '--log-level', 'ERROR'],
  ];
}

function reporterPath({ tempDir }: AgentTask): string {
  return join(tempDir, 'ralph-reporter.mjs');
}

function settings(task: AgentTask): object {
  const told = REDIRECTED.flatMap(({ id, address }) => {
    const baseURL = address.startsWith('RALPH_') && task.env[address];
    return baseURL ? [[id, { options: { baseURL } }] as const] : [];
  });
  return {
    ...(told.length > 0 ? { provider: Object.fromEntries(told) } : {}),
    plugin: [pathToFileURL(reporterPath(task)).href],
    instructions: MEMORY.map((name) => join(task.cwd, name)),
    // The loop judges afterwards; a question would wait all night for an answer.
    permission: { '*': 'allow', question: 'deny' },
    share: 'disabled',
    // These are copies of the work tree for an undo that no run uses; the loop has its own.
    snapshot: false,
    mcp: Object.fromEntries([
      ...(task.control ? [['ralph', toolServer(task.control.url, task.config.timeoutMs)]] : []),
      ...(task.servers ?? []).map((server) => [server.name, moreServer(server)]),
    ]),
  };
}

function toolServer(url: string, timeoutMs: number): object {
  return {
    type: 'remote',
    url: `${url}/mcp`,
    headers: { Authorization: 'Bearer {env:RALPH_CONTROL_TOKEN}' },
    oauth: false,
    enabled: true,
    // `complete_story` runs the checks before it answers.
    timeout: timeoutMs,
  };
}

function moreServer(server: McpServer): object {
  if (server.type !== 'stdio') return { type: 'remote', url: server.url, headers: server.headers, oauth: false };
  return { type: 'local', command: [server.command, ...server.args], environment: server.env };
}

type Stream = Session & ReturnType<typeof beginning>;

const beginning = (model: string | null) => ({
  model,
  costUsd: null as number | null,
  turns: 0,
  /** Whether the model ended its last step itself. */
  stopped: false,
  failed: null as Wire | null,
  /** The wait because of which our plugin ended the client. */
  wait: null as ProviderLimit | null,
});

/** Every event carries the session; no event announces it. */
function translate(session: Stream, wire: Wire): readonly AgentEvent[] {
  const { sessionID } = wire;
  const isNew = session.sessionId === null && typeof sessionID === 'string';
  return [...(isNew ? opened(session, sessionID, session.model) : []), ...(translateEach(session, wire) ?? [])];
}

const partOf = (wire: Wire): Wire => asObject(wire['part']) ?? {};

const translateEach = byKind<Stream>({
  step_start: (session) => {
    session.stopped = false;
  },
  text: (session, wire) => said(session, partOf(wire)['text']),
  tool_use: (_, wire) => fromTool(partOf(wire)),
  step_finish: (session, wire) => fromStep(session, partOf(wire)),
  error: (session, wire) => {
    session.failed = wire;
  },
  'ralph.retry': fromRetry,
});

/** A tool appears once, when it is done: as call and result in one event. */
function fromTool(part: Wire): readonly AgentEvent[] {
  const state = asObject(part['state']) ?? {};
  const id = part['callID'];
  const exit = asNumber(asObject(state['metadata'])?.['exit']);
  const input = asObject(state['input']) ?? {};
  const path = asText(input['filePath']);
  const isOk = state['status'] === 'completed' && (exit ?? 0) === 0;
  return [
    toolCall(id, part['tool'], path === null ? input : { path }),
    toolResult(id, isOk, state['output'] ?? state['error']),
  ];
}

function fromStep(session: Stream, part: Wire): readonly AgentEvent[] {
  const step = stepUsage(asObject(part['tokens']) ?? {});
  const cost = asNumber(part['cost']);
  session.turns += 1;
  session.stopped = part['reason'] !== 'tool-calls';
  session.usage = addUsage(session.usage, step);
  if (cost !== null) session.costUsd = (session.costUsd ?? 0) + cost;
  return [{ ...used(session, allTokens(step)), ...(session.costUsd === null ? {} : { costUsd: session.costUsd }) }];
}

function fromRetry(session: Stream, wire: Wire): readonly AgentEvent[] {
  const delayMs = asNumber(wire['waitMs']);
  const retry: AgentEvent = {
    type: 'retry',
    attempt: asNumber(wire['attempt']) ?? 0,
    delayMs,
    reason: asText(wire['message']) ?? 'unknown',
  };
  if (delayMs === null || delayMs <= LONGEST_WAIT_MS) return [retry];
  session.wait = { ...limitNamed('rate_limit'), resetsAt: asNumber(wire['next']) };
  return [retry, { type: 'limit', limit: session.wait }];
}

/** The `tokens` of a finished step: each kind is separate, even reasoning, which is billed as output. */
function stepUsage(tokens: Wire): Usage {
  const cache = asObject(tokens['cache']) ?? {};
  return {
    inputTokens: count(tokens['input']),
    outputTokens: count(tokens['output']) + count(tokens['reasoning']),
    cacheReadTokens: count(cache['read']),
    cacheWriteTokens: count(cache['write']),
  };
}

/** The client's own back-off stays below a minute; a longer wait comes from the provider. */
const LONGEST_WAIT_MS = 60_000;

/**
 * A plugin for the client that reports on standard output what its event stream leaves out: that a failed request will
 * be repeated, and when. The client obeys any `retry-after`, silently and even for hours. Waiting is the loop's job, so
 * the plugin ends the client when the wait is longer than {@link LONGEST_WAIT_MS}.
 *
 * A string, because it runs inside the client.
 */
function reporterSource(): string {
  return `export const ralph = async () => ({
  event: async ({ event }) => {
    const { sessionID, status } = event.type === 'session.status' ? event.properties : {};
    if (status?.type !== 'retry') return;
    const { attempt, message, next } = status;
    const waitMs = Math.max(0, next - Date.now());
    const line = JSON.stringify({ type: 'ralph.retry', sessionID, attempt, message, next, waitMs });
    process.stdout.write(line + '\\n', () => {
      if (waitMs > ${LONGEST_WAIT_MS}) process.exit(1);
    });
  },
});
`;
}

const NAMES: Readonly<Record<string, AgentErrorKind>> = {
  ProviderAuthError: 'auth',
  ProviderModelNotFoundError: 'model',
  ModelNotFoundError: 'model',
  ProviderInitError: 'auth',
  MessageAbortedError: 'crash',
};

/** Codes and types that providers put into the body of a refusal, where they are more precise than its status. */
const PROVIDER_CODES: Readonly<Record<string, AgentErrorKind>> = {
  insufficient_quota: 'auth',
  billing_error: 'auth',
  invalid_api_key: 'auth',
  model_not_found: 'model',
  overloaded_error: 'limit',
};

/** Judges by exit code, error event, the end of the last step and a non-empty answer together; no text is searched. */
function conclude({ failed, wait, stopped, lastText, costUsd, turns }: Stream, exit: Exit): Ended {
  const ended = (rest: Ended): Ended => ({ costUsd, turns, ...rest });
  if (exit.signal !== null) return ended({ error: endWithoutResult(exit) });
  if (wait) return ended({ error: failure('limit', 'the provider told the agent to wait'), limit: wait });
  if (failed) return ended(failureOf(asObject(failed['error']) ?? {}, asNumber(failed['timestamp']), exit));
  const brokeOff = stopped ? null : failure('crash', 'the agent ended in the middle of a step');
  return ended({ error: errorOfEnd(exit, lastText) ?? brokeOff });
}

function failureOf(error: Wire, at: number | null, exit: Exit): Ended {
  const data = asObject(error['data']) ?? {};
  const status = asNumber(data['statusCode']);
  // An error that the client calls unknown has a name in its log.
  const logged = loggedError(asText(data['ref']), exit.stderr);
  const name = logged?.name ?? asText(error['name']) ?? 'an unnamed error';
  const kind = kindOf(name, data, status);
  return {
    error: failure(kind, logged?.message ?? asText(data['message']) ?? name),
    // Only an overload comes without a status: in the middle of an answer that began normally.
    limit: kind === 'limit' ? { ...limitOfStatus(status ?? 529), resetsAt: resetOf(data, at) } : null,
  };
}

function kindOf(name: string, data: Wire, status: number | null): AgentErrorKind {
  const named = ownValue(NAMES, name);
  if (named) return named;
  if (name !== 'APIError') return 'api';
  const coded = ownValue(PROVIDER_CODES, providerCode(data) ?? '');
  if (coded) return coded;
  if (status !== null) return kindOfStatus(status);
  // There was no answer at all, hence no status: the connection failed.
  return data['isRetryable'] === true ? 'network' : 'api';
}

/** The error behind a `ref`, as the log has it: `… ref=err_12 error="ProviderModelNotFoundError: Model not found: …"`. */
function loggedError(ref: string | null, stderr: string): { name: string; message: string } | null {
  const line = ref === null ? undefined : stderr.split('\n').find((entry) => entry.includes(` ref=${ref} `));
  const [, name, message] = /\berror="(\w+): ((?:[^"\\]|\\.)*)"/.exec(line ?? '') ?? [];
  return name === undefined || message === undefined ? null : { name, message };
}

/** `error.code`, else `error.type`, of the provider's own JSON. */
function providerCode(data: Wire): string | null {
  const error = asObject(jsonObject(asText(data['responseBody']) ?? '')?.['error']);
  return asText(error?.['code']) ?? asText(error?.['type']);
}

/** When the provider wants the next request, epoch milliseconds: `retry-after` in seconds or as a date. */
function resetOf(data: Wire, at: number | null): number | null {
  const after = asText(asObject(data['responseHeaders'])?.['retry-after']);
  if (after === null) return null;
  const date = Date.parse(after);
  if (/^\d+(\.\d+)?$/.test(after.trim())) return at === null ? null : Math.ceil(at + Number(after) * 1000);
  return Number.isNaN(date) ? null : date;
}
