import type { AgentErrorKind, AgentEvent } from '../../../contracts/index.ts';
import { jsonObject } from '../../../contracts/index.ts';
import { clientAgent, effortOf, endpoints } from '../client.ts';
import { type Ended, type Exit, errorOfEnd, failure, kindOfStatus, limitNamed } from '../ends.ts';
import { byKind, opened, type Session, said, toolCall, toolResult, translatorOf } from '../translate.ts';
import { asArray, asNumber, asObject, asText } from '../wire.ts';

/** Kimi Code in print mode: one process per task, whose messages are read. It reads no standard input. */
export const kimi = clientAgent({
  name: 'kimi',
  install: 'npm install -g @moonshot-ai/kimi-code, then run `kimi login` once or export the variables KIMI_MODEL_*',
  capabilities: { hooks: false, tools: false, cost: false, tokens: false, limits: true, budget: false },
  environment: ['KIMI_MODEL_*', 'KIMI_LOOP_*', 'KIMI_CODE_HOME', 'KIMI_CODE_BASE_URL', 'KIMI_CODE_CUSTOM_HEADERS'],
  inside: {
    hosts: (env) => [
      ...['api.moonshot.ai', 'api.moonshot.cn', 'api.kimi.com', 'auth.kimi.com'],
      ...endpoints(env, 'KIMI_MODEL_BASE_URL', 'KIMI_CODE_BASE_URL'),
    ],
    // Another type of provider has another address, which only the client knows unless the user names it.
    provider: (env) =>
      (env['KIMI_MODEL_PROVIDER_TYPE'] ?? 'kimi') === 'kimi' || env['KIMI_MODEL_BASE_URL']
        ? {
            address: 'KIMI_MODEL_BASE_URL',
            base: 'https://api.moonshot.ai/v1',
            secrets: { KIMI_MODEL_API_KEY: 'sk-' },
          }
        : null,
    // `config.toml` may hold keys, and a login counts only together with it.
    config: { folder: '.kimi-code', variable: 'KIMI_CODE_HOME', copied: ['AGENTS.md', 'skills', 'agents'] },
    logins: [],
    seeds: {},
  },
  args: () => ['--output-format', 'stream-json'],
  variables: ({ config, env }) => {
    const effort = effortOf(config, 'kimi');
    return {
      ...(effort === null ? {} : { KIMI_MODEL_THINKING_EFFORT: effort }),
      // Its own ten attempts take minutes; the loop has its own retries, which it records.
      KIMI_LOOP_MAX_ATTEMPTS_PER_STEP: env['KIMI_LOOP_MAX_ATTEMPTS_PER_STEP'] ?? '3',
      // A client that updates itself during an overnight run is not the version that was tested before it.
      KIMI_CODE_NO_AUTO_UPDATE: '1',
    };
  },
  prompt: '--prompt',
  translator: ({ model }) => translatorOf(beginning(model), translate, conclude),
});

type Stream = Session & ReturnType<typeof beginning>;

const beginning = (model: string | null) => ({
  model,
  /** The text of the last message, unless tools were to follow. */
  answer: '',
});

const fromMeta = byKind<Stream>({
  'system.version': (session, wire) => opened(session, '', session.model, asText(wire['version'])),
  'turn.step.retrying': (_, wire) => [
    {
      type: 'retry',
      attempt: asNumber(wire['failed_attempt']) ?? 0,
      delayMs: asNumber(wire['delay_ms']),
      reason: asText(wire['error_message']) ?? 'unknown',
    },
  ],
  'session.resume_hint': (session, wire) => {
    session.sessionId = asText(wire['session_id']);
  },
});

const translate = byKind<Stream>(
  {
    meta: fromMeta,
    assistant: (session, wire) => {
      const calls = asArray(wire['tool_calls']).flatMap((call): readonly AgentEvent[] => {
        const { id, function: called } = asObject(call) ?? {};
        const { name, arguments: input } = asObject(called) ?? {};
        return [toolCall(id, name, jsonObject(asText(input) ?? ''))];
      });
      session.answer = calls.length === 0 ? (asText(wire['content']) ?? '') : '';
      return [...said(session, wire['content']), ...calls];
    },
    // Nothing tells a failed call from another.
    tool: (_, wire) => [toolResult(wire['tool_call_id'], true, wire['content'])],
  },
  'role',
);

/** Judges by exit code and a non-empty answer together; the client says why a request failed as its last words. */
function conclude({ answer }: Stream, exit: Exit): Ended {
  return (exit.exitCode === 1 ? failureIn(exit.stderr) : null) ?? { error: errorOfEnd(exit, answer) };
}

const LAST_WORDS = 'error: failed to run prompt: ';
/** `provider.rate_limit: 429 {"type":"error",…}`, and the line below it. */
const FAILURE = /^(?:(?<code>[a-z_]+\.[a-z_]+): )?(?<message>(?:(?<status>\d{3}) )?.*)\nSee log: [^\n]+\s*$/s;

/** Codes that are more precise than a status. */
const CODES: Readonly<Record<string, AgentErrorKind>> = {
  'provider.auth_error': 'auth',
  'provider.rate_limit': 'limit',
  'provider.overloaded': 'limit',
  'provider.connection_error': 'network',
};

/** The client's exact messages in cases where there is neither code nor status. */
const UNCODED: readonly (readonly [RegExp, AgentErrorKind])[] = [
  [/^(?:provider \S+ has no credential configured|No model configured\.)/, 'auth'],
  [/^The API returned an empty response /, 'empty'],
];

function failureIn(stderr: string): Ended | null {
  const at = stderr.lastIndexOf(LAST_WORDS);
  const found = at < 0 ? null : FAILURE.exec(stderr.slice(at + LAST_WORDS.length))?.groups;
  if (!found) return null;
  const { code = '', message = '', status } = found;
  const kind =
    CODES[code] ??
    (status ? kindOfStatus(Number(status)) : null) ??
    UNCODED.find(([beginning]) => beginning.test(message))?.[1] ??
    'api';
  const limit = limitNamed(code === 'provider.overloaded' ? 'overloaded' : 'rate_limit');
  return { error: failure(kind, message), limit: kind === 'limit' ? limit : null };
}
