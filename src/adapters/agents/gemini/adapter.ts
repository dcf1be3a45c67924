import { type AgentErrorKind, type AgentEvent, jsonObject, NO_USAGE, type Usage } from '../../../contracts/index.ts';
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
import type { Env, InsideNeeds } from '../port.ts';
import { byKind, opened, type Session, said, toolCall, toolResult, translatorOf, used } from '../translate.ts';
import { asArray, asNumber, asObject, asText, count, type Wire } from '../wire.ts';

/** What Gemini CLI needs inside: it takes its login from `oauth_creds.json` beside the settings, made inside. */
const geminiNeeds: InsideNeeds = {
  hosts: (env) => [
    ...(isSwitchedOn(env, 'GOOGLE_GENAI_USE_VERTEXAI') ? vertex(env) : ['generativelanguage.googleapis.com']),
    // The login with a Google account, and the service behind it.
    ...['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'www.googleapis.com', 'accounts.google.com'],
    ...endpoints(env, 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL'),
  ],
  provider: (env) =>
    isSwitchedOn(env, 'GOOGLE_GENAI_USE_VERTEXAI')
      ? null
      : {
          address: 'GOOGLE_GEMINI_BASE_URL',
          base: 'https://generativelanguage.googleapis.com',
          secrets: { GEMINI_API_KEY: 'AIza', GOOGLE_API_KEY: 'AIza' },
        },
  config: {
    folder: '.gemini',
    variable: 'GEMINI_CLI_HOME',
    variableNamesHome: true,
    copied: ['settings.json', 'GEMINI.md', 'commands', 'skills', 'agents'],
  },
  logins: [
    {
      path: '.gemini/oauth_creds.json',
      login: membersOf('access_token', 'refresh_token', 'id_token', 'scope', 'token_type', 'expiry_date'),
      renewed: true,
    },
    { path: '.gemini/google_accounts.json', login: membersOf('active', 'old') },
    // The settings name the login method: without the user's file, the method that a login inside wrote is kept.
    { path: '.gemini/settings.json', login: membersOf('security.auth.selectedType') },
  ],
  seeds: { '.gemini/settings.json': '{}' },
};

/** Gemini CLI in headless mode: one process per task, whose stream-json is read. */
export const gemini = clientAgent({
  name: 'gemini',
  install: 'npm install -g @google/gemini-cli, then run `gemini` once to log in or export GEMINI_API_KEY',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Its own variables one by one: it sets many GEMINI_CLI_* variables for its children, which must not reach an agent
  // when ralph itself was started from a Gemini session.
  environment: [
    ...['GEMINI_API_KEY', 'GEMINI_MODEL', 'GEMINI_DEFAULT_AUTH_TYPE', 'GEMINI_CLI_HOME'],
    ...['GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GOOGLE_*'],
  ],
  inside: geminiNeeds,
  login: {
    variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_APPLICATION_CREDENTIALS'],
    files: ['.gemini/oauth_creds.json'],
    command: 'gemini',
  },
  // Extensions and MCP servers of the user and the project are kept out; their other settings (hooks, the context
  // file's name) apply, because the client has no switch to disable them. `none` is a name that no server or extension
  // has: an empty list would mean "all of them".
  args: () => [
    ...['--output-format', 'stream-json', '--approval-mode', 'yolo', '--skip-trust'],
    ...['--extensions', 'none', '--allowed-mcp-server-names', 'none'],
  ],
  translator: () => translatorOf(beginning(), translate, conclude),
});

function vertex(env: Env): readonly string[] {
  const region = env['GOOGLE_CLOUD_LOCATION'];
  const own = region && region !== 'global' ? [`${region}-aiplatform.googleapis.com`] : [];
  return ['aiplatform.googleapis.com', ...own];
}

type Stream = Session & ReturnType<typeof beginning>;

const beginning = () => ({
  writing: '',
  /** The text after its last tool call. */
  answer: '',
  complaint: null as string | null,
  result: null as Wire | null,
});

/** A message arrives in pieces; they become one text event when other events follow. */
const translate = byKind<Stream>({
  init: (session, wire) => opened(session, wire['session_id'], asText(wire['model'])),
  message: (session, wire) => {
    // The prompt is echoed as the user's message.
    if (wire['role'] === 'assistant') session.writing += asText(wire['content']) ?? '';
  },
  tool_use: (session, wire) => [
    ...written(session, ''),
    toolCall(wire['tool_id'], wire['tool_name'], wire['parameters']),
  ],
  tool_result: (session, wire) => {
    const content = wire['output'] ?? asObject(wire['error'])?.['message'];
    return [...written(session), toolResult(wire['tool_id'], wire['status'] === 'success', content)];
  },
  error: (session, wire) => {
    session.complaint = asText(wire['message']) ?? session.complaint;
    return [...written(session), { type: 'notice', text: session.complaint ?? 'an error without a message' }];
  },
  result: (session, wire) => {
    session.result = wire;
    session.usage = usageOf(asObject(wire['stats']));
    return [...written(session), used(session)];
  },
});

/** The message that is now complete. @param answer what counts as the answer then, when it is not this message */
function written(session: Stream, answer?: string): readonly AgentEvent[] {
  const text = session.writing;
  session.writing = '';
  session.answer = answer ?? (text.trim() === '' ? session.answer : text);
  return said(session, text);
}

/**
 * The `stats` of a result. `input_tokens` includes tokens from the cache, and `output_tokens` leaves out the thinking,
 * which is billed as output: the total includes both.
 */
function usageOf(stats: Wire | null): Usage {
  if (!stats) return NO_USAGE;
  const input = count(stats['input_tokens']);
  const cached = Math.min(count(stats['cached']), input);
  return {
    inputTokens: input - cached,
    outputTokens: Math.max(count(stats['output_tokens']), count(stats['total_tokens']) - input),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
  };
}

/** The client's own exit codes (`Fatal…Error` in its sources). */
export const OWN_CODES: Readonly<Record<number, AgentErrorKind>> = { 41: 'auth', 53: 'exhausted' };

const STATUSES = [400, 401, 402, 403, 404, 408, 409, 413, 429, 499, 500, 502, 503, 504, 529];
/** The client exits with the HTTP status of a failed request, of which the system keeps the lowest byte. */
const STATUS_OF_CODE: ReadonlyMap<number, number> = new Map(STATUSES.map((status) => [status % 256, status]));

/** The provider's own error inside the client's message: `[API Error: {"error":{"code":401,…}}]`. */
const PROVIDER_ERROR = /^\[API Error: (\{.*\})\]/s;
/** The exact message of its API library when no server answered with a status. */
const NO_CONNECTION = '[API Error: exception TypeError: fetch failed sending request]';
/** The class of the error that ended the turn, as the client's report on standard error names it. */
const ERROR_CLASS = /^Error when talking to Gemini API Full report available at: .*\.json (\w+):/m;

/** Judges by exit code, `status` and a non-empty answer together; no text of the model is read. */
function conclude(session: Stream, exit: Exit): Ended {
  written(session);
  const { result, answer, complaint } = session;
  if (!result) {
    const error = endWithoutResult(exit);
    return { error: { ...error, kind: OWN_CODES[exit.exitCode ?? 0] ?? error.kind } };
  }
  const isEmpty = answer.trim() === '';
  if (exit.exitCode === 0 && result['status'] === 'success') return { error: isEmpty ? EMPTY_ANSWER : null };
  const error = asObject(result['error']);
  const message = asText(error?.['message']) ?? complaint ?? `the agent ended with ${exit.exitCode ?? exit.signal}`;
  // A result without an error: the model said nothing usable, and the client's retries did not help.
  if (!error && exit.exitCode === 0) return { error: failure(isEmpty ? 'empty' : 'api', message) };
  const provided = asObject(jsonObject(PROVIDER_ERROR.exec(message)?.[1] ?? '')?.['error']);
  const status = STATUS_OF_CODE.get(exit.exitCode ?? 0) ?? asNumber(provided?.['code']);
  const kind = message === NO_CONNECTION ? 'network' : kindOf(exit, status, provided);
  return {
    error: failure(kind, message),
    limit: kind === 'limit' && status !== null ? limitOfStatus(status) : null,
  };
}

function kindOf(exit: Exit, status: number | null, provided: Wire | null): AgentErrorKind {
  if (exit.signal !== null) return 'crash';
  const own = OWN_CODES[exit.exitCode ?? 0];
  if (own) return own;
  if (isBadKey(provided)) return 'auth';
  if (status !== null) return kindOfStatus(status);
  return ERROR_CLASS.exec(exit.stderr)?.[1] === 'ModelNotFoundError' ? 'model' : 'api';
}

/** This provider answers a wrong key with "bad request" (400). */
function isBadKey(provided: Wire | null): boolean {
  return asArray(provided?.['details']).some((detail) => asObject(detail)?.['reason'] === 'API_KEY_INVALID');
}
