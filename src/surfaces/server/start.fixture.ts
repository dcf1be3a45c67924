/** Starts a server, leaves every kind of connection to it open, closes it, and has nothing more to do. */
import { makeTempDir, readText, remove } from '../../platform/index.ts';
import { startControlServer } from './start.ts';

const state = await makeTempDir('ralph-server-');
const server = await startControlServer({ run: 'r', root: '/', env: { XDG_STATE_HOME: state } });
const agent = server.admit({
  hook: () => new Promise(() => {}),
  hookFailed: () => {},
  tools: [],
  tool: () => new Promise(() => {}),
});
const operator = JSON.parse((await readText(`${state}/ralph/control/r.json`)) ?? '{}') as { token: string };

await fetch(`${server.url}/events`, { headers: { authorization: `Bearer ${operator.token}` } });
const headers = {
  authorization: `Bearer ${agent.token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x', arguments: {} } };
await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) });
const cutOff = fetch(`${server.url}/hooks`, { method: 'POST', headers, body: '{}' }).catch(() => {});

await server.close();
await cutOff;
await remove(state);
process.stdout.write('closed\n');
