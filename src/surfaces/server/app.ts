import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import type { AgentCaller, Caller, Callers } from './callers.ts';
import type { EventStream } from './event-stream.ts';
import { answerHook } from './hooks.ts';
import { strangeness } from './strangers.ts';

interface Parts {
  readonly callers: Callers;
  readonly events: EventStream;
}

interface Env {
  /** Node's own request and response. */
  readonly Bindings: HttpBindings;
  readonly Variables: { readonly caller: Caller };
}

type Status = 401 | 403 | 404 | 405 | 500;

/**
 * The routes of the control server. An agent's token reaches hooks and tools, the operator's the rest; neither
 * reaches what is the other's. There is no CORS: no page of another origin may read an answer.
 */
export function controlApp({ callers, events }: Parts): Hono<Env> {
  const app = new Hono<Env>();

  // Before any route: where it comes from, then whose token it carries.
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
    const { status, body } = await answerHook(agent.desk, c.env.incoming);
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
