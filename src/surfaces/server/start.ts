import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { messageOf } from '../../contracts/index.ts';
import type { ControlServer, Session } from '../../loop/index.ts';
import { type AgentCaller, type Callers, openCallers } from './callers.ts';
import { closeServer, listen, readBody, whyForeign } from './requests.ts';

const LOOPBACK = '127.0.0.1';
const TIMEOUTS = {
  /**
   * Time until a request's headers, and all of it, have arrived. An answer may take as long as the checks of a story.
   */
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  /** Never: a connection closed just as its client reuses it looks like an unreachable hook. */
  keepAliveTimeout: 0,
};

/**
 * Starts the control server of a run on a free port of the loopback interface. Agents reach `POST /hooks` and `POST
 * /mcp` with the token of their admission.
 * @throws Node's error when no port is available
 */
export async function startControlServer(): Promise<ControlServer> {
  const callers = openCallers();
  const server = createServer(TIMEOUTS, (incoming, outgoing) => void answer(callers, incoming, outgoing));
  const url = `http://${LOOPBACK}:${await listen(server, 0, LOOPBACK)}`;
  return {
    url,
    admit: callers.admit,
    async close() {
      callers.close();
      await closeServer(server);
    },
  };
}

/** Any fault is the answer to this one request: the server continues. */
async function answer(callers: Callers, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  try {
    await route(callers, incoming, outgoing);
  } catch (error) {
    if (!outgoing.headersSent) refuse(outgoing, 500, messageOf(error));
  }
}

/**
 * The routes of the control server. There is no CORS: no page of another origin may read an answer. Without a framework,
 * which would bring Node's whole `fetch` into the memory of every run.
 */
async function route(callers: Callers, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  // Before any route: checks the origin of a request, then its token.
  const { headers, socket, method, url = '' } = incoming;
  const strange = whyForeign(headers.host, headers.origin, socket.localPort ?? 0);
  if (strange !== null) return refuse(outgoing, 403, strange);
  const caller = callers.find(headers.authorization);
  if (caller === null) {
    const error = "a valid token is needed: an agent's token expires with its process";
    return refuse(outgoing, 401, error, { 'www-authenticate': 'Bearer' });
  }
  const path = url.split('?', 1)[0];
  // Without sessions there is nothing to stream to (GET) or to end (DELETE): MCP, Streamable HTTP.
  if (path === '/mcp' && method !== 'POST') {
    return refuse(outgoing, 405, 'tools are called with POST', { allow: 'POST' });
  }
  if (method !== 'POST' || (path !== '/mcp' && path !== '/hooks')) {
    return refuse(outgoing, 404, 'there is nothing at this address');
  }
  if (path === '/mcp') return callTool(caller.tools, incoming, outgoing);
  const { status, body } = await answerHook(caller.session, incoming);
  // The rest of a body that is too large: unread, it would keep the connection and its client waiting.
  incoming.resume();
  send(outgoing, status, body);
}

/** The library is loaded at the first call, as the one that answers is. */
async function callTool(tools: AgentCaller['tools'], incoming: IncomingMessage, outgoing: ServerResponse) {
  const { getRequestListener } = await import('@hono/node-server');
  await getRequestListener(tools.answer)(incoming, outgoing);
}

function refuse(outgoing: ServerResponse, status: number, error: string, headers: OutgoingHttpHeaders = {}): void {
  send(outgoing, status, JSON.stringify({ error }), headers);
}

/** @param body JSON */
function send(outgoing: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders = {}): void {
  const length = Buffer.byteLength(body);
  outgoing.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': length }).end(body);
}

const ALLOW = '{}';

interface HookResponse {
  readonly status: 200 | 413;
  /** JSON. */
  readonly body: string;
}

/**
 * One hook call. An error lets the agent continue and is reported to its session: a hook never breaks a session, and the
 * loop enforces afterwards what the hook could not.
 */
async function answerHook(session: Session, incoming: IncomingMessage): Promise<HookResponse> {
  try {
    const text = await readBody(incoming);
    if (text === null) {
      session.hookFailed('a hook call was larger than this server accepts');
      return { status: 413, body: ALLOW };
    }
    return { status: 200, body: JSON.stringify(await session.hook(JSON.parse(text))) };
  } catch (error) {
    session.hookFailed(messageOf(error));
    return { status: 200, body: ALLOW };
  }
}
