import { stripVTControlCharacters } from 'node:util';
import type { AgentEvent, Usage } from '../../contracts/index.ts';
import { addUsage } from '../../rules/text/index.ts';
import { type Ended, type Exit, endWithoutResult, errorOfEnd, failure } from './ends.ts';
import type { Translator } from './port.ts';
import { byKind, opened, type Session, said, tokensIn, toolCall, toolResult, translatorOf, used } from './translate.ts';
import { asArray, asNumber, asObject, asText, type Wire } from './wire.ts';

type Stream = Session & ReturnType<typeof beginning>;

const beginning = () => ({ hasBegun: false, result: null as Wire | null });

/** What a client's words mean. */
interface Words {
  /** The error of a `result`; without it, only that the request failed. */
  readonly failureOf?: (message: string, exit: Exit) => Ended;
  /** Its constant words on standard error when it refuses to start without a login. */
  readonly noLogin?: RegExp;
}

/**
 * Reads a stream in the shape of Claude Code's, as other clients write it: `system`, `assistant`, `user`, `result`.
 */
export function messageTranslator(words: Words): Translator {
  return translatorOf(beginning(), translate, (session, exit) => conclude(session, exit, words));
}

const translate = byKind<Stream>({
  system: (session, wire) => {
    session.hasBegun = true;
    return wire['subtype'] === 'init' ? opened(session, wire['session_id'], asText(wire['model'])) : [];
  },
  assistant: fromAssistant,
  user: (_, wire) =>
    blocksOf(wire).flatMap((block) =>
      block['type'] === 'tool_result'
        ? [toolResult(block['tool_use_id'], block['is_error'] !== true, block['content'])]
        : [],
    ),
  tool_call: (_, wire) => fromCall(wire),
  result: (session, wire) => {
    session.result = wire;
  },
});

function blocksOf(wire: Wire): readonly Wire[] {
  const content = asArray(asObject(wire['message'])?.['content']);
  return content.map(asObject).filter((block) => block !== null);
}

/** The client's own text about a failed request, which its result repeats. */
const API_ERROR = '[API Error: ';

function fromAssistant(session: Stream, wire: Wire): readonly AgentEvent[] {
  // Texts of subagents are shown, and are not an answer.
  const speaker = typeof wire['parent_tool_use_id'] === 'string' ? { ...session } : session;
  const events = blocksOf(wire).flatMap((block): readonly AgentEvent[] => {
    if (block['type'] === 'tool_use') return [toolCall(block['id'], block['name'], block['input'])];
    return asText(block['text'])?.startsWith(API_ERROR) ? [] : said(speaker, block['text']);
  });
  const usage = asObject(asObject(wire['message'])?.['usage']);
  if (!usage) return events;
  session.usage = addUsage(session.usage, withoutCache(usage));
  return [...events, used(session)];
}

/** These clients include what was read from the cache and written to it in the input tokens. */
function withoutCache(wire: Wire): Usage {
  const usage = tokensIn(wire);
  const cached = usage.cacheReadTokens + usage.cacheWriteTokens;
  return { ...usage, inputTokens: Math.max(0, usage.inputTokens - cached) };
}

/** Cursor's form of a tool: `{"subtype":"started","call_id":…,"tool_call":{"shellToolCall":{"args":…,"result":…}}}`. */
function fromCall(wire: Wire): readonly AgentEvent[] {
  const [key, value] = Object.entries(asObject(wire['tool_call']) ?? {}).find(([, call]) => asObject(call)) ?? [];
  const call = asObject(value) ?? {};
  if (wire['subtype'] === 'started') {
    const name = asText(call['name']) ?? key?.replace(/ToolCall$/, '');
    return [toolCall(wire['call_id'], name, call['args'])];
  }
  if (wire['subtype'] !== 'completed') return [];
  const success = asObject(asObject(call['result'])?.['success']);
  const content = asText(success?.['content']) ?? asText(success?.['stdout']) ?? '';
  return [toolResult(wire['call_id'], success !== null && (asNumber(success['exitCode']) ?? 0) === 0, content)];
}

/** Judges by exit code, `is_error` and a non-empty answer together; no text of the model is read. */
function conclude({ hasBegun, result, lastText }: Stream, exit: Exit, { failureOf, noLogin }: Words): Ended {
  // Before the stream begins, only the client itself can have written something.
  if (!hasBegun && exit.exitCode === 1 && noLogin?.test(exit.stderr))
    return { error: failure('auth', stripVTControlCharacters(exit.stderr)) };
  if (!result || exit.signal !== null) return { error: endWithoutResult(exit) };
  const facts = { text: asText(result['result']) ?? lastText, turns: asNumber(result['num_turns']) };
  if (result['is_error'] !== true) return { ...facts, error: errorOfEnd(exit, facts.text) };
  const { error } = result;
  const message = asText(error) ?? asText(asObject(error)?.['message']) ?? 'an error without a message';
  if (result['subtype'] === 'error_max_turns') return { ...facts, error: failure('exhausted', message) };
  return { ...facts, ...(failureOf?.(message, exit) ?? { error: failure('api', message) }) };
}
