import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { toolServers } from './tool-server.ts';
import type { Toolbox } from './toolbox.ts';

export interface StdioOptions {
  readonly stdin: Readable;
  /** Carries the protocol and nothing else. */
  readonly stdout: Writable;
  /** What went wrong with the connection; for people. */
  readonly onError: (message: string) => void;
}

/** What was asked before the end of input is still answered, if it takes no longer. */
const GRACE_MS = 5_000;

/** Serves tools as an MCP server over standard input and output; resolves at the end of the input. */
export async function serveToolsOverStdio(toolbox: Toolbox, { stdin, stdout, onError }: StdioOptions): Promise<void> {
  const input = new PassThrough();
  const transport = new StdioServerTransport(input, stdout);
  serveStdio(toolServers(toolbox), { transport, onerror: (error) => onError(error.message) });
  const answered = pendingAnswers(transport);
  const closed = new Promise<void>((resolve) => {
    const before = transport.onclose;
    transport.onclose = () => {
      before?.();
      resolve();
    };
  });
  stdin.pipe(input, { end: false });
  // Not at once: what came last may still be on its way through the pipe.
  const end = () => setImmediate(() => void answered().then(() => input.end()));
  // A pipe that breaks closes without an end; a file ends and stays open.
  stdin.once('close', end).once('end', end);
  await closed;
  stdin.unpipe(input).pause();
}

/**
 * The transport ends with its input and leaves unanswered what is being worked on; whoever pipes a few requests into
 * `ralph mcp` wants the answers. Returns a wait for them, of {@link GRACE_MS} at most.
 */
function pendingAnswers(transport: StdioServerTransport): () => Promise<void> {
  const pending = new Set<unknown>();
  let allAnswered = () => {};
  const { onmessage, send } = transport;
  transport.onmessage = (message) => {
    if (isRequest(message)) pending.add(message.id);
    onmessage?.(message);
  };
  transport.send = async (message) => {
    await send.call(transport, message);
    if ('id' in message && !('method' in message)) pending.delete(message.id);
    if (pending.size === 0) allAnswered();
  };
  return () =>
    new Promise((resolve) => {
      if (pending.size === 0) return resolve();
      const timer = setTimeout(resolve, GRACE_MS);
      allAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
}

function isRequest(message: JSONRPCMessage): message is Extract<JSONRPCMessage, { method: string; id: unknown }> {
  return 'method' in message && 'id' in message;
}
