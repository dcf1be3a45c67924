import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { answer } from './model-answer.ts';
import type { Turn } from './model-turn.ts';

/**
 * A scripted stand-in for the Messages API, on loopback. The real client talks to it as to the provider:
 * `ANTHROPIC_BASE_URL=server.url`. Only the wire is imitated; what the "model" says is the test's script.
 */

export interface ModelMessage {
  readonly role: string;
  readonly content: unknown;
}

/** One request for an answer. */
export interface ModelRequest {
  /** 1 for the first request of its session. */
  readonly turn: number;
  readonly session: string;
  readonly headers: IncomingHttpHeaders;
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly ModelMessage[];
  /** The whole request as text: the place to look whether something reached the model. */
  readonly raw: string;
}

/** Called for each request in the agent's conversation; side calls (titles, summaries) never reach it. */
export type Script = (request: ModelRequest) => Turn | Promise<Turn>;

export interface ModelServer {
  readonly url: string;
  /** Conversation requests so far, oldest first. */
  readonly requests: readonly ModelRequest[];
  close(): Promise<void>;
}

/** Starts a server on a free loopback port. A script that throws is answered with a 400 that carries its message. */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  const turns = new Map<string, number>();
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else answer(response, { status: 400, message: String(error) }, false);
    });
  });

  async function respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await bodyOf(incoming);
    const isMessages = incoming.method === 'POST' && (incoming.url ?? '').split('?')[0] === '/v1/messages';
    if (!isMessages) {
      response.writeHead(incoming.method === 'HEAD' ? 200 : 404).end();
      return;
    }
    const body = JSON.parse(raw) as { model: string; stream?: boolean; messages: ModelMessage[]; tools?: unknown[] };
    const stream = body.stream === true;
    if (!body.tools || body.tools.length === 0) {
      answer(response, 'ok', stream);
      return;
    }
    const session = String(incoming.headers['x-claude-code-session-id'] ?? '');
    const turn = (turns.get(session) ?? 0) + 1;
    turns.set(session, turn);
    const request: ModelRequest = {
      turn,
      session,
      headers: incoming.headers,
      model: body.model,
      stream,
      messages: body.messages,
      raw,
    };
    requests.push(request);
    const said = await script(request);
    if (typeof said === 'object' && 'delayMs' in said) await wait(said.delayMs);
    answer(response, said, stream);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A script that plays turns in order and repeats the last one. */
export function inOrder(...turns: readonly [Turn, ...Turn[]]): Script {
  let next = 0;
  return () => {
    const turn = turns[Math.min(next, turns.length - 1)];
    next += 1;
    return turn as Turn;
  };
}

/** All text of a request's messages of one role, newest last. */
export function textOf(request: ModelRequest, role: 'user' | 'assistant' = 'user'): string {
  return request.messages
    .filter((message) => message.role === role)
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : (content as { text?: string }[]).map((block) => block.text ?? ''),
    )
    .join('\n');
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
