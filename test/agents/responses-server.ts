import { randomUUID } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Refusal, Speech, ToolUse, Turn } from '../support/model-turn.ts';

/**
 * A scripted stand-in for the Responses API, on loopback: what `codex` talks to. Only the wire is imitated; what the
 * "model" says is the test's script.
 */

/** One request for an answer. */
export interface ResponsesRequest {
  /** 1 for the first request of a conversation: one more than the answers the request repeats. */
  readonly turn: number;
  readonly model: string;
  /** The whole request as text: the place to look whether something reached the model. */
  readonly raw: string;
  readonly headers: IncomingHttpHeaders;
}

export interface ResponsesServer {
  /** As a provider's `base_url`. */
  readonly url: string;
  readonly requests: readonly ResponsesRequest[];
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. */
export async function startResponsesServer(script: (request: ResponsesRequest) => Turn): Promise<ResponsesServer> {
  const requests: ResponsesRequest[] = [];
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => response.destroy());
  });

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await bodyOf(incoming);
    if (incoming.method !== 'POST' || incoming.url?.split('?')[0] !== '/v1/responses') {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(raw) as { model: string; input: readonly { type?: string; role?: string }[] };
    const turn = 1 + countAnswers(body.input);
    const request = { turn, model: body.model, raw, headers: incoming.headers };
    requests.push(request);
    answer(response, script(request));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** An answer may be several items in a row; what the client sends back between them separates two answers. */
function countAnswers(input: readonly { type?: string; role?: string }[]): number {
  const isAnswer = (at: number): boolean => {
    const item = input[at];
    return item?.role === 'assistant' || /^(custom_tool|function)_call$/.test(item?.type ?? '');
  };
  return input.filter((_, at) => isAnswer(at) && !isAnswer(at - 1)).length;
}

function answer(response: ServerResponse, turn: Turn): void {
  if (typeof turn === 'string') speak(response, { text: turn });
  else if ('status' in turn) refuse(response, turn);
  else if (!('fault' in turn)) speak(response, turn);
  else if (turn.fault === 'drop') response.destroy();
  else if (turn.fault === 'empty') speak(response, {});
  else {
    openStream(response, {});
    event(response, { type: 'response.created', response: { id: 'resp_1' } });
    if (turn.fault === 'cut') setImmediate(() => response.destroy());
  }
}

function refuse(response: ServerResponse, { status, message, headers }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  // A message that is JSON already is sent as the error itself.
  response.end(
    message?.startsWith('{') ? message : JSON.stringify({ error: { message: message ?? `status ${status}` } }),
  );
}

function speak(response: ServerResponse, speech: Speech): void {
  openStream(response, speech.headers ?? {});
  const id = `resp_${shortId()}`;
  event(response, { type: 'response.created', response: { id } });
  for (const item of itemsOf(speech)) event(response, { type: 'response.output_item.done', item });
  const usage = {
    input_tokens: 110,
    input_tokens_details: { cached_tokens: 100 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 115,
    ...speech.usage,
  };
  event(response, { type: 'response.completed', response: { id, usage } });
  response.end();
}

function itemsOf({ text, tools = [] }: Speech): object[] {
  const content = [{ type: 'output_text', text }];
  const message = text === undefined ? [] : [{ type: 'message', role: 'assistant', id: `msg_${shortId()}`, content }];
  const calls = tools.map((tool) => ({
    type: 'function_call',
    id: `fc_${shortId()}`,
    call_id: `call_${shortId()}`,
    ...nameOf(tool),
    arguments: JSON.stringify(tool.input),
  }));
  return [...message, ...calls];
}

/** `server.tool` is the tool of an MCP server, which this API keeps in a namespace. */
function nameOf({ name }: ToolUse): { readonly name: string; readonly namespace?: string } {
  const [namespace = '', tool] = name.split('.');
  return tool === undefined ? { name } : { namespace, name: tool };
}

function openStream(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
}

function event(response: ServerResponse, data: { readonly type: string; readonly [field: string]: unknown }): void {
  response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function shortId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 24);
}

/** Arguments of codex that make this server its provider, with the key of OPENAI_API_KEY. */
export function codexProvider(url: string): readonly string[] {
  const settings = [
    'name="Scripted"',
    `base_url=${JSON.stringify(url)}`,
    'env_key="OPENAI_API_KEY"',
    'wire_api="responses"',
    'request_max_retries=0',
    'stream_max_retries=0',
    'supports_websockets=false',
  ];
  return ['-c', 'model_provider="scripted"', '-c', `model_providers.scripted={${settings.join(',')}}`];
}
