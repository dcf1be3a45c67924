import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { type Toolbox, toolServers } from './tool-server.ts';

interface StdioOptions {
  readonly stdin: Readable;
  /** Carries only the protocol. */
  readonly stdout: Writable;
  readonly onError: (message: string) => void;
}

/** Requests from before the end of input are still answered, if that takes no longer. */
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
  // A broken pipe closes without an end; a file ends and stays open.
  const ended = new Promise<void>((resolve) => stdin.once('close', resolve).once('end', resolve));
  // Not at once: the last input may still be in the pipe.
  void ended.then(() => setImmediate(() => void answered().then(() => input.end())));
  await closed;
  stdin.unpipe(input).pause();
}

/**
 * The transport ends with its input and drops the answers to open requests; a user who pipes a few requests into `ralph
 * mcp` wants those answers. Returns a wait for them, of {@link GRACE_MS} at most.
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
