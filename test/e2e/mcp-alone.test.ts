import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { withAgent } from '../../src/surfaces/server/server.fixture.ts';
import { backlogText, freshRepository } from '../support/command-repository.ts';
import { RALPH } from '../support/project.ts';

interface Message {
  readonly id: number;
  readonly result: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
  };
}

const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

/** Starts the command in a folder, asks all of it at once, ends its input. `answers` is by the number of the request. */
async function session(
  root: string,
  env: Record<string, string>,
  requests: readonly [method: string, params: object][],
) {
  const child = spawn(process.execPath, [RALPH, 'mcp'], { cwd: root, env: { ...process.env, ...env } });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  for (const [id, [method, params]] of [['initialize', hello] as const, ...requests].entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  }
  child.stdin.end();
  const [code] = (await once(child, 'close')) as [number | null];
  const messages = out
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Message);
  return { code, err, answers: new Map(messages.map(({ id, result }) => [id, result])) };
}

test('when the run of the environment is over, it says so to people and reads the files', async () => {
  const repo = await freshRepository({ 'ralph/tasks.json': backlogText, 'ralph/prd.md': '# Wanted\n' });
  const { url, token, close } = await withAgent();
  await close();
  const env = { RALPH_CONTROL_URL: url, RALPH_CONTROL_TOKEN: token };
  const { code, err, answers } = await session(repo.root, env, [
    ['tools/call', { name: 'list_stories', arguments: {} }],
  ]);
  expect(code).toBe(0);
  expect(err).toMatch(/^ralph mcp: .* cannot be reached: the run has ended; only answers from files are available\n$/);
  expect(answers.get(1)).toMatchObject({ isError: false });
});
