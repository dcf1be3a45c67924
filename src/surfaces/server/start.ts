import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { removeControlFile, writeControlFile } from '../../adapters/workspace/records/control-file.ts';
import type { ControlServer } from '../../loop/control.ts';
import { processId } from '../../platform/process/process-facts.ts';
import { controlApp } from './app.ts';
import { openCallers } from './callers.ts';
import { openEventStream } from './event-stream.ts';

export interface ControlOptions {
  readonly run: string;
  /** Absolute: the work tree of the run. */
  readonly root: string;
  /** Says where the operator's token goes: XDG_STATE_HOME, HOME. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const LOOPBACK = '127.0.0.1';
const HEARTBEAT_MS = 15_000;

const TIMEOUTS = {
  /** Until a request's headers, and all of it, have arrived. An answer may take as long as the checks of a story. */
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  connectionsCheckingInterval: 5_000,
  /** Never: a connection closed in the moment its client uses it again looks like a hook that cannot be reached. */
  keepAliveTimeout: 0,
};

/**
 * Starts the control server of a run on a free port of the loopback interface. Agents reach `POST /hooks` and
 * `POST /mcp` with the token of their admission, people's tools `GET /events` with the one in the control file.
 * @throws StateError when the control file cannot be written, Node's error when no port can be had
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

/** Does not wait for anybody: the run is over, whoever is still asking gets no answer. */
function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
