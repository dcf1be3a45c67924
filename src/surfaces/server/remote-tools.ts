import type { ToolAnswer, ToolSpec } from '../../rules/tools/index.ts';
import type { Toolbox } from './tool-server.ts';

/** The protocol revision, for requests that need one; every later server still understands it. */
const PROTOCOL_VERSION = '2025-06-18';

/**
 * The tools of a live run, called through its control server with an agent's token.
 * @throws Error when the server is unreachable or refuses the token
 */
export async function remoteToolbox(url: string, token: string): Promise<Toolbox> {
  const { tools } = await call<{ readonly tools: readonly ToolSpec[] }>(url, token, 'tools/list', {});
  return {
    tools,
    tool: (name, args) => callTool(url, token, name, args),
  };
}

interface CallToolResult {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly isError?: boolean;
}

async function callTool(url: string, token: string, name: string, args: object): Promise<ToolAnswer> {
  try {
    const { content, isError } = await call<CallToolResult>(url, token, 'tools/call', { name, arguments: args });
    return { text: content.map((part) => part.text ?? '').join('\n'), isError: isError === true };
  } catch (error) {
    return { text: `${name} was not called: ${(error as Error).message}`, isError: true };
  }
}

/** One JSON-RPC call; without sessions it needs no handshake. @throws Error with a sentence for the model */
async function call<Result>(url: string, token: string, method: string, params: object): Promise<Result> {
  const response = await post(url, token, { jsonrpc: '2.0', id: 1, method, params });
  const text = await response.text();
  if (!response.ok) throw new Error(`the run's server refused (${response.status}): ${text}`);
  const { result, error } = answerIn(text) as { result?: Result; error?: { message: string } };
  if (result === undefined) throw new Error(error?.message ?? "the run's server gave no answer");
  return result;
}

async function post(url: string, token: string, message: object): Promise<Response> {
  try {
    return await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': PROTOCOL_VERSION,
      },
      body: JSON.stringify(message),
    });
  } catch {
    throw new Error(`the run's server at ${url} cannot be reached: the run has ended`);
  }
}

/** A server may answer with JSON or with a stream of events, the last of which holds the answer. */
function answerIn(text: string): unknown {
  const data = text.split('\n').findLast((line) => line.startsWith('data:') && line.length > 'data: '.length);
  return JSON.parse(data?.slice('data:'.length) ?? text);
}
