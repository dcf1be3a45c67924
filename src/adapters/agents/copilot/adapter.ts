import { join } from 'node:path';
import type { AgentErrorKind, AgentEvent, ProviderLimit } from '../../../contracts/index.ts';
import { writeAtomic } from '../../../platform/index.ts';
import { clientAgent, endpoints, isSwitchedOn, membersOf } from '../client.ts';
import {
  EMPTY_ANSWER,
  type Ended,
  type Exit,
  endWithoutResult,
  failure,
  kindOfStatus,
  limitOfStatus,
} from '../ends.ts';
import type { AgentControl, AgentTask, Env, InsideNeeds } from '../port.ts';
import { byKind, type Session, said, toolCall, toolResult, translatorOf } from '../translate.ts';
import { asNumber, asObject, asText, type Wire } from '../wire.ts';

/** What GitHub Copilot CLI needs inside. Its `config.json` holds the login where there is no keychain: never copied. */
const copilotNeeds: InsideNeeds = {
  hosts: (env) => [
    ...(isSwitchedOn(env, 'COPILOT_OFFLINE') ? [] : ofGitHub(env)),
    ...endpoints(env, 'COPILOT_PROVIDER_BASE_URL'),
  ],
  // A provider of the person's own. The login with GitHub goes inside: the client has several addresses for that, which
  // cannot be told one by one.
  provider: (env) =>
    env['COPILOT_PROVIDER_TYPE'] === 'azure'
      ? null
      : {
          address: 'COPILOT_PROVIDER_BASE_URL',
          base: '',
          secrets: { COPILOT_PROVIDER_API_KEY: 'sk-', COPILOT_PROVIDER_BEARER_TOKEN: '' },
          hosts: endpoints(env, 'COPILOT_PROVIDER_BASE_URL'),
        },
  config: {
    folder: '.copilot',
    variable: 'COPILOT_HOME',
    copied: ['copilot-instructions.md', 'instructions', 'agents', 'skills', 'mcp-config.json'],
  },
  // Not `mcp_servers` and `trusted_folders`. Newer versions spell the names in the other way.
  logins: [
    {
      path: '.copilot/config.json',
      login: membersOf(
        ...['copilot_tokens', 'logged_in_users', 'last_logged_in_user'],
        ...['copilotTokens', 'loggedInUsers', 'lastLoggedInUser'],
      ),
    },
  ],
  seeds: {},
};

/** GitHub Copilot CLI in prompt mode: one process per task, whose JSON lines are read. */
export const copilot = clientAgent({
  name: 'copilot',
  install: 'npm install -g @github/copilot, then run `copilot login` or export COPILOT_GITHUB_TOKEN',
  capabilities: { hooks: false, tools: true, cost: false, tokens: false, limits: true, budget: false },
  // Not GH_TOKEN and GITHUB_TOKEN, which it would also accept: they give access to more than Copilot, so the user has
  // to name them. And not all of COPILOT_*: a session uses them to identify itself to its children.
  environment: [
    ...['COPILOT_GITHUB_TOKEN', 'COPILOT_HOME', 'COPILOT_MODEL', 'COPILOT_OFFLINE', 'COPILOT_PROVIDER_*'],
    ...['COPILOT_GH_HOST', 'GH_HOST'],
  ],
  inside: copilotNeeds,
  args: copilotArguments,
  effort: (effort) => ['--effort', effort],
  translator: () => translatorOf(beginning(), translate, conclude),
});

/**
 * The client asks no questions, and the session is not shown on GitHub. The client's
 * built-in MCP servers are kept out; the user's settings and servers apply, because they are stored with the login.
 */
async function copilotArguments(task: AgentTask): Promise<readonly string[]> {
  return [
    ...['--output-format', 'json', '--no-color'],
    ...['--allow-all-tools', '--no-ask-user'],
    ...['--disable-builtin-mcps', '--no-remote-export', '--no-auto-update'],
    ...(task.control ? ['--additional-mcp-config', toolServer(task.control, task.config.timeoutMs)] : []),
    ...(await moreServers(task)),
  ];
}

/** The run's tools; the client takes the token from the environment, so that process listings do not show it. */
function toolServer({ url }: AgentControl, timeoutMs: number): string {
  const ralph = {
    type: 'http',
    url: `${url}/mcp`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the client's own syntax for a variable
    headers: { Authorization: 'Bearer ${RALPH_CONTROL_TOKEN}' },
    tools: ['*'],
    // `complete_story` runs the checks before it answers.
    timeout: timeoutMs,
  };
  return JSON.stringify({ mcpServers: { ralph } });
}

/** More servers, in a file: every user of the machine sees arguments. */
async function moreServers({ servers = [], tempDir }: AgentTask): Promise<readonly string[]> {
  if (servers.length === 0) return [];
  const path = join(tempDir, 'mcp.json');
  const entries = servers.map(({ name, ...server }) => [name, { ...server, tools: ['*'] }]);
  await writeAtomic(path, JSON.stringify({ mcpServers: Object.fromEntries(entries) }), { fsync: false, mode: 0o600 });
  return ['--additional-mcp-config', `@${path}`];
}

