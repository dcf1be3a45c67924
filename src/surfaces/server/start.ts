import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import { removeControlFile, writeControlFile } from '../../adapters/workspace/index.ts';
import { type Env, messageOf } from '../../contracts/index.ts';
import type { ControlServer, Session } from '../../loop/index.ts';
import { processId } from '../../platform/index.ts';
import { type AgentCaller, type Callers, openCallers } from './callers.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { closeServer, listen, readBody, whyForeign } from './requests.ts';

interface ControlOptions {
  readonly run: string;
  /** Absolute: the work tree of the run. */
  readonly root: string;
  /** Locates the operator's token: XDG_STATE_HOME, HOME. */
  readonly env: Env;
}

const LOOPBACK = '127.0.0.1';
const HEARTBEAT_MS = 15_000;

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
 * /mcp` with the token of their admission, people's tools `GET /events` with the one in the control file.
 * @throws StateError when the control file cannot be written, Node's error when no port is available
 */
export async function startControlServer(options: ControlOptions): Promise<ControlServer> {
  const { run, root, env } = options;
  const callers = openCallers();
  const events = openEventStream(run);
  const server = createServer(TIMEOUTS, (incoming, outgoing) => void answer({ callers, events }, incoming, outgoing));
  const url = `http://${LOOPBACK}:${await listen(server, 0, LOOPBACK)}`;
  try {
    await writeControlFile(env, { url, token: callers.operatorToken, pid: processId(), run, root });
  } catch (error) {
    await closeServer(server);
    throw error;
  }
  const heartbeat = setInterval(events.beat, HEARTBEAT_MS);
  heartbeat.unref();
  return {
    url,
    admit: callers.admit,
    publish: events.publish,
    async close() {
      clearInterval(heartbeat);
      callers.close();
      events.close();
      await closeServer(server);
      await removeControlFile(env, run);
    },
  };
}

interface Parts {
  readonly callers: Callers;
  readonly events: EventStream;
}

/** Any fault is the answer to this one request: the server continues. */
async function answer(parts: Parts, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  try {
    await route(parts, incoming, outgoing);
  } catch (error) {
    if (!outgoing.headersSent) refuse(outgoing, 500, messageOf(error));
  }
}

/**
 * The routes of the control server. An agent's token gives access to hooks and tools, the operator's to the rest;
 * neither to the other's. There is no CORS: no page of another origin may read an answer. Without a framework, which
 * would bring Node's whole `fetch` into the memory of every run.
 */
async function route({ callers, events }: Parts, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
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
  if (path === '/events' && (method === 'GET' || method === 'HEAD')) {
    if (caller.kind !== 'operator') return refuse(outgoing, 403, FOR_OPERATORS);
    if (method === 'HEAD') return refuse(outgoing, 405, 'only GET streams events');
    return events.join(outgoing, headers['last-event-id']?.toString());
  }
  // Without sessions there is nothing to stream to (GET) or to end (DELETE): MCP, Streamable HTTP.
  if (path === '/mcp' && method !== 'POST') {
    return refuse(outgoing, 405, 'tools are called with POST', { allow: 'POST' });
  }
  if (method !== 'POST' || (path !== '/mcp' && path !== '/hooks')) {
    return refuse(outgoing, 404, 'there is nothing at this address');
  }
  if (caller.kind !== 'agent') return refuse(outgoing, 403, FOR_AGENTS);
  if (path === '/mcp') return callTool(caller.tools, incoming, outgoing);
  const { status, body } = await answerHook(caller.session, incoming);
  // The rest of a body that is too large: unread, it would keep the connection and its client waiting.
  incoming.resume();
  send(outgoing, status, body);
}

const FOR_AGENTS = "hooks and tools are for the run's agents; the operator's token reaches /events";
const FOR_OPERATORS = "this is for the user's tools; an agent's token reaches /hooks and /mcp";

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
