import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Operate } from '../../contracts/control.ts';
import { mintToken } from '../server/tokens.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import { dashboardApp } from './app.ts';
import { openDoor } from './door.ts';
import { type FleetSource, openFleet } from './fleet.ts';
import { openKeyRing } from './keys.ts';
import { gatherMetrics } from './metrics.ts';
import { type Catalogue, openOverview } from './overview.ts';
import { readPage } from './page.ts';
import { openRunAnswers, type RunTools } from './run-answers.ts';
import { openSeats } from './seats.ts';

export interface DashboardOptions extends RunTools {
  /** The address to listen on. */
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /** By which it may be called, in lower case; in addresses of IPv6 with their brackets. */
  readonly names: readonly string[];
  readonly token: string;
  /** Reads the token again as it is kept. */
  readonly readToken: () => Promise<string | null>;
  readonly catalogue: Catalogue;
  readonly operate: Operate;
  /** null: there is no fleet to show. */
  readonly fleet: FleetSource | null;
  /** Where the files of the page are. */
  readonly pageFolder: string;
  /** Shorter ones are for tests. */
  readonly timeouts?: Partial<typeof TIMEOUTS>;
}

export interface Dashboard {
  readonly port: number;
  /** At once, whoever watches. Safe to call twice. */
  readonly close: () => Promise<void>;
}

const HEARTBEAT_MS = 15_000;
const TOKEN_EVERY_MS = 1_000;
/** Open connections, streams included; further ones are closed at once. */
const MOST_CONNECTIONS = 1_024;

const TIMEOUTS = {
  /** Until a request's headers, and all of it, have arrived. */
  headersTimeout: 10_000,
  requestTimeout: 20_000,
  connectionsCheckingInterval: 2_000,
};

/**
 * Starts the dashboard's server.
 * @throws Node's error when the port cannot be had, Error when the page is missing from this installation
 */
export async function startDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { catalogue, now, version } = options;
  const page = await readPage(options.pageFolder);
  const server = createServer({ ...TIMEOUTS, ...options.timeouts });
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listen(server, options);
  // Streams that were opened with the token before end with it.
  const seats = openSeats();
  const ring = openKeyRing(options.token, options.readToken, seats.clear);
  const overview = openOverview({ server: mintToken().slice(0, 12), version }, catalogue);
  const runs = openRunAnswers(options);
  const fleet = openFleet(options.fleet, now);
  const app = dashboardApp({
    ...options,
    ring,
    door: openDoor(ring, port, now),
    page,
    overview,
    fleet,
    runs,
    metrics: () => gatherMetrics(overview, runs, fleet),
    seats,
  });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  server.on('request', (incoming, outgoing) => {
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) outgoing.setHeader(name, value);
    void answer(incoming, outgoing);
  });
  const timers = [
    setInterval(() => {
      overview.beat();
      runs.beat();
    }, HEARTBEAT_MS),
    setInterval(() => void ring.refresh().catch(() => {}), TOKEN_EVERY_MS),
  ];
  return {
    port,
    async close() {
      for (const timer of timers) clearInterval(timer);
      overview.close();
      await Promise.all([end(server), runs.close(), fleet.close()]);
    },
  };
}

/** Resolves with the port. */
function listen(server: Server, { host, port }: DashboardOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