function ofGitHub(env: Env): readonly string[] {
  const host = env['COPILOT_GH_HOST'] ?? env['GH_HOST'];
  const own = host && host !== 'github.com' ? [host, `*.${host}`] : [];
  // Only the login needs the site itself, where a repository could be pushed to.
  const login = env['COPILOT_GITHUB_TOKEN'] || own.length > 0 ? [] : ['github.com'];
  return [...(own.length > 0 ? own : ['api.github.com']), '*.githubcopilot.com', ...login];
}

type Stream = Session & ReturnType<typeof beginning>;

/** No tokens: this output leaves out the events that hold those of a request. */
const beginning = () => ({
  model: null as string | null,
  /** The last message, which may be empty. */
  answer: '',
  problem: null as Wire | null,
  /** The final outcome of the last request to the model: `success`, `http_429`, `transport_error`… */
  request: null as string | null,
  retries: 0,
  result: null as Wire | null,
});

const dataOf = (wire: Wire): Wire => asObject(wire['data']) ?? {};

const translate = byKind<Stream>({
  'session.tools_updated': (session, wire) => started(session, asText(dataOf(wire)['model'])),
  'assistant.message': (session, wire) => answered(session, dataOf(wire)),
  'tool.execution_start': (_, wire) => {
    const { toolCallId, toolName, arguments: input } = dataOf(wire);
    return [toolCall(toolCallId, toolName, input)];
  },
  'tool.execution_complete': (_, wire) => [toolEnded(dataOf(wire))],
  'assistant.turn_retry': (session, wire) => {
    session.retries += 1;
    const reason = asText(dataOf(wire)['reason']) ?? 'unknown';
    return [{ type: 'retry', attempt: session.retries, delayMs: null, reason }];
  },
  'model.call_final_result': (session, wire) => {
    session.request = asText(dataOf(wire)['result']);
  },
  'session.warning': (_, wire) => [
    { type: 'notice', text: asText(dataOf(wire)['message']) ?? 'a warning without a message' },
  ],
  'session.error': (session, wire) => {
    session.problem = dataOf(wire);
    const limit = limitOf(session.problem);
    return limit ? [{ type: 'limit', limit }] : [];
  },
  result: (session, wire) => {
    session.result = wire;
  },
});

/** The first event that names the model starts the session; its id comes only at the end. */
function started(session: Stream, model: string | null): readonly AgentEvent[] {
  if (session.model !== null || model === null) return [];
  session.model = model;
  return [{ type: 'session', sessionId: '', model, version: null }];
}

/** Texts of subagents are shown, and are not an answer. */
function answered(session: Stream, { content, parentToolCallId }: Wire): readonly AgentEvent[] {
  if (typeof parentToolCallId === 'string') return said({ ...session }, content);
  session.answer = asText(content) ?? '';
  return said(session, content);
}

/** The client counts a failed command as a success, because it did run. */
function toolEnded(data: Wire): AgentEvent {
  const exitCode = asNumber(asObject(data['shellExecution'])?.['exitCode']) ?? 0;
  const content = asObject(data['result'])?.['content'] ?? asObject(data['error'])?.['message'];
  return toolResult(data['toolCallId'], data['success'] === true && exitCode === 0, content);
}

/** `errorType` of a session error; `query` and types of later versions are distinguished by their HTTP status. */
const ERROR_TYPES: ReadonlyMap<unknown, AgentErrorKind> = new Map([
  ['authentication', 'auth'],
  ['authorization', 'auth'],
  ['policy', 'auth'],
  ['quota', 'limit'],
  ['rate_limit', 'limit'],
  ['context_limit', 'api'],
]);

/** Judges by both exit codes, the client's error and a non-empty answer together; no text is searched. */
function conclude({ result, answer, problem, request }: Stream, exit: Exit): Ended {
  const sessionId = asText(result?.['sessionId']);
  if (!result || exit.signal !== null) return { sessionId, error: endWithoutResult(exit) };
  if (exit.exitCode === 0 && result['exitCode'] === 0)
    return { sessionId, error: answer.trim() === '' ? EMPTY_ANSWER : null };
  if (!problem) {
    const code = asNumber(result['exitCode']) ?? exit.exitCode;
    return { sessionId, error: failure('crash', `the agent ended with ${code}`) };
  }
  const unnamed = request === 'success' && answer.trim() === '' ? 'empty' : 'api';
  const kind = kindOfProblem(problem) ?? (request === 'transport_error' ? 'network' : unnamed);
  const error = failure(kind, asText(problem['message']) ?? 'an error without a message');
  return { sessionId, error, limit: limitOf(problem) };
}

function kindOfProblem(problem: Wire): AgentErrorKind | null {
  const named = ERROR_TYPES.get(problem['errorType']);
  if (named) return named;
  const status = asNumber(problem['statusCode']);
  return status === null ? null : kindOfStatus(status);
}

/** The limit that a session error reports; null when it is about something else. */
function limitOf(problem: Wire): ProviderLimit | null {
  if (kindOfProblem(problem) !== 'limit') return null;
  const byType = problem['errorType'] === 'quota' ? 'quota' : null;
  const byStatus = limitOfStatus(asNumber(problem['statusCode']) ?? 429);
  return { ...byStatus, kind: asText(problem['errorCode']) ?? byType ?? byStatus.kind };
}
