/**
 * How long a hook call takes that the control server carries to a session which allows everything, four clients at once,
 * compared with a bare Node server that parses the same body and answers the same. Rounds are interleaved, so that a
 * busy moment hits both alike.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Session } from '../src/loop/index.ts';
import { startControlServer } from '../src/surfaces/server/index.ts';
import type { Burst } from './support/hook-clients.ts';
import { ms, quantile, ratio, report, target } from './support/statistics.ts';

const ROUNDS = 20;
const CLIENTS = 4;
const CALLS = 250;

const payload = JSON.stringify({
  session_id: '00000000-0000-4000-8000-000000000000',
  transcript_path: '/home/user/.claude/projects/p/s.jsonl',
  cwd: '/home/user/project',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'npm test -- --run src/login', description: 'Run the tests of the login' },
});

const session: Session = {
  hook: async () => ({}),
  hookFailed: (message) => {
    throw new Error(message);
  },
  tools: [],
  tool: async () => ({ text: '', isError: false }),
};

const server = await startControlServer();
const { token } = server.admit(session);
const bare = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    JSON.parse(Buffer.concat(chunks).toString());
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
}).listen(0, '127.0.0.1');
await once(bare, 'listening');
const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}/`;

const clients = fork(new URL('./support/hook-clients.ts', import.meta.url));
const call = { body: payload, clients: CLIENTS, calls: CALLS, token };
const times = { bare: [] as number[], ours: [] as number[] };
for (let round = 0; round <= ROUNDS; round++) {
  const ofBare = await burst(clients, { ...call, url: bareUrl });
  const ofOurs = await burst(clients, { ...call, url: `${server.url}/hooks` });
  // The first round compiles and connects.
  if (round === 0) continue;
  times.bare.push(...ofBare);
  times.ours.push(...ofOurs);
}
clients.disconnect();
bare.close();
await server.close();

for (const [name, share] of [['p50', 0.5] as const, ['p99', 0.99] as const]) {
  const floor = quantile(times.bare, share);
  const ours = quantile(times.ours, share);
  report(`bare server, ${name}`, microseconds(floor));
  report(`a hook call, ${name}`, microseconds(ours), ratio(ours / floor, 2));
  report(`a hook call, ${name}, in milliseconds`, ms(ours), target('<', share === 0.5 ? 1 : 5, 'ms'));
}

async function burst(process: ChildProcess, what: Burst): Promise<number[]> {
  process.send(what);
  const [measured] = await once(process, 'message');
  return measured as number[];
}

function microseconds(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(0)} µs`;
}
