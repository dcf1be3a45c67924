import { type AgentErrorKind, type AgentEvent, NO_USAGE, type Usage } from '../../../contracts/index.ts';
import { detectProgram, endpoints, membersOf, sealed } from '../client.ts';
import type { AgentAdapter, AgentCommand, AgentTask, Translator } from '../port.ts';
import {
  asNumber,
  asObject,
  asText,
  count,
  type Ended,
  type Exit,
  endWithoutResult,
  errorOfEnd,
  failure,
  failureOfStatus,
  objectIn,
  opened,
  type Session,
  said,
  toolCall,
  toolResult,
  translatorOf,
  used,
  type Wire,
} from '../translate.ts';

const INSTALL =
  'npm install -g @factory/cli, then run `droid` once to log in or export FACTORY_API_KEY; or name the program in droid.command';

/** Factory's Droid as `droid exec`: one process per task, whose stream-json is read. */
export const droid: AgentAdapter = {
  name: 'droid',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Named one by one: it sets more FACTORY_* variables for its children.
  environment: ['FACTORY_API_KEY', 'FACTORY_API_BASE_URL', 'FACTORY_HOME_OVERRIDE', 'FACTORY_AIRGAP_ENABLED'],
  inside: {
    // The second one serves the login. The host of a user's own model is named in `allowHosts`.
    hosts: (env) => ['*.factory.ai', 'api.workos.com', ...endpoints(env, 'FACTORY_API_BASE_URL')],
    config: {
      folder: '.factory',
      variable: 'FACTORY_HOME_OVERRIDE',
      variableNamesHome: true,
      copied: ['settings.json', 'AGENTS.md', 'droids', 'skills', 'commands'],
    },
    // The first two are encrypted, and the key to them; the last is from earlier versions.
    logins: [
      { path: '.factory/auth.v2.file', login: sealed, renewed: true },
      { path: '.factory/auth.v2.key', login: sealed },
      { path: '.factory/auth.encrypted', login: sealed, renewed: true },
      { path: '.factory/auth.json', login: membersOf('access_token', 'refresh_token'), renewed: true },
    ],
    seeds: {},
  },
  program: ({ droid: { command } }) => command,
  detect: ({ droid: { command } }) => detectProgram(command, INSTALL),
  command: async (task) => droidCommand(task),
  translator: () => droidTranslator(),
};

/**
 * The command line of one task. `high` runs everything except what the client considers an attack on the whole system
 * (`rm -rf /`); its other switch skips even that check.
 */
function droidCommand(task: AgentTask): AgentCommand {
  return {
    file: task.config.droid.command,
    args: [
      'exec',
      ...['--output-format', 'stream-json'],
      ...['--auto', 'high'],
      ...(task.model ? ['--model', task.model] : []),
      ...task.config.droid.args,
    ],
    cwd: task.cwd,
    env: {
      ...task.env,
      // A client that updates itself during an overnight run is not the version that was tested before it.
      FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    },
    stdin: task.prompt,
  };
}

interface Stream extends Session {
  /** The message of the last `error` event of the agent's loop. */
  complaint: string | null;
  completion: Wire | null;
}

function droidTranslator(): Translator {
  return translatorOf<Omit<Stream, keyof Session>>({ complaint: null, completion: null }, translate, conclude);
}

function translate(session: Stream, wire: Wire): readonly AgentEvent[] {
  switch (wire['type']) {
    case 'system':
      return wire['subtype'] === 'init' ? opened(session, wire['session_id'], asText(wire['model'])) : [];
    case 'message':
      // The prompt is echoed as the user's message.
      return wire['role'] === 'assistant' ? said(session, wire['text']) : [];
    case 'tool_call':
      return [toolCall(wire['id'], wire['toolName'], wire['parameters'])];
    case 'tool_result':
      return [toolResult(wire['id'], wire['isError'] !== true, wire['value'] ?? asObject(wire['error'])?.['message'])];
    case 'error':
      return complained(session, wire);
    case 'completion':
      session.completion = wire;
      session.usage = usageOf(asObject(wire['usage']));
      return [used(session)];
    default:
      return [];
  }
}

/** The agent's loop says what went wrong; the command line reports only that something did. */
function complained(session: Stream, wire: Wire): readonly AgentEvent[] {
  const message = asText(wire['message']) ?? 'an error without a message';
  if (wire['source'] === 'cli' && session.complaint !== null) return [];
  session.complaint = message;
  return [{ type: 'notice', text: message }];
}

function usageOf(usage: Wire | null): Usage {
  if (!usage) return NO_USAGE;
  return {
    inputTokens: count(usage['input_tokens']),
    outputTokens: count(usage['output_tokens']),
    cacheReadTokens: count(usage['cache_read_input_tokens']),
    cacheWriteTokens: count(usage['cache_creation_input_tokens']),
  };
}

/** The provider's whole answer, as the client's API library formats it: `429 {"type":"error",…}`. */
const PROVIDER_ERROR = /^(\d{3}) (\{.*\})$/s;

/** The client's exact messages in cases where it does not report the status. */
const CONSTANT_MESSAGES: ReadonlyMap<string, AgentErrorKind> = new Map([
  ['Connection error.', 'network'],
  ['Request timed out.', 'network'],
  ['Requested model was not found on the API provider', 'model'],
]);

/** Judges by exit code, `completion` and the client's errors together; no text of the model is read. */
function conclude({ completion, complaint, lastText }: Stream, exit: Exit): Ended {
  const answer = asText(completion?.['finalText']);
  const facts = { text: answer ?? lastText, turns: asNumber(completion?.['numTurns']) };
  if (complaint !== null && exit.signal === null && (exit.exitCode !== 0 || !completion))
    return { ...facts, ...failureOf(complaint) };
  return { ...facts, error: completion ? errorOfEnd(exit, answer ?? '') : endWithoutResult(exit) };
}

function failureOf(complaint: string): Ended {
  const [, status, body = ''] = PROVIDER_ERROR.exec(complaint) ?? [];
  if (status !== undefined && objectIn(body) !== null) return failureOfStatus(Number(status), complaint);
  return { error: failure(CONSTANT_MESSAGES.get(complaint) ?? 'api', complaint) };
}
