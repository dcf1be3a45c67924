import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Admission, ControlServer, Session } from '../../loop/index.ts';
import { startControlServer } from './start.ts';

export interface TestServer extends ControlServer {
  readonly port: number;
}

/** A control server of its own for one test, closed when it ends. */
export async function testServer(): Promise<TestServer> {
  const server = await startControlServer();
  onTestFinished(server.close);
  return { ...server, port: Number(new URL(server.url).port) };
}

export interface TestSession extends Session {
  readonly failures: readonly string[];
}

/** A session that answers a hook with what it was asked, and serves one tool that repeats its arguments. */
export function testSession(parts: Partial<Session> = {}): TestSession {
  const failures: string[] = [];
  return {
    hook: async (payload) => ({ seen: payload }),
    hookFailed: (message) => void failures.push(message),
    tools: [ECHO],
    tool: async (name, args) => ({ text: `${name} ${JSON.stringify(args)}`, isError: name !== ECHO.name }),
    ...parts,
    failures,
  };
}

const ECHO = {
  name: 'echo',
  description: 'Repeats a word.',
  inputSchema: {
    type: 'object',
    properties: { word: { type: 'string' }, times: { type: 'integer', minimum: 1 } },
    required: ['word'],
    additionalProperties: false,
  },
};

export async function withAgent(session: Session = testSession()): Promise<TestServer & Admission> {
  const server = await testServer();
  return { ...server, ...server.admit(session) };
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Sends a request as it is typed and resolves with the first line of the answer, or '' when there was none. */
export function rawRequest(port: number, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    let said = '';
    socket.setEncoding('utf8').on('data', (text) => {
      said += text;
      if (said.includes('\r\n')) socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => resolve(said.split('\r\n')[0] ?? ''));
  });
}
