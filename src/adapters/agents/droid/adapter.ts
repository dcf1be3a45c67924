import { type AgentErrorKind, type AgentEvent, jsonObject } from '../../../contracts/index.ts';
import { clientAgent, endpoints, membersOf, sealed } from '../client.ts';
import { type Ended, type Exit, endWithoutResult, errorOfEnd, failure, failureOfStatus } from '../ends.ts';
import {
  byKind,
  opened,
  type Session,
  said,
  tokensIn,
  toolCall,
  toolResult,
  translatorOf,
  used,
} from '../translate.ts';
import { asNumber, asObject, asText, type Wire } from '../wire.ts';

/** Factory's Droid as `droid exec`: one process per task, whose stream-json is read. */
export const droid = clientAgent({
  name: 'droid',
  install: 'npm install -g @factory/cli, then run `droid` once to log in or export FACTORY_API_KEY',
  capabilities: { hooks: false, tools: false, cost: false, tokens: true, limits: true, budget: false },
  // Named one by one: it sets more FACTORY_* variables for its children.
  environment: ['FACTORY_API_KEY', 'FACTORY_API_BASE_URL', 'FACTORY_HOME_OVERRIDE', 'FACTORY_AIRGAP_ENABLED'],
  inside: {
    // Its key goes inside: one address that it can be told (`FACTORY_API_BASE_URL`) is not that of all its services.
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
  // `high` runs everything except what the client considers an attack on the whole system (`rm -rf /`); its other
  // switch skips even that check.
  args: () => ['exec', '--output-format', 'stream-json', '--auto', 'high'],
  effort: (effort) => ['--reasoning-effort', effort],
  // A client that updates itself during an overnight run is not the version that was tested before it.
  variables: () => ({ FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false' }),
  translator: () => translatorOf(beginning(), translate, conclude),
});

type Stream = Session & ReturnType<typeof beginning>;

const beginning = () => ({
  /** The message of the last `error` event of the agent's loop. */
  complaint: null as string | null,
  completion: null as Wire | null,
});

const translate = byKind<Stream>({
  system: (session, wire) =>
    wire['subtype'] === 'init' ? opened(session, wire['session_id'], asText(wire['model'])) : [],
  // The prompt is echoed as the user's message.
  message: (session, wire) => (wire['role'] === 'assistant' ? said(session, wire['text']) : []),
  tool_call: (_, wire) => [toolCall(wire['id'], wire['toolName'], wire['parameters'])],
  tool_result: (_, wire) => [
    toolResult(wire['id'], wire['isError'] !== true, wire['value'] ?? asObject(wire['error'])?.['message']),
  ],
  error: complained,
  completion: (session, wire) => {
    session.completion = wire;
    session.usage = tokensIn(asObject(wire['usage']) ?? {});
    return [used(session)];
  },
});

/** The agent's loop says what went wrong; the command line reports only that something did. */
function complained(session: Stream, wire: Wire): readonly AgentEvent[] {
  const message = asText(wire['message']) ?? 'an error without a message';
  if (wire['source'] === 'cli' && session.complaint !== null) return [];
  session.complaint = message;
  return [{ type: 'notice', text: message }];
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
  if (status !== undefined && jsonObject(body) !== null) return failureOfStatus(Number(status), complaint);
  return { error: failure(CONSTANT_MESSAGES.get(complaint) ?? 'api', complaint) };
}
