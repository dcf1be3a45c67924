/** Starts a server, leaves every kind of connection to it open, closes it, and has nothing more to do. */
import { startControlServer } from './start.ts';

const server = await startControlServer();
const agent = server.admit({
  hook: () => new Promise(() => {}),
  hookFailed: () => {},
  tools: [],
  tool: () => new Promise(() => {}),
});

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
process.stdout.write('closed\n');
