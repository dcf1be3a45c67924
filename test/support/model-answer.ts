import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Fault, Refusal, Speech, Turn } from './model-turn.ts';

/** Writes one turn in the Messages API's own form: an error, a JSON message, or a stream of server-sent events. */
export function answer(response: ServerResponse, turn: Turn, stream: boolean): void {
  if (typeof turn === 'string') speak(response, { text: turn }, stream);
  else if ('status' in turn) refuse(response, turn);
  else if (!('fault' in turn)) speak(response, turn, stream);
  else if (turn.fault === 'empty') speak(response, {}, stream);
  else breakOff(response, turn.fault);
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  const type = ERROR_TYPES[status] ?? 'api_error';
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ type: 'error', error: { type, message: message ?? type } }));
}

function breakOff(response: ServerResponse, how: Exclude<Fault['fault'], 'empty'>): void {
  if (how === 'drop') {
    response.destroy();
    return;
  }
  openStream(response, {});
  event(response, 'message_start', { message: messageOf({}) });
  if (how === 'hang') return;
  event(response, 'content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  event(response, 'content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'half a sen' } });
  // Let what was written reach the client before the connection breaks.
  setImmediate(() => response.destroy());
}

type Block = { type: 'text'; text: string } | { type: 'tool_use'; id: string; name: string; input: unknown };

function speak(response: ServerResponse, speech: Speech, stream: boolean): void {
  const blocks = blocksOf(speech);
  const message = messageOf(speech);
  const stop = blocks.some((block) => block.type === 'tool_use') ? 'tool_use' : 'end_turn';
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json', ...speech.headers });
    response.end(JSON.stringify({ ...message, content: blocks, stop_reason: stop }));
    return;
  }
  openStream(response, speech.headers ?? {});
  event(response, 'message_start', { message: { ...message, usage: { ...message.usage, output_tokens: 1 } } });
  blocks.forEach((block, index) => {
    event(response, 'content_block_start', { index, content_block: emptied(block) });
    event(response, 'content_block_delta', { index, delta: deltaOf(block) });
    event(response, 'content_block_stop', { index });
  });
  event(response, 'message_delta', { delta: { stop_reason: stop, stop_sequence: null }, usage: message.usage });
  event(response, 'message_stop', {});
  response.end();
}

function blocksOf(speech: Speech): Block[] {
  const text: Block[] = speech.text === undefined ? [] : [{ type: 'text', text: speech.text }];
  const tools = (speech.tools ?? []).map((tool): Block => ({ type: 'tool_use', id: `toolu_${shortId()}`, ...tool }));
  return [...text, ...tools];
}

function messageOf(speech: Speech) {
  const usage = {
    input_tokens: 10,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 100,
    output_tokens: 5,
    ...speech.usage,
  };
  return {
    id: `msg_${shortId()}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted-model',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
}

/** A block as it is announced, before its deltas fill it. */
function emptied(block: Block): Block {
  return block.type === 'text' ? { ...block, text: '' } : { ...block, input: {} };
}

function deltaOf(block: Block) {
  return block.type === 'text'
    ? { type: 'text_delta', text: block.text }
    : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
}

function openStream(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    ...headers,
  });
}

function event(response: ServerResponse, type: string, data: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24);
}
