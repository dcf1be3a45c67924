import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { removeControlFile, writeControlFile } from '../../adapters/workspace/index.ts';
import type { ControlServer, Session } from '../../loop/index.ts';
import { processId } from '../../platform/index.ts';
import { type AgentCaller, type Caller, type Callers, openCallers } from './callers.ts';
import { type EventStream, openEventStream } from './event-stream.ts';
import { readBody, strangeness } from './requests.ts';

interface ControlOptions {
  readonly run: string;
  /** Absolute: the work tree of the run. */
  readonly root: string;
  /** Locates the operator's token: XDG_STATE_HOME, HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
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
  const server = createServer(TIMEOUTS, getRequestListener(controlApp({ callers, events }).fetch));
  const url = `http://${LOOPBACK}:${await listen(server)}`;
  try {
    await writeControlFile(env, { url, token: callers.operatorToken, pid: processId(), run, root });
  } catch (error) {
    await end(server);
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
      await end(server);
      await removeControlFile(env, run);
    },
  };
}

/** Resolves with the port. */
function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, () => resolve((server.address() as AddressInfo).port));
  });
}

/** Does not wait for open requests: the run is over, and late callers get no answer. */
function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

interface Parts {
  readonly callers: Callers;
  readonly events: EventStream;
}

interface Env {
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly caller: Caller };
}

type Status = 401 | 403 | 404 | 405 | 500;

/**
 * The routes of the control server. An agent's token gives access to hooks and tools, the operator's to the rest;
 * neither to the other's. There is no CORS: no page of another origin may read an answer.
 */
function controlApp({ callers, events }: Parts): Hono<Env> {
  const app = new Hono<Env>();

  // Before any route: checks the origin of a request, then its token.
  app.use(async (c, next) => {
    const { headers, socket } = c.env.incoming;
    const strange = strangeness(headers.host, headers.origin, socket.localPort ?? 0);
    if (strange !== null) return refuse(c, 403, strange);
    const caller = callers.find(headers.authorization);
    if (caller === null) {
      c.header('www-authenticate', 'Bearer');
      return refuse(c, 401, 'a valid token is needed: the token of an agent ends with its process');
    }
    c.set('caller', caller);
    await next();
  });

  app.post('/hooks', async (c) => {
    const agent = agentOf(c);
    if (agent === null) return refuse(c, 403, FOR_AGENTS);
    const { status, body } = await answerHook(agent.session, c.env.incoming);
    return c.body(body, status, { 'content-type': 'application/json' });
  });

  app.post('/mcp', async (c) => {
    const agent = agentOf(c);
    return agent === null ? refuse(c, 403, FOR_AGENTS) : agent.tools.answer(c.req.raw);
  });

  app.get('/events', (c) => {
    if (c.get('caller').kind !== 'operator') return refuse(c, 403, FOR_OPERATORS);
    if (c.req.method === 'HEAD') return refuse(c, 405, 'only GET streams events');
    events.join(c.env.outgoing, c.req.header('last-event-id'));
    return RESPONSE_ALREADY_SENT;
  });

  // Without sessions there is nothing to stream to (GET) or to end (DELETE): MCP, Streamable HTTP.
  app.all('/mcp', (c) => {
    c.header('allow', 'POST');
    return refuse(c, 405, 'tools are called with POST');
  });
  app.notFound((c) => refuse(c, 404, 'there is nothing at this address'));
  app.onError((error, c) => refuse(c, 500, error.message));
  return app;
}

const FOR_AGENTS = "hooks and tools are for the run's agents; the operator's token reaches /events";
const FOR_OPERATORS = "this is for people's tools; the token of an agent reaches /hooks and /mcp";

function agentOf(c: Context<Env>): AgentCaller | null {
  const caller = c.get('caller');
  return caller.kind === 'agent' ? caller : null;
}

function refuse(c: Context, status: Status, error: string): Response {
  return c.json({ error }, status);
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
    session.hookFailed(error instanceof Error ? error.message : String(error));
    return { status: 200, body: ALLOW };
  }
}
